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

  @Test func `Timers, events and the status of a newer daemon keep their fields`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let client = try laptop.daemon.connect()
    var tea = Wire.Start(name: "tea", .countdown(.seconds(3600)))
    tea.bands = [Wire.Band("soon", remaining: .seconds(1))]
    _ = try client.timer(.start(tea))
    let status = try client.call(.status(), deadline: .after(usec: 90 * second))
    let stream = try laptop.daemon.watch()
    let watch = [try stream.expectNext(), try stream.expectNext()]
    let events = [try laptop.daemon.events(after: 0).expectNext()]
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
          var json = Self.marked(reply)
          if json["event"] != nil, let timer = watch[0]["timer"] {
            json = .object((json.objectValue ?? []) + [.init("timer", Self.marked(timer))])
          }
          return .reply(json, continues: true)
        }
      case "Events": events.map { .reply(Self.marked($0), continues: true) }
      case "Get": [.reply(Self.marked(["timer": watch[0]["timer"] ?? [:]]))]
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
    for words in ["list", "show tea", "status", "events"] {
      let output = try rig.said("@laptop \(words) --json", on: desktop)
      #expect(output.contains(#""colour":{"of":"a newer daemon""#), "\(output)")
    }
  }
}
