import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

@Suite(.blocking) struct LinkWatchTests {
  // MARK: The messages

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  /// struct nlmsghdr and the body after it.
  private static func message(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
    bytes(UInt32(16 + body.count)) + bytes(kind) + bytes(UInt16(0)) + bytes(UInt32(0))
      + bytes(UInt32(0)) + padded(body)
  }

  private static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    padded(bytes(UInt16(4 + value.count)) + bytes(kind) + value)
  }

  /// RTM_NEWADDR is 20, RTM_DELADDR 21; IFA_LOCAL is 2 and IFA_FLAGS 8.
  private static func address(_ kind: UInt16 = 20, flags: UInt32 = 0x80) -> [UInt8] {
    message(
      kind,
      [2, 24, UInt8(truncatingIfNeeded: flags), 0] + bytes(UInt32(3))
        + attribute(2, [192, 0, 2, 1]) + attribute(3, Array("eth0\0x".utf8))
        + attribute(8, bytes(flags)))
  }

  /// RTM_NEWLINK is 16, RTM_DELLINK 17; IFF_RUNNING is 0x40.
  private static func link(_ kind: UInt16 = 16, index: Int32 = 3, runs: Bool) -> [UInt8] {
    message(
      kind,
      [0, 0] + bytes(UInt16(1)) + bytes(index) + bytes(UInt32(runs ? 0x1043 : 0x1003))
        + bytes(UInt32(0)) + attribute(3, Array("eth0\0".utf8)))
  }

  private final class Reader {
    private var changes = LinkChanges()

    func hasLinkUp(_ datagram: [UInt8]) -> Bool { datagram.withUnsafeBytes { changes.take($0) } }
  }

  @Test func `A usable address counts as changes; a removed or tentative one does not`() {
    let reader = Reader()
    #expect(reader.hasLinkUp(Self.address()))
    #expect(!reader.hasLinkUp(Self.address(21)))
    // IFA_F_TENTATIVE.
    #expect(!reader.hasLinkUp(Self.address(flags: 0xC0)))
    // Several in one datagram.
    #expect(reader.hasLinkUp(Self.address(21) + Self.address(flags: 0x40) + Self.address()))
    #expect(!reader.hasLinkUp(Self.address(21) + Self.address(21)))
  }

  @Test func `A link that was down and runs counts as changes, once`() {
    let reader = Reader()
    // Its former state is not known.
    #expect(!reader.hasLinkUp(Self.link(runs: true)))
    #expect(!reader.hasLinkUp(Self.link(runs: false)))
    #expect(!reader.hasLinkUp(Self.link(index: 4, runs: true)))
    #expect(reader.hasLinkUp(Self.link(runs: true)))
    #expect(!reader.hasLinkUp(Self.link(runs: true)))
    // A removed link is forgotten, because its index may be used again.
    #expect(!reader.hasLinkUp(Self.link(runs: false) + Self.link(17, runs: false)))
    #expect(!reader.hasLinkUp(Self.link(runs: true)))
    #expect(reader.hasLinkUp(Self.link(runs: false) + Self.link(runs: true)))
  }

  @Test func `A malformed message is ignored, and nothing after it is read`() {
    let reader = Reader()
    for length in 0..<Self.address().count {
      #expect(!reader.hasLinkUp(Array(Self.address().prefix(length))), "\(length)")
    }
    for length: UInt32 in [0, 1, 15, .max] {
      let wrong = Self.bytes(length) + [UInt8](repeating: 0, count: 12)
      #expect(!reader.hasLinkUp(wrong + Self.address()))
    }
    #expect(!reader.hasLinkUp(Self.message(20, [2])) && !reader.hasLinkUp(Self.message(16, [2])))
    #expect(!reader.hasLinkUp(Self.message(17, [])))
    // An attribute with a wrong length ends the attributes.
    let short = Self.message(20, [2, 24, 0, 0, 3, 0, 0, 0, 1, 0, 8, 0])
    #expect(reader.hasLinkUp(short))
  }

  // MARK: The kernel

  private func ip(_ arguments: String...) throws {
    try Rig().tool(["ip"] + arguments, package: "iproute2")
  }

  /// Whether this process has a network of its own, without devices. If not, the test runs in a
  /// process that has one.
  private func isInEmptyNetwork(_ test: String) throws -> Bool {
    if Role.current != nil { return true }
    try Role.play("in an empty network", inTest: test, through: Role.unshare + ["--net"])
    return false
  }

  @Test func `A watch that listens is called for each address, and another is not woken`() throws {
    guard try isInEmptyNetwork("A watch that listens is called for each address") else { return }
    let loop = try EventLoop()
    var count = 0
    let watch = try LinkWatch(on: loop) { count += 1 }
    watch.isListening = true
    try ip("address", "add", "192.0.2.1/32", "dev", "lo")
    #expect(try pump(loop) { count == 1 })

    watch.isListening = false
    try ip("address", "add", "192.0.2.2/32", "dev", "lo")
    #expect(try !pump(loop, within: 0.3) { count > 1 })
    // It is not reported afterwards either.
    watch.isListening = true
    #expect(try !pump(loop, within: 0.3) { count > 1 })
    try ip("address", "delete", "192.0.2.1/32", "dev", "lo")
    try ip("address", "add", "192.0.2.3/32", "dev", "lo")
    #expect(try pump(loop) { count == 2 })
  }

  @Test func `Messages that the kernel had to drop count as changes`() throws {
    guard try isInEmptyNetwork("Messages that the kernel had to drop") else { return }
    let loop = try EventLoop()
    var count = 0
    let watch = try LinkWatch(on: loop) { count += 1 }
    let folder = try TestFolder()
    // More messages than the socket's buffer holds; the loss of an address would not count by
    // itself.
    for verb in ["add", "delete"] {
      let lines = (0..<1000).map { "address \(verb) 10.0.\($0 / 250).\($0 % 250 + 1)/32 dev lo" }
      let path = "\(folder.path)/\(verb)"
      try writeFile(lines.joined(separator: "\n") + "\n", to: path)
      if verb == "delete" { watch.isListening = true }
      try ip("-batch", path)
    }
    #expect(try pump(loop) { count == 1 })
  }
}
