import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

/// The calls that the command line of 5ae14e9 sent, byte for byte, and the replies it got then.
@Suite(.blocking) struct OldClientTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  /// Fields with times, and those that depend on the process or the machine.
  private static let varying: Set<String> = [
    "remaining_usec", "elapsed_usec", "progress", "deadline_usec", "deadline_boottime_usec",
    "started_usec", "fired_usec", "fired_ago_usec", "late_usec", "time_usec", "laps", "next_usec",
    "foreground_since_usec", "realtime_usec", "boottime_usec", "monotonic_usec", "boot_id", "pid",
    "version", "clock_synchronized", "longest_pass_usec", "ledger", "state_directory",
    "schema_version", "clients", "watchers", "reason",
  ]

  private static func mayVary(_ field: String, in object: JSONValue) -> Bool {
    // The duration of an alarm is the time from its start to its deadline.
    varying.contains(field) || field == "duration_usec" && object["kind"] == "alarm"
  }

  @Test func `Every call of a client of 5ae14e9 is answered as its own daemon answered it`() throws
  {
    // A busy machine rings late, and the reply says why. Newer versions have added counters to
    // events, the user's presence to the status, and the number of the last event to timers.
    let comparison = ReplyComparison(
      added: ["late_cause", "counters", "presence", "seq"], mayVary: Self.mayVary)
    let recording = try Recording("traffic")
    var (calls, replies) = (0, 0)
    for exchange in recording.exchanges {
      for messages in exchange.connections {
        let socket = try daemon.rawSocket()
        for message in messages {
          switch message {
          case .call(let text):
            try socket.send(frame: try inThisLedger(text))
            calls += 1
          case .reply(let text):
            let frame = try #require(try socket.frame(within: 60), "\(exchange.command)")
            let found = comparison.differences(
              try JSONValue.parse(text), try JSONValue.parse(frame), at: exchange.command)
            #expect(found == [])
            replies += 1
          }
        }
      }
    }
    #expect(calls > 80 && replies > calls)
  }

  /// The call with the name of this daemon's ledger in place of the recorded one.
  private func inThisLedger(_ call: String) throws -> String {
    guard let name = try JSONValue.parse(call)["parameters"]?["ledger"]?.stringValue else {
      return call
    }
    return call.replacing(name, with: try daemon.status().storage.ledger ?? "")
  }

  @Test func `What an old client would miss in a reply is reported with its place`() throws {
    let comparison = ReplyComparison(added: ["new"]) { field, _ in field == "at" }
    func differences(_ old: String, _ new: String) throws -> [String] {
      comparison.differences(try JSONValue.parse(old), try JSONValue.parse(new))
    }
    let old = #"{"timer":{"id":1,"at":2,"laps":[1,2],"name":"tea"}}"#
    #expect(try differences(old, old.replacing("\"at\":2", with: "\"at\":3,\"new\":1")) == [])
    #expect(try differences(old, old.replacing("\"id\":1,", with: "")) == [".timer.id is gone"])
    #expect(
      try differences(old, old.replacing("\"at\":2", with: "\"at\":\"2\""))
        == [".timer.at was 2 and is of another type: \"2\""])
    #expect(
      try differences(old, old.replacing("[1,2]", with: "[1]"))
        == [".timer.laps had 2 elements and has 1"])
    #expect(
      try differences(old, old.replacing("[1,2]", with: "[1,3]"))
        == [".timer.laps[1] was 2 and is 3"])
    #expect(
      try differences(old, old.replacing("\"id\"", with: "\"sound\":1,\"id\""))
        == [".timer.sound is new"])
  }
}
