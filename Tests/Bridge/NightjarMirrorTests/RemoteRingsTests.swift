import NightjarTestSupport
import Testing

/// When one machine rings for another, according to the rules in DESIGN.
@Suite struct RemoteRingsTests {
  /// Plays a script, and compares what happens here, with semicolons between. In a table, the
  /// promise stands above the script.
  private func play(
    _ script: String, ahead seconds: Int64 = -1, _ outcome: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    var scene = RemoteRingsScene(ahead: seconds)
    scene.play(script)
    #expect(scene.log.joined(separator: "; ") == outcome, "\(script)", sourceLocation: location)
  }

  // MARK: - Where the owner does not ring

  @Test(
    arguments: Row.table(
      #"""
      // A machine rings for a sleeping owner exactly at the deadline.
      owner asleep, tea in 60, wait 3660 => 60 tea 1 rings: asleep
      // A machine rings at once for an owner that the broker has lost.
      tea in 60, owner offline, wait 60 => 60 tea 1 rings: offline
      // A machine rings for an owner whose daemon does not answer, as for one offline.
      tea in 60, owner daemonless unable, wait 59, shown, wait 1, shown, dismiss, shown => \#
      59 not shown; 60 tea 1 rings: noDaemon; 60 shown as on; 60 1 ends; 60 shown as dismissed
      // A ring that its owner published can be answered here while the owner is away.
      owner online no, tea in 60, wait 60, rang, shown, owner asleep, shown, owner offline, \#
      shown, owner daemonless, shown => 60 tea 1 rings: elsewhere; 60 not shown; \#
      60 shown as on; 60 shown as on; 60 shown as on
      // An owner that is online has 5 s to publish that it rang.
      tea in 60, wait 3660 => 65 tea 1 rings: silent
      // No machine rings for an owner that rang in time where the user is.
      tea in 60, wait 60, rang, wait 3600 =>
      // A machine rings for a deadline that passed while it was disconnected after 5 s.
      tea in 60, cut, wait 3660 => 65 tea 1 rings: silent
      // A broker that has lost everything removes no timer of a sleeping owner.
      tea in 60, owner asleep, cut, reconnect to nothing, wait 60 => 60 tea 1 rings: offline
      // After a sleep of its own a machine first learns what has happened.
      tea in 60, wait 0, cut, sleep 120, rang, reconnect, wait 3600 =>
      """#))
  func `A machine rings where the owner does not`(row: Row) { play(row[0], row[1]) }

  // MARK: - What it shows of them

  private static let answered =
    "tea in 60, owner asleep, wait 59, shown, wait 1, shown, snooze 30, shown, wait 30, shown, "
    + "dismiss, shown"

  @Test(
    arguments: Row.table(
      #"""
      // A ring is shown as on where it rings.
      \#(answered) => 59 not shown; 60 tea 1 rings: asleep; 60 shown as on; 60 1 ends; \#
      60 shown as snoozed; 90 tea 1 rings: asleep; 90 shown as on; 90 1 ends; \#
      90 shown as dismissed
      // A ring is shown as due elsewhere.
      here unable, \#(answered) => 59 not shown; 60 shown as due; 60 shown as snoozed; \#
      90 shown as due; 90 shown as dismissed
      // No ring is shown as due for an awake owner, or for a clock that only the owner has.
      here unable, tea in 60, wait 60, shown, tea in 60 awake, owner asleep, wait 60, \#
      shown => 60 not shown; 120 not shown
      // By a clock that is not synchronised nothing is due; an answer counts by any clock.
      here unable, tea in 60, owner asleep unsynchronised, wait 60, shown, snooze 30, \#
      wait 30, shown => 60 not shown; 90 shown as snoozed
      """#))
  func `The ring of another machine is shown`(row: Row) { play(row[0], row[1]) }

  // MARK: - Where the person is

  @Test(
    arguments: [
      // Owner active, owner can ring, here active, a third machine active; rings.
      ("no", true, "yes", "no", true), ("no", true, "no", "no", true),
      ("no", true, "unknown", "unknown", true), ("no", true, "no", "yes", false),
      ("no", true, "yes", "yes", true), ("yes", false, "yes", "no", true),
      ("yes", false, "no", "no", true), ("yes", false, "no", "yes", false),
      ("yes", true, "yes", "yes", false), ("unknown", true, "yes", "no", false),
      ("unknown", false, "yes", "no", true),
    ] as [(String, Bool, String, String, Bool)])
  func `For an owner that rings unnoticed, the machine with the user rings, or every machine`(
    owner: String, canRing: Bool, here: String, third: String, rings: Bool
  ) {
    for rang in ["pass 60, rang", "wait 60, rang"] {
      // A dismissal at the owner ends the ring here.
      play(
        "here \(here), owner online \(owner)\(canRing ? "" : " unable"), third \(third), "
          + "tea in 60, \(rang), wait 0, gone",
        rings ? "60 tea 1 rings: elsewhere; 60 1 ends" : "")
    }
  }

  @Test(
    arguments: [
      ("yes", "unseen unheard", 64), ("unknown", "unseen unheard", 64),
      // Another machine sees the user. What the owner can show is noticed there.
      ("unknown, third yes", "unseen unheard", nil), ("yes", "unheard", 65),
    ] as [(String, String, Int?)])
  func `A ring that its owner finds unnoticed rings here once, unless the user is elsewhere`(
    here: String, lacks: String, second: Int?
  ) {
    play(
      "here \(here), tea in 60, wait 60, rang, wait 4, lacks \(lacks), wait 1, "
        + "lacks unseen unheard, wait 60, gone",
      second.map { "\($0) tea 1 rings: elsewhere; 125 1 ends" } ?? "")
  }

  @Test(
    arguments: Row.table(
      #"""
      // A machine that can neither show nor play a ring checks again soon, until it can.
      here unable, owner asleep, tea in 60, wait 60, here able, wait 60 => \#
      65 tea 1 rings: asleep
      // A machine that cannot ring yet rings along with its owner as soon as it can, and once.
      here unable, owner online unable, tea in 60, wait 60, rang, wait 0, here able, \#
      wait 65, gone => 65 tea 1 rings: elsewhere; 125 1 ends
      """#))
  func `A machine rings as soon as it can`(row: Row) { play(row[0], row[1]) }

  // MARK: - What is not rung for

  @Test(arguments: ["awake", "present"])
  func `Time that passes only while the owner is awake does not pass elsewhere`(clock: String) {
    for state in ["asleep", "offline", "daemonless", "online"] {
      play("owner \(state), tea in 60 \(clock), wait 120", "")
    }
    // The owner is awake, and the user is not there. Before it rings, its value may be older than
    // its last sleep.
    play("owner online no, tea in 60 \(clock), wait 66, rang", "66 tea 1 rings: elsewhere")
    // A snooze is in real time.
    play(
      "owner asleep, tea in 1 \(clock), wait 1, rang, snoozed 60, wait 60",
      "61 tea 1 rings: asleep")
  }

  @Test(arguments: [("", 600), ("unlate", 10), ("60", 60), ("3600", 600)])
  func `A ring that is over 10 minutes late, or later than its timer allows, is missed`(
    limit: String, seconds: Int
  ) {
    play("owner asleep, tea in -\(seconds) \(limit), wait 3600", "0 tea 1 rings: asleep")
    play("owner asleep, tea in -\(seconds + 1) \(limit), wait 3600", "0 tea is missed")
    play(
      "owner asleep, tea in -\(seconds + 1) \(limit), egg in -\(seconds) \(limit), wait 3600",
      "0 tea is missed; 0 egg 1 rings: asleep")
  }

  @Test(arguments: ["stopwatch", "paused", "away", "waiting", "skipped"])
  func `A stopwatch, a paused or stopped timer and a skipped expiry do not ring`(what: String) {
    play("owner asleep, tea in 60 \(what), wait 61", "")
  }

  // MARK: - Once

  @Test(
    arguments: Row.table(
      #"""
      // A repeating timer rings once, and waits for its owner.
      owner asleep, tea in 60 repeated, wait 3600, owner online, rang late 3540 next 60, \#
      owner asleep, wait 60 => 60 tea 1 rings: asleep, and runs on; 3660 1 ends; \#
      3660 tea 2 rings: asleep, and runs on
      // A reconnection and a repeated value do not ring twice, and a deadline that moved rings.
      owner asleep, tea in 60, wait 60, cut, tea again, reconnect, owner offline, wait 60, \#
      tea in 5 as before, wait 5 => 60 tea 1 rings: asleep; 120 1 ends; 125 tea 1 rings: offline
      // A timer that is removed while it rings here is silent.
      owner offline, tea in 60, wait 60, gone => 60 tea 1 rings: offline; 60 1 ends
      // A timer that is paused while it rings here is silent.
      owner offline, tea in 60, wait 60, tea in 60 paused => 60 tea 1 rings: offline; 60 1 ends
      // The owner's own ring, late, does not end the ring here.
      owner asleep, tea in 60, wait 90, owner online, rang late 30, wait 1, gone => \#
      60 tea 1 rings: asleep; 91 1 ends
      """#))
  func `A deadline rings once`(row: Row) { play(row[0], row[1]) }

  // MARK: - Answers

  @Test(
    arguments: Row.table(
      #"""
      // A ring that was dismissed on any machine ends.
      owner asleep, tea in 60, wait 60, dismiss, wait 3600 => 60 tea 1 rings: asleep; 60 1 ends
      // A ring that was dismissed before its deadline does not begin.
      owner asleep, tea in 60, dismiss, wait 3600 =>
      // A ring that was dismissed before its timer was known does not begin.
      owner asleep, dismiss due 60, tea in 60, wait 3600 =>
      // A ring that was snoozed on any machine rings again while the owner sleeps.
      owner asleep, tea in 60, wait 60, snooze 540, wait 540, dismiss, wait 3600 => \#
      60 tea 1 rings: asleep; 60 1 ends; 600 tea 1 rings: asleep; 600 1 ends
      // A ring that its owner has on, too, and that is snoozed here while it sleeps, rings again.
      owner online no, tea in 60, wait 60, rang, owner asleep no, snooze 300 of 1, wait 300, \#
      dismiss of 1 => 60 tea 1 rings: elsewhere; 60 1 ends; 360 tea 1 rings: asleep; 360 1 ends
      // A snooze that the owner has adopted rings at the owner's time.
      owner asleep, tea in 60, wait 60, snooze 540, owner online, rang, snoozed 540, \#
      wait 540, sounds, wait 60 => 60 tea 1 rings: asleep; 60 1 ends
      // A snooze of the owner's own ends here while the owner sleeps.
      tea in 60, wait 60, rang, snoozed 300, owner asleep, wait 300, dismiss of 1, \#
      shown => 360 tea 1 rings: asleep; 360 1 ends; 360 shown as dismissed
      // An expiry that is due before the end of a snooze joins it, and an answer names it.
      tea in 60 repeated, wait 60, rang next 200, snoozed 300, owner asleep, wait 400, \#
      dismiss of 2, shown, wait 3600 => 360 tea 2 rings: asleep, and runs on; 460 2 ends; \#
      460 shown as dismissed
      // An expiry that is due after the end of a snooze rings itself, and an answer ends both.
      tea in 60 repeated, wait 60, rang next 400, snoozed 300, owner asleep, wait 400, \#
      dismiss of 2, shown, wait 3600 => 360 tea 1 rings: asleep, and runs on; 460 1 ends; \#
      460 tea 2 rings: asleep, and runs on; 460 2 ends; 460 shown as dismissed
      // A change that leaves the deadline alone neither ends a ring nor begins one; another does.
      owner offline, tea in 60, wait 60, tea in 0 red, dismiss, tea in 0, wait 60, \#
      tea in 60, wait 60 => 60 tea 1 rings: offline; 60 1 ends; 180 tea 1 rings: offline
      // An insist and a ring that an undo brought back do not ring here.
      tea in 60, wait 60, rang, owner online no, wait 60, sounds 1, gone, changed, wait 60 =>
      // An answer that was undone is none.
      tea in 60, wait 60, rang, snoozed 300, dismiss of 1, owner asleep, shown, wait 1, \#
      undo of 1, shown, wait 299 => 60 shown as dismissed; 61 not shown; 360 tea 1 rings: asleep
      """#))
  func `An answer counts on each machine`(row: Row) { play(row[0], row[1]) }

  // MARK: - Clocks

  @Test(arguments: [-1, 0, 1] as [Int64])
  func `Whichever of two synchronised clocks is ahead, a ring is not early, and up to 2 s late`(
    ahead: Int64
  ) {
    play("owner asleep, tea in 60, wait 99", ahead: ahead, "\(61 + ahead) tea 1 rings: asleep")
  }

  @Test(
    arguments: [
      ("online", "elsewhere"), ("asleep", "asleep"), ("offline", "offline"),
      ("daemonless", "noDaemon"),
    ])
  func `A machine rings for others only while its clock and the owner's are synchronised`(
    state: String, reason: String
  ) {
    for (owner, here) in [
      ("", "here unsynchronised"), (" unsynchronised", "here synchronised"),
      (" unsynchronised", "here unsynchronised"), (" unsure", "here synchronised"),
      ("", "here unsure"),
    ] {
      var scene = RemoteRingsScene()
      scene.play("\(here), owner \(state) no\(owner), tea in 60, wait 120")
      #expect(scene.log == [] && !scene.isWaiting, "\(here), owner\(owner)")
      // It rings late, as soon as both are synchronised.
      scene.play("here synchronised, owner \(state) no")
      #expect(scene.log == ["120 tea 1 rings: \(reason)"], "\(here), owner\(owner)")
    }
  }

  @Test(arguments: [true, false])
  func `A ring that is published by a wrong clock neither rings nor is snoozed here`(
    isSynchronized: Bool
  ) {
    var scene = RemoteRingsScene()
    scene.play(
      "owner online no\(isSynchronized ? "" : " unsynchronised"), tea in 60, pass 60, rang")
    #expect(scene.log == (isSynchronized ? ["60 tea 1 rings: elsewhere"] : []))
    #expect(scene.canAnswer(snoozes: true) == isSynchronized)
    #expect(scene.canAnswer(snoozes: false))
  }
}
