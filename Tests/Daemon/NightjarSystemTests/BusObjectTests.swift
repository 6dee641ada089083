import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// Objects of this process on a bus, as another program sees them.
@Suite(.blocking) struct BusObjectTests {
  private static let interface = "org.nightjar.Test"

  /// What the object keeps.
  private final class Memory {
    var isConnected = false
    var kept: BusCall?
  }

  private let rig: Rig
  private let address: String
  private let loop: EventLoop
  private let connection: BusConnection
  private let memory = Memory()

  init() throws {
    rig = try Rig()
    address = "unix:path=\(rig.path)/bus"
    try rig.startBus(type: "session", address: address)
    loop = try EventLoop()
    let memory = memory
    connection = try BusConnection(
      loop: loop, address: address, onConnected: { memory.isConnected = true }, onLost: {})
    try connection.add(Self.object(memory), at: "/a")
    while !memory.isConnected { try loop.runIteration() }
  }

  private static func object(_ memory: Memory) -> BusObject {
    BusObject(
      interface,
      methods: [
        .init("Add", takes: "ii", gives: "i") { call in
          call.answer(.int32((call.message.readInt32() ?? 0) + (call.message.readInt32() ?? 0)))
        },
        .init("Join", takes: "a(si)", gives: "s") { call in
          let parts = call.message.readArray(of: "(si)") {
            call.message.readStructure(of: "si") {
              "\(call.message.readString() ?? "?")\(call.message.readInt32() ?? 0)"
            }
          }
          call.answer(.string(parts?.joined(separator: " ") ?? "none"))
        },
        .init("Second", takes: "vs", gives: "s") { call in
          call.message.skip("v")
          call.answer(.string(call.message.readString() ?? "none"))
        },
        .init("Everything", gives: "ovda{sv}a(iay)av") { call in
          call.answer(
            .path("/b"), .variant(.strings(["x"])), .double(0.5),
            .variants([("k", .boolean(true))]),
            .array(of: "(iay)", [.structure([.int32(1), .array(of: "y", [.byte(7)])])]),
            .array(of: "v", [.variant(.structure([.int32(1), .string("s")]))]))
        },
        .init("Refuse") { call in call.refuse("not <now>") },
        .init("Later", gives: "s") { call in memory.kept = call },
        .init("Answer") { call in
          memory.kept?.answer(.string("late"))
          call.answer()
        },
      ],
      properties: [
        .init("Text", "s") { .string("t") },
        .init("Tip", "(sa(iiay)ss)") {
          .structure([.string(""), .array(of: "(iiay)", []), .string("a"), .string("b")])
        },
      ],
      signals: ["Changed": "sa(is)"])
  }

  private func start(_ arguments: [String]) throws -> ChildProcess {
    try rig.start(["busctl", "--address=\(address)", "--no-pager", "--"] + arguments)
  }

  private func name() throws -> String { try #require(connection.uniqueName) }

  /// Runs the loop until a process has ended, and returns its output.
  private func output(of process: ChildProcess) throws -> String {
    let pulse = try loop.timer(on: .monotonic) {}
    while !process.changes.all.contains(where: \.isEnd) {
      pulse.arm(atUsec: Clocks.monotonicUsec() + 5_000)
      try loop.runIteration()
    }
    try process.awaitEnd()
    return process.output
  }

  @Test(arguments: [
    (["Add", "ii", "2", "-3"], "i -1"),
    (["Join", "a(si)", "2", "a", "1", "b", "2"], #"s "a1 b2""#),
    (["Join", "a(si)", "0"], #"s """#), (["Second", "vs", "i", "1", "x"], #"s "x""#),
    (["Everything"], #"ovda{sv}a(iay)av "/b" as 1 "x" 0.5 1 "k" b true 1 1 1 7 1 (is) 1 "s""#),
    (["Refuse"], "Call failed: not <now>"), (["Add", "s", "x"], "Call failed: Invalid argument"),
    (["Nothing"], "Call failed: Unknown method"),
  ])
  func `A method gets what was sent, and its answer or its refusal arrives`(
    arguments: [String], answer: String
  ) throws {
    let call = try start(["call", name(), "/a", Self.interface] + arguments)
    let output = try output(of: call)
    #expect(output.hasPrefix(answer), "\(output)")
  }

  @Test func `A call can be answered later`() throws {
    let late = try start(["call", name(), "/a", Self.interface, "Later"])
    while memory.kept == nil { try loop.runIteration() }
    #expect(try output(of: start(["call", name(), "/a", Self.interface, "Answer"])) == "")
    #expect(try output(of: late) == #"s "late""#)
  }

  @Test func `A property is read alone or with all others`() throws {
    let all = try output(
      of: start([
        "call", name(), "/a", "org.freedesktop.DBus.Properties", "GetAll", "s", Self.interface,
      ]))
    #expect(all == #"a{sv} 2 "Text" s "t" "Tip" (sa(iiay)ss) "" 0 "a" "b""#)
    #expect(
      try output(of: start(["get-property", name(), "/a", Self.interface, "Text"])) == #"s "t""#)
  }

  @Test func `A signal has its arguments`() throws {
    let monitor = try rig.start(
      ["dbus-monitor", "--address", address, "type='signal',interface='\(Self.interface)'"],
      package: "dbus-bin")
    try awaitTrue("the monitor") { try isMonitored(monitor) }
    try connection.emit(
      "Changed", of: Self.interface, at: "/a",
      [.string("x"), .array(of: "(is)", [.structure([.int32(1), .string("y")])])])
    let pulse = try loop.timer(on: .monotonic) {}
    pulse.arm(atUsec: 0)
    try loop.runIteration()
    try monitor.lines.next("the string") { $0.contains(#"string "x""#) }
    try monitor.lines.next("the structure") { $0.contains(#"string "y""#) }
  }

  /// dbus-monitor prints a line when it has become a monitor.
  private func isMonitored(_ monitor: ChildProcess) throws -> Bool {
    monitor.lines.all.contains { $0.contains("NameAcquired") || $0.contains("NameLost") }
  }

  @Test func `The object is released with the connection`() throws {
    let path = "/b"
    weak var memory: Memory?
    do {
      let other = Memory()
      memory = other
      try connection.add(Self.object(other), at: path)
    }
    #expect(memory != nil)
    connection.close()
    let pulse = try loop.timer(on: .monotonic) {}
    while memory != nil {
      pulse.arm(atUsec: 0)
      try loop.runIteration()
    }
    #expect(memory == nil)
  }
}
