import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Alarms, stopwatches, sequences, repeats and bands, over the socket.
@Suite(.blocking) struct KindTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func start(_ name: String, _ kind: NewTimer) throws -> Wire.Timer {
    try client.timer(.start(Wire.Start(name: name, kind)))
  }

  @Test func `A running timer of each kind is the same after a crash`() throws {
    var steps = [Wire.Step("work", for: .microseconds(hour))]
    steps.append(
      .init("rest", for: .microseconds(hour), isBreak: true, long: .microseconds(2 * hour)))
    var tea = Wire.Start(name: "tea", .repeating(.microseconds(hour), rounds: 0))
    tea.bands = [
      Wire.Band("warn", remaining: .microseconds(60 * second), color: "#f00", text: "soon")
    ]
    tea.fireWithinUsec = second
    tea.missed = "each"
    _ = try client.timer(.start(tea))
    _ = try start("wake", .calendar("Mon..Fri 07:00 UTC", zone: nil, rounds: 3))
    _ = try start("once", .alarm(at: WallTime(usec: Now.realtimeUsec + hour)))
    _ = try start("run", .stopwatch)
    _ = try client.timer(.perform(.lap, name: "run"))
    _ = try client.timer(.perform(.pause, name: "run"))
    _ = try start("pomodoro", .sequence(.init(steps: steps, rounds: 0, longEvery: 4)))
    let names = ["tea", "wake", "once", "run", "pomodoro"]
    let before = try names.map { try Self.fixed(try client.call(.get(name: $0))) }
    try daemon.crash()
    let again = try rig.daemon().connect()
    for (name, old) in zip(names, before) {
      let new = try Self.fixed(try again.call(.get(name: name)))
      #expect(new == old, "\(new.text) after \(old.text)")
    }
  }

  /// The fields that do not change as time passes. The wall-clock deadline of an `elapsed` timer,
  /// and the time since which a timer is paused, are estimates: two readings of the clocks differ
  /// by microseconds.
  private static func fixed(_ reply: JSONValue) throws -> JSONValue {
    let members = try #require(reply["timer"]?.objectValue)
    var passing: Set = ["remaining_usec", "elapsed_usec", "progress", "paused_since_usec"]
    if members.contains(where: { $0.key == "deadline_boottime_usec" }) {
      passing.insert("deadline_usec")
    }
    return .object(members.filter { !passing.contains($0.key) })
  }
}
