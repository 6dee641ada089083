import NightjarTestSupport
import Testing
import Varlink

/// The user's presence as a real logind reports it for graphical sessions, and its effect on the
/// clock present.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct AwayTests {
  private let host: Host

  init() throws {
    host = try Host()
    try host.user("systemctl --user start nightjar.service")
  }

  // MARK: A desktop

  private func logIn(_ desk: String = "desk") throws { try host.root(Desktop(unit: desk).logIn) }

  private func hint(_ hint: String, _ value: Bool, of desk: String = "desk") throws {
    try host.root(Desktop(unit: desk).hint(hint, value))
  }

  private func awaitPresence(seen: Bool, away: Bool = false) throws {
    try host.awaitUser(
      "nightjar status --json | grep -q '\"presence\":{\"seen\":\(seen),\"away\":\(away)'")
  }

  // MARK: The ledger

  private func time(_ event: JSONValue?) throws -> Int64 {
    try #require(event?["time_usec"]?.integerValue)
  }

  /// The accuracy of a test: each signal of logind has the time at which the daemon receives it.
  private let tolerance = 50 * millisecond

  /// Pauses a timer that was started with an hour.
  ///
  /// - Returns: how long it ran by the wall clock, and how much of that it counted.
  private func pause(_ name: String) throws -> (ran: Int64, counted: Int64) {
    try host.user("nightjar pause \(name)")
    let events = try host.nightjar("events").compactMap { $0["event"] }
      .filter { $0["name"]?.stringValue == name }
    let started = try time(events.last { $0["type"] == "started" })
    let paused = try #require(events.last { $0["type"] == "paused" })
    let left = try #require(paused["remaining_usec"]?.integerValue)
    return (try time(paused) - started, hour - left)
  }

  @Test(arguments: ["Locked", "Idle"])
  func `A focus sequence pauses when the session is locked or idle, and then continues`(
    _ name: String
  ) async throws {
    try logIn()
    try awaitPresence(seen: true)
    try host.user("nightjar sequence focus work=5s rest=1h --clock present")
    try hint(name, true)
    try host.awaitEvent(type: "did_enter_background")
    #expect(try host.status()["presence"]?["away"] == true)
    #expect(try host.timer("focus")["away"] == true)
    #expect(try host.user("nightjar list").contains("locked or idle"))
    await elapse(seconds: 6)
    #expect(try host.timer("focus")["step"]?["name"] == "work")
    try hint(name, false)
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["away"])
    let elapsed = try #require(span["elapsed_usec"]?.integerValue)
    #expect(elapsed >= 6 * second)
    #expect(try host.timer("focus")["away"] == nil)
    let rang = try host.awaitEvent(type: "rang")
    let started = try time(host.events("started").last)
    let lateUsec = rang["late_usec"]?.integerValue ?? 0
    #expect(abs(try time(rang) - lateUsec - started - 5 * second - elapsed) < tolerance)
    #expect(try host.user("nightjar why focus").contains("(not counted: present)"))
  }

  @Test func `A suspend and the lock around it are left out once`() async throws {
    try logIn()
    try awaitPresence(seen: true)
    try host.user("nightjar start focus 1h --clock present")
    try host.user("nightjar start tea 1h")
    // As desktops do when the lid is closed: they lock, and logind suspends.
    try hint("Locked", true)
    try awaitPresence(seen: true, away: true)
    try host.root("systemctl suspend")
    let slept = try host.awaitLeft(2)
    #expect(slept["causes"] == ["sleep"])
    await elapse(seconds: 1)
    try hint("Locked", false)
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["away"])
    let (sleep, absence) = (
      try #require(slept["elapsed_usec"]?.integerValue),
      try #require(span["elapsed_usec"]?.integerValue)
    )
    #expect(sleep >= 2 * second && absence >= sleep + second)
    let (ran, counted) = try pause("focus")
    #expect(abs(ran - absence - counted) < tolerance)
    // The other clocks are not affected.
    let tea = try host.timer("tea")
    let started = try #require(tea["started_usec"]?.integerValue)
    let deadline = try #require(tea["deadline_usec"]?.integerValue)
    #expect(abs(deadline - started - hour) < millisecond)
    #expect(!(try host.user("nightjar why tea").contains("locked or idle")))
  }

  @Test func `The user is present while one of several desktops is in use`() throws {
    try logIn()
    try logIn("desk2")
    try awaitPresence(seen: true)
    try hint("Locked", true)
    try host.user("nightjar start focus 1h --clock present")
    #expect(try host.timer("focus")["away"] == nil)
    try hint("Idle", true, of: "desk2")
    try awaitPresence(seen: true, away: true)
    // The session that is in use ends: only the locked one is left, and later none.
    try hint("Idle", false, of: "desk2")
    try awaitPresence(seen: true)
    try host.root("systemctl stop desk2")
    try awaitPresence(seen: true, away: true)
    try host.root("systemctl stop desk")
    try awaitPresence(seen: false)
    #expect(try host.timer("focus")["away"] == nil)
    _ = try host.awaitLeft(2)
    #expect(try host.spans().map { $0["causes"] } == [["away"], ["away"]])
  }

  @Test func `A daemon killed in an absence asks logind, which may forget`() async throws {
    try logIn()
    try awaitPresence(seen: true)
    try host.user("nightjar start focus 1h --clock present")
    try hint("Locked", true)
    try host.awaitEvent(type: "did_enter_background")
    try host.root("kill -KILL \(host.mainPid())")
    await elapse(seconds: 2)
    try host.user("systemctl --user start nightjar.service")
    try awaitPresence(seen: true, away: true)
    #expect(try host.timer("focus")["away"] == true)
    let restarted = Now.boottimeUsec
    // logind loses hints in its own restart: the session then counts as in use until the desktop
    // locks it again.
    try host.root("systemctl restart systemd-logind")
    try awaitPresence(seen: true, away: false)
    #expect(try host.awaitLeft(1)["causes"] == ["away"])
    let (ran, counted) = try pause("focus")
    #expect(ran > 2 * second && counted < Now.boottimeUsec - restarted + second)
  }

  @Test func `Without a graphical session present counts like awake, and says so`() async throws {
    // Not seen is also what the daemon has not asked yet.
    try host.awaitUser("nightjar status | grep -q 'no graphical session'")
    try awaitPresence(seen: false)
    let answer = try host.user("nightjar start focus 1h --clock present")
    #expect(answer.contains("no graphical session") && answer.contains("counts like awake"))
    #expect(try host.user("nightjar status").contains("counts like awake"))
    #expect(try host.userRun("nightjar doctor").output.contains("counts like awake"))
    await elapse(seconds: 1)
    let (ran, counted) = try pause("focus")
    #expect(abs(ran - counted) < tolerance)
    #expect(try host.events("did_enter_background").isEmpty)
  }
}
