import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// Sleeps of a machine that really sleeps, and steps of its wall clock.
  @Suite(.blocking, .inGuest) struct SuspendTests {
    private let guest: Guest

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    /// Starts a timer on each clock; their names are `PREFIX/elapsed`, ….
    private func startOneOnEachClock(_ prefix: String, _ duration: String) throws {
      let starts = ["elapsed", "awake", "wall"].map {
        "nightjar start \(prefix)/\($0) \(duration) --clock \($0)"
      }
      try guest.user(starts.joined(separator: " && "))
    }

    /// The two commands of a reading, each a process in an emulated machine, run at different
    /// moments.
    private let readingUsec = 1500 * millisecond

    /// Expects the clocks and the ledger after `spans` sleeps, without anything else, and without a
    /// step of the wall clock.
    private func expectSleeps(
      _ sleeps: [Guest.Sleep], _ before: GuestReading, _ after: GuestReading
    ) throws {
      let slept = after.sleptUsec - before.sleptUsec
      let spans = sleeps.count
      // The guest's clock stops before QEMU tells of a sleep and runs again after it, on a busy
      // machine some seconds. Its battery clock, from which its kernel learns how long it slept,
      // has a resolution of a second.
      let resolution = Int64(spans) * second
      let least = sleeps.reduce(0) { $0 + $1.lengthUsec } - resolution
      let most = sleeps.reduce(0) { $0 + $1.commandUsec } + resolution
      #expect((least...most).contains(slept))
      let events = try guest.events(after: before.status.storage.lastSeq)
      let machine = events.filter { $0.name == nil }
      #expect(
        machine.map(\.type)
          == (0..<spans).flatMap { _ in ["did_enter_background", "will_enter_foreground"] })
      let left = machine.filter { $0.type == "will_enter_foreground" }.compactMap(\.span)
      #expect(left.map(\.causes) == Array(repeating: ["sleep"], count: spans))
      // From the announcement of a sleep to its reported end: longer than the sleep, by the time
      // for both.
      let hidden = left.reduce(0) { $0 + $1.elapsedUsec }
      #expect((-millisecond..<Int64(spans) * 10 * second).contains(hidden - slept))
      #expect(left.allSatisfy { !$0.estimated })
      #expect(after.status.openSpan == nil && after.status.warning == nil)
      #expect(after.status.sleep.inhibitor)
    }

    /// The effect of a sleep on a running timer on each clock. The deadlines show it to the
    /// millisecond, because they do not depend on the moment of the reading; the remaining time is
    /// what a user sees.
    private func expectTimers(_ prefix: String, _ before: GuestReading, _ after: GuestReading)
      throws
    {
      let slept = after.sleptUsec - before.sleptUsec
      let elapsed = (try before.timer("\(prefix)/elapsed"), try after.timer("\(prefix)/elapsed"))
      let awake = (try before.timer("\(prefix)/awake"), try after.timer("\(prefix)/awake"))
      let wall = (try before.timer("\(prefix)/wall"), try after.timer("\(prefix)/wall"))
      for (known, seen) in [elapsed, awake, wall] {
        #expect(seen.id == known.id && seen.state == .running)
      }

      let boottime = try #require(elapsed.0.deadlineBoottimeUsec)
      #expect(abs(try #require(elapsed.1.deadlineBoottimeUsec) - boottime) < millisecond)
      let point = try #require(wall.0.deadlineUsec)
      #expect(abs(try #require(wall.1.deadlineUsec) - point) < millisecond)
      let later = try #require(awake.1.deadlineUsec) - #require(awake.0.deadlineUsec)
      #expect(abs(later - slept) < 5 * millisecond)

      let passed = (
        elapsed: after.clocks.boottimeUsec - before.clocks.boottimeUsec,
        awake: after.clocks.monotonicUsec - before.clocks.monotonicUsec,
        wall: after.clocks.realtimeUsec - before.clocks.realtimeUsec
      )
      func less(_ pair: (Wire.Timer, Wire.Timer)) -> Int64 {
        pair.0.remainingUsec - pair.1.remainingUsec
      }
      #expect(abs(less(elapsed) - passed.elapsed) < readingUsec)
      #expect(abs(less(awake) - passed.awake) < readingUsec)
      #expect(abs(less(wall) - passed.wall) < readingUsec)
    }

    // MARK: Sleep

    @Test func `A suspend takes its length off elapsed and wall timers, and nothing off awake`()
      async throws
    {
      try startOneOnEachClock("tea", "1h")
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: 8)
      let after = try guest.reading()
      report("systemctl suspend, woken from outside after 8 s", from: before, to: after)
      try expectSleeps([sleep], before, after)
      try expectTimers("tea", before, after)
    }

    @Test func `A sleep without an announcement does the same`() throws {
      try startOneOnEachClock("tea", "1h")
      let before = try guest.reading()
      let sleep = try guest.sleepUntilAlarm(seconds: 8)
      let after = try guest.reading()
      report("rtcwake --mode mem --seconds 8", from: before, to: after)
      try expectSleeps([sleep], before, after)
      try expectTimers("tea", before, after)
    }

    @Test func `Two sleeps, one right after the other, are two spans, and both count`() async throws
    {
      try startOneOnEachClock("tea", "1h")
      let before = try guest.reading()
      let sleeps = [try await guest.suspend(seconds: 4), try await guest.suspend(seconds: 5)]
      let after = try guest.reading()
      report("systemctl suspend, 4 s, and again, 5 s", from: before, to: after)
      try expectSleeps(sleeps, before, after)
      try expectTimers("tea", before, after)
    }

    @Test(arguments: [true, false])
    func `A timer that expires in a sleep fires within a second of waking, and says how late`(
      isAnnounced: Bool
    ) async throws {
      try startOneOnEachClock("tea", "1h")
      let before = try guest.reading()
      // An emulated machine takes some seconds to fall asleep, which count for the `awake` timer.
      try guest.user(
        "nightjar start egg/elapsed 6s && nightjar start egg/wall 6s --clock wall"
          + " && nightjar start egg/awake 16s --clock awake")
      let sleep =
        if isAnnounced {
          try await guest.suspend(seconds: 9)
        } else {
          try guest.sleepUntilAlarm(seconds: 9)
        }
      try guest.user("nightjar wait egg/elapsed --timeout 30s")
      try guest.user("nightjar wait egg/wall --timeout 30s")
      try guest.user("nightjar wait egg/awake --timeout 30s")
      let after = try guest.reading()
      report(
        "6 s timers, \(isAnnounced ? "systemctl suspend" : "rtcwake") for 9 s;"
          + " back from sleep at \(seconds(sleep.wokenUsec))", from: before, to: after)
      for name in ["egg/elapsed", "egg/wall"] {
        let egg = try after.timer(name)
        let rangUsec = try #require(egg.openRing?.rangUsec)
        let lateUsec = try #require(egg.openRing?.lateUsec)
        #expect(egg.state == .over && egg.openRing?.lateCause == "sleep")
        #expect(abs(rangUsec - sleep.wokenUsec) < second)
        #expect(abs(rangUsec - egg.startedUsec - 6 * second - lateUsec) < 10 * millisecond)
        #expect(lateUsec > second)
        print("  \(name) rang \(seconds(rangUsec - sleep.wokenUsec, signed: true)) after waking")
      }
      // The `awake` timer had time left, and was not late because of the sleep. An emulated machine
      // may be late by itself, and that is reported.
      let nap = try after.timer("egg/awake")
      let napLateUsec = try #require(nap.openRing?.lateUsec)
      #expect(nap.state == .over && napLateUsec < second)
      #expect(nap.openRing?.lateCause == (napLateUsec > 10 * millisecond ? "busy" : nil))
      let slept = after.sleptUsec - before.sleptUsec
      let awake = try #require(nap.openRing?.rangUsec) - nap.startedUsec - slept
      #expect(abs(awake - 16 * second) < second)
      try expectTimers("tea", before, after)
    }

    /// The orders of a kill of the daemon and a sleep.
    enum KillOrder: CaseIterable {
      /// Killed, then asleep. The manager may see the end before or after the sleep.
      case killedFirst
      /// The same, but the manager is stopped, so that it sees the end only after the sleep.
      case seenLast
      /// Asleep, then killed before the daemon could notice the sleep.
      case asleepFirst
      /// Killed, then asleep twice before the manager sees the end.
      case asleepTwice
    }

    @Test(arguments: KillOrder.allCases)
    func `A sleep around a kill counts as sleep, whatever came first`(_ order: KillOrder) throws {
      let daemon = try guest.user("systemctl --user show -P MainPID nightjar.service")
      let manager = try guest.root("systemctl show -P MainPID user@$(id -u tester).service")
      try startOneOnEachClock("tea", "1h")
      try guest.user("nightjar sequence focus work=1h rest=5s --after-sleep pause")
      let before = try guest.reading()
      // Most of the time after their deadlines is sleep, even if the machine is slow to fall
      // asleep.
      try guest.user("nightjar start egg/elapsed 8s && nightjar start egg/wall 8s --clock wall")
      let (kill, hold, release) = (
        "kill -KILL \(daemon)", "kill -STOP \(manager)", "kill -CONT \(manager)"
      )
      switch order {
      case .killedFirst: try guest.sleepUntilAlarm(seconds: 16, after: kill)
      case .seenLast:
        try guest.sleepUntilAlarm(seconds: 16, after: "\(hold) && \(kill)", then: release)
      case .asleepFirst:
        try guest.sleepUntilAlarm(seconds: 16, after: "kill -STOP \(daemon)", then: kill)
      case .asleepTwice:
        try guest.sleepUntilAlarm(seconds: 6, after: "\(hold) && \(kill)")
        try guest.sleepUntilAlarm(seconds: 12, then: release)
      }
      try guest.user("nightjar wait egg/elapsed --timeout 60s")
      try guest.user("nightjar wait egg/wall --timeout 60s")
      let after = try guest.reading()
      report("\(order)", from: before, to: after)
      let slept = after.sleptUsec - before.sleptUsec
      let spans = try guest.events(after: before.status.storage.lastSeq).filter {
        $0.type == "will_enter_foreground"
      }.compactMap(\.span)
      #expect(spans.map(\.causes) == [["down", "sleep"]])
      #expect(spans.allSatisfy { !$0.estimated })
      // The rest of the span is the time until the manager has started the next daemon.
      let downUsec = try #require(spans.first).elapsedUsec - slept
      #expect((-10 * millisecond..<20 * second).contains(downUsec), "\(downUsec)")
      for name in ["egg/elapsed", "egg/wall"] {
        let egg = try after.timer(name)
        #expect(egg.state == .over && egg.openRing?.lateCause == "sleep", "\(egg)")
      }
      try expectTimers("tea", before, after)
      #expect(try after.timer("focus").state == .paused)
      let why = try guest.user("nightjar why tea/awake")
      let uncounted = why.firstMatch(of: #/(\d+) s( \d+ ms)? not counted \(awake\)/#)
      let said = try #require(uncounted.flatMap { Int64($0.1) }, "\(why)")
      #expect(abs(said * second - slept) < 2 * second, "\(why)")
    }

    @Test func `A suspend of a machine whose daemon SIGSTOP holds is one span`() async throws {
      try guest.user("nightjar start tea 1h")
      let before = try guest.reading()
      let daemon = try guest.user("systemctl --user show -P MainPID nightjar.service")
      try guest.user("nightjar start egg 2s")
      try guest.root("kill -STOP \(daemon)")
      try await guest.suspend(seconds: 5)
      try guest.root("kill -CONT \(daemon)")
      try guest.user("nightjar wait egg --timeout 30s")
      let after = try guest.reading()
      report("SIGSTOP, systemctl suspend, SIGCONT", from: before, to: after)
      let machine = try guest.events(after: before.status.storage.lastSeq)
        .filter { $0.name == nil && $0.type != "came_due" }
      #expect(machine.map(\.type) == ["did_enter_background", "will_enter_foreground"])
      // logind waits 5 s for the daemon's inhibitor, so a deadline passed before the sleep.
      #expect(machine.last?.span?.causes == ["sleep", "freeze"])
      #expect(after.status.openSpan == nil && after.status.sleep.inhibitor)
    }

    @Test func `An expiry after a snooze that was slept over rings, late by its own time`() throws {
      let (period, limit) = (20 * second, 19 * second)
      try guest.user("nightjar start tick 20s --repeat --late 19s")
      let startedUsec = try guest.reading().timer("tick").startedUsec
      // The end of the snooze is later than the limit after the sleep; the expiry after it is not.
      try guest.user("nightjar wait tick --timeout 60s && nightjar snooze tick 3s")
      let before = try guest.reading()
      try guest.sleepUntilAlarm(seconds: 30)
      try guest.user("nightjar wait tick --timeout 30s")
      let after = try guest.reading()
      report("snoozed for 3 s, rtcwake for 30 s", from: before, to: after)
      let ring = try #require(
        try guest.events(after: before.status.storage.lastSeq)
          .first { ["rang", "did_not_ring"].contains($0.type) && $0.name == "tick" })
      let lateUsec = try #require(ring.lateUsec)
      #expect(ring.type == "rang" && ring.lateCause == "sleep" && lateUsec < limit)
      let offBy = (ring.timeUsec - lateUsec - startedUsec) % period
      #expect(min(offBy, period - offBy) < 10 * millisecond)
    }

    @Test func `A timer that is paused during a sleep keeps its remaining time`() async throws {
      try startOneOnEachClock("tea", "1h")
      try guest.user("nightjar pause tea/…")
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: 5)
      let asleep = try guest.reading()
      report("paused, systemctl suspend for 5 s", from: before, to: asleep)
      try expectSleeps([sleep], before, asleep)
      #expect(asleep.timers.map(\.state) == [.paused, .paused, .paused])
      #expect(asleep.timers.map(\.remainingUsec) == before.timers.map(\.remainingUsec))

      try guest.user("nightjar resume tea/…")
      let after = try guest.reading()
      report("resumed", from: asleep, to: after)
      let passed = after.clocks.boottimeUsec - asleep.clocks.boottimeUsec
      for timer in after.timers {
        #expect(timer.state == .running)
        let less = try asleep.timer(timer.name).remainingUsec - timer.remainingUsec
        #expect((0..<passed + readingUsec).contains(less))
      }
    }

    // MARK: The wall clock

    @Test func `A wall clock set 2 h forward and back moves only countdowns on the wall clock`()
      throws
    {
      try startOneOnEachClock("tea", "5h")
      try guest.user("nightjar start bus 1h --clock wall")
      let before = try guest.reading()
      try guest.root("date --set '2 hours'")
      try guest.user("nightjar wait bus --timeout 30s")
      let ahead = try guest.reading()
      report("date --set '2 hours'", from: before, to: ahead)
      try guest.root("date --set '2 hours ago'")
      let after = try guest.reading()
      report("date --set '2 hours ago'", from: ahead, to: after)

      for (reading, hours) in [(ahead, Int64(2)), (after, 0)] {
        #expect(abs(wallOffset(reading) - wallOffset(before) - hours * hour) < second)
        for name in ["tea/elapsed", "tea/awake"] {
          let passed = reading.clocks.boottimeUsec - before.clocks.boottimeUsec
          let less = try before.timer(name).remainingUsec - reading.timer(name).remainingUsec
          #expect(abs(less - passed) < readingUsec)
        }
        let boottime = try #require(try before.timer("tea/elapsed").deadlineBoottimeUsec)
        let seen = try #require(try reading.timer("tea/elapsed").deadlineBoottimeUsec)
        #expect(abs(seen - boottime) < millisecond)
        // The timer on the wall clock rings at its wall time: 2 h sooner, and after the step back
        // later again.
        let train = try reading.timer("tea/wall")
        let point = try #require(try before.timer("tea/wall").deadlineUsec)
        #expect(abs(try #require(train.deadlineUsec) - point) < millisecond)
        #expect(reading.status.lastSpan == before.status.lastSpan)
        // The timer whose time was passed rang, for good.
        let bus = try reading.timer("bus")
        #expect(bus.state == .over && bus.openRing?.lateCause == "step")
        let lateUsec = try #require(bus.openRing?.lateUsec)
        #expect(abs(lateUsec - hour) < 10 * second)
      }
      let steps = try guest.events(after: before.status.storage.lastSeq)
        .filter { $0.type == "clock_stepped" }.compactMap(\.offsetUsec)
      #expect(steps.count == 2)
      for (seen, hours) in zip(steps, [Int64(2), -2]) { #expect(abs(seen - hours * hour) < second) }
    }

    private func wallOffset(_ reading: GuestReading) -> Int64 {
      reading.clocks.realtimeUsec - reading.clocks.boottimeUsec
    }
  }
}
