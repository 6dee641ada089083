import NightjarTestSupport
import Testing
import Varlink

/// The two ends of a connection.
@Suite struct TransportTests {
  private let ours: VarlinkConnection
  private let theirs: VarlinkConnection

  init() throws { (ours, theirs) = try connectedPair() }

  private func write(_ number: Int64, padding: Int = 0) {
    let parameters: JSONValue = [
      "n": .integer(number), "x": .string(String(repeating: "x", count: padding)),
    ]
    ours.outlet.output += JSONValue.object([.init("parameters", parameters)]).bytes + [0]
  }

  /// The numbers of the replies that have arrived; -1 stands for an error.
  private func received() throws -> [Int64] {
    theirs.receive()
    var numbers: [Int64] = []
    while let reply = try theirs.nextReply() {
      numbers.append(reply.error == nil ? reply.parameters["n"]?.integerValue ?? -2 : -1)
    }
    return numbers
  }

  /// Writes the replies 1 to 4, of which 2 and 3 wait for commit 7.
  private func writeGated() {
    write(1)
    for number in 2...3 {
      let start = ours.outlet.output.count
      write(Int64(number))
      ours.outlet.gate(from: start, commit: 7)
    }
    write(4)
  }

  @Test func `A reply that waits for a commit holds back everything behind it`() throws {
    writeGated()
    for (commit, numbers) in [(0, [1]), (6, []), (7, [2, 3, 4])] as [(Int64, [Int64])] {
      ours.outlet.release(through: commit)
      ours.flush()
      #expect(try received() == numbers)
      #expect(!ours.awaited.contains(.writable))
    }
    #expect(ours.outlet.isDrained)
  }

  @Test func `After a failed commit, an error stands in the place of each reply that waited`()
    throws
  {
    writeGated()
    ours.flush()
    ours.outlet.replaceGated { $0.writeError(.permissionDenied) }
    ours.flush()
    #expect(try received() == [1, -1, -1, 4])
  }

  @Test func `A cut stream ends behind the reply of which the reader has the beginning`() throws {
    write(0)
    ours.outlet.beginStream(at: ours.outlet.output.count)
    for number in 1...500 { write(Int64(number), padding: 2_000) }
    ours.flush()
    #expect(ours.awaited.contains(.writable), "the kernel has no room for all of them")
    let unsent = ours.outlet.cutStream()
    var numbers = try received()
    while !ours.outlet.isDrained {
      ours.flush()
      numbers += try received()
    }
    while true {
      let more = try received()
      if more.isEmpty { break }
      numbers += more
    }
    #expect(numbers == (0..<numbers.count).map(Int64.init))
    #expect(numbers.count > 1 && unsent.count { $0 == 0 } == 501 - numbers.count)
  }

  @Test func `Replies that came before the end of a connection are read after a call has failed`()
    throws
  {
    var ends: (VarlinkConnection, VarlinkConnection)? = try connectedPair()
    let client = try #require(ends?.0)
    ends?.1.outlet.output += [UInt8](#"{"parameters":{}}"#.utf8) + [0]
    ends?.1.flush()
    ends = nil
    client.write("org.example.Gone")
    client.flush()
    #expect(client.hasOutputEnded && !client.isBroken)
    client.receive()
    #expect(try client.nextReply() != nil)
    client.receive()
    #expect(client.hasInputEnded)
  }

  @Test func `A message over the limit breaks the connection`() throws {
    let (service, client) = try connectedPair(frameBytes: 8)
    client.outlet.output = [UInt8](repeating: 0x20, count: 9)
    client.flush()
    service.advance(.readable)
    #expect(service.nextFrame() == nil && service.isBroken)
  }

  @Test func `A connection reads no further while its output waits for the other end`() {
    #expect(ours.awaited == .readable)
    ours.outlet.output = [UInt8](repeating: 0, count: ours.outlet.limitBytes)
    #expect(ours.awaited == .writable)
  }
}
