import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A bridge passes on what a newer daemon says, also the fields that it does not know.
@Suite(.blocking) struct BridgeFieldTests {
  private static let field = JSONValue.Member("colour", ["of": "a newer daemon"])

  /// A value of which each object has a field more.
  private static func marked(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      .object(
        members.map { member in
          // What the user stored is no structure of the interface.
          let isOwn = ["labels", "data"].contains(member.key)
          return isOwn ? member : .init(member.key, marked(member.value))
        } + [field])
    case .array(let elements): .array(elements.map(marked))
    case .null, .bool, .integer, .double, .string: value
    }
  }

  /// The replies of a daemon to a watch, to `Events` and to `Status`.
  private static func record(
    _ daemon: DaemonProcess
  ) throws -> (watch: [VarlinkReply], events: [VarlinkReply], status: JSONValue) {
    let band = #"{"name":"soon","remaining_usec":1}"#
    let started = try daemon.rawSocket().call(
      "Start", #"{"name":"tea","duration_usec":3600000000,"bands":[\#(band)]}"#)
    #expect(started.error == nil, "\(started)")
    func stream(_ method: String, _ parameters: String, _ count: Int) throws -> [VarlinkReply] {
      let call = RawSocket.text(method, parameters, #","more":true"#)
      return try daemon.rawSocket().exchange(Array(call.utf8) + [0], replies: count)
    }
    return (
      try stream("Watch", "{}", 2), try stream("Events", #"{"after":0}"#, 1),
      try daemon.rawSocket().call("Status", "{}").parameters
    )
  }

  @Test func `Timers, events and the status of a newer daemon keep their fields`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let (watch, events, status) = try Self.record(laptop.daemon)
    try rig.awaitMirror(of: "laptop", on: desktop)
    laptop.daemon.process.kill()
    unlink(laptop.daemon.options.socketPath)
    let published = try rig.follow("nightjar/alex/laptop/event")
    let newer = try FakeDaemon(path: laptop.daemon.options.socketPath) { request in
      switch request.method {
      case "Status": [.reply(Self.marked(status))]
      case "Watch" where request.parameters["after"] != nil:
        [.error("LedgerChanged", ["ledger": "newer"])]
      case "Watch":
        (watch + events).map { reply in
          var json = Self.marked(reply.parameters)
          if json["event"] != nil, let timer = watch[0].parameters["timer"] {
            json = .object((json.objectValue ?? []) + [.init("timer", Self.marked(timer))])
          }
          return .reply(json, continues: true)
        }
      case "Events": events.map { .reply(Self.marked($0.parameters), continues: true) }
      case "Get": [.reply(Self.marked(["timer": watch[0].parameters["timer"] ?? [:]]))]
      default: [.reply(["hold": 1], continues: true)]
      }
    }
    defer { newer.stop() }
    try published.lines.next("the event") { $0.contains(#""colour""#) }
    let socket = try RawSocket(path: BridgePaths.device("laptop", in: desktop.folder))
    try awaitTrue("the timer has no field more") {
      let timer = try socket.call("Get", #"{"name":"tea"}"#).parameters["timer"]
      return timer?["colour"] == Self.field.value
        && timer?["bands"]?.arrayValue?.first?["colour"] == Self.field.value
    }
    #expect(try socket.call("Status", "{}").parameters["colour"] == Self.field.value)
    for words in [["list"], ["show", "tea"], ["status"], ["events"]] {
      let (end, output) = try rig.nightjar(["@laptop"] + words + ["--json"], on: desktop)
      #expect(
        end == .exited(0) && output.contains(#""colour":{"of":"a newer daemon""#), "\(output)")
    }
  }
}
