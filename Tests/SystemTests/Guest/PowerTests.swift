import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// Across a boot that was in order, and one after the power was gone.
  @Suite(.blocking, .inGuest)
  struct PowerTests {
    private let guest: Guest
    /// Both boots read the time of a battery clock that has whole seconds, no network sets it, and
    /// an emulated machine that is short of processor time loses some: 2 s of 59 were seen.
    private let estimateUsec = 5 * second
    /// Two commands of a reading, each a process in an emulated machine, are not at one moment.
    private let readingUsec = 2 * second

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    /// The daemon is started with the user's manager; this returns when it is ready.
    private func awaitDaemon() throws {
      try guest.user("systemctl --user start nightjar.service")
    }

    /// How much less remains of a timer.
    private func less(_ name: String, _ before: GuestReading, _ after: GuestReading) throws -> Int64
    {
      try before.timer(name).remainingUsec - after.timer(name).remainingUsec
    }

    @Test func `A reboot takes what really passed off elapsed timers, and its length off no other`()
      throws
    {
      for (name, clock) in [("tea", "elapsed"), ("work", "awake"), ("train", "wall")] {
        try guest.user("nightjar start \(name) 1h --clock \(clock)")
      }
      try guest.user("nightjar start held 1h && nightjar pause held && nightjar start egg 8s")
      let (bootID, startUsec) = (guest.bootID, Now.boottimeUsec)
      let before = try guest.reading()
      try guest.reboot()
      try awaitDaemon()
      let after = try guest.reading()
      let passed = Now.boottimeUsec - startUsec
      report(
        "systemctl reboot, \(seconds(passed)) by this machine's clock", from: before, to: after)
      #expect(guest.bootID != bootID && before.clocks.bootID != after.clocks.bootID)

      let span = try #require(after.status.lastSpan)
      #expect(span.causes == ["reboot"] && span.isEstimated)
      let guestPassed = after.clocks.realtimeUsec - before.clocks.realtimeUsec
      #expect(abs(guestPassed - passed) < estimateUsec)
      #expect(abs(try less("tea", before, after) - guestPassed) < readingUsec)
      // It counts until the daemon was ended, and again from when it was started.
      let work = try less("work", before, after)
      #expect(work > 0 && abs(guestPassed - span.elapsedUsec - work) < readingUsec)
      #expect(try less("held", before, after) == 0)
      #expect(try after.timer("held").state == .paused)
      let point = try #require(try before.timer("train").deadlineUsec)
      #expect(abs(try #require(try after.timer("train").deadlineUsec) - point) < millisecond)

      let egg = try after.timer("egg")
      #expect(egg.state == .fired && egg.lateCause == "reboot")
      let (firedUsec, lateUsec) = (try #require(egg.firedUsec), try #require(egg.lateUsec))
      #expect(lateUsec > 0)
      #expect(abs(firedUsec - egg.startedUsec - 8 * second - lateUsec) < estimateUsec)
    }

    @Test func `What was acknowledged when the power was cut is there when it is back`() throws {
      try guest.user("nightjar start work 1h --clock awake && nightjar start held 1h")
      let before = try guest.reading()
      let startUsec = Now.boottimeUsec
      // The cut is one: what nobody has synchronised is lost in it.
      try guest.user(
        "echo lost >~/witness && nightjar pause held && nightjar start tea 1h && "
          + "nightjar start train 1h --clock wall")
      try guest.cutPower()
      try guest.boot()
      try awaitDaemon()
      let after = try guest.reading()
      let passed = Now.boottimeUsec - startUsec
      report("power cut, \(seconds(passed)) by this machine's clock", from: before, to: after)
      #expect(!(try guest.userRun("cat ~/witness").output.contains("lost")))

      #expect(after.status.storage.isGood && after.status.storage.setAside == nil)
      let span = try #require(after.status.lastSpan)
      #expect(span.causes == ["reboot"] && span.isEstimated)
      let (tea, train) = (try after.timer("tea"), try after.timer("train"))
      for timer in [tea, train] {
        #expect(timer.state == .running && timer.durationUsec == hour)
        #expect(abs(hour - timer.remainingUsec - passed) < estimateUsec)
      }
      #expect(abs(try #require(train.deadlineUsec) - train.startedUsec - hour) < millisecond)
      #expect(try after.timer("work").state == .running)
      #expect((0..<passed).contains(try less("work", before, after)))
      #expect(try after.timer("held").state == .paused)
    }

    @Test func `On a disk that turns read-only changes are refused, and what is due rings`() throws
    {
      try guest.user("nightjar start tea 1h && nightjar start egg 20s")
      // As the kernel does it when a disk fails: whoever has a file open for writing is not asked.
      try guest.root(
        "echo u >/proc/sysrq-trigger; until grep -q ' / .* ro[, ]' /proc/mounts; do :; done")
      let refused = try guest.userRun("nightjar start lost 1h 2>&1")
      #expect(
        refused.code == 1 && refused.output.contains("nothing was changed"), "\(refused.output)")
      try guest.user("nightjar wait egg --timeout 60s")
      let before = try guest.reading()
      #expect(!before.status.storage.isGood)
      #expect(before.timers.map(\.name).sorted() == ["egg", "tea"])
      #expect(try guest.userRun("nightjar doctor").code == 1)
      try guest.cutPower()
      try guest.boot()
      try awaitDaemon()
      let after = try guest.reading()
      report("a disk that turned read-only, and a power cut", from: before, to: after)
      // It rang before, and rings again rather than not at all.
      #expect(try after.timer("egg").state == .fired && after.timer("tea").state == .running)
      #expect(!after.timers.contains { $0.name == "lost" })
    }

    @Test func `A machine that boots in the past, and is set right, has the span corrected`() throws
    {
      // As systemd-timesyncd says that the clock is right: what comes behind is counted from there.
      try guest.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try guest.user("nightjar start tea 1h && nightjar start train 1h --clock wall")
      let before = try guest.reading()
      #expect(before.status.isClockSynchronized)
      let startUsec = Now.boottimeUsec
      try guest.cutPower()
      try guest.boot(at: "1970-01-01T00:00:00")
      try awaitDaemon()
      let past = try guest.reading()
      report("power cut, and a boot in the past", from: before, to: past)
      #expect(past.clocks.realtimeUsec < before.clocks.realtimeUsec)
      // Nobody knows better yet: it was off for no time at all, and has been up for as long as it
      // has.
      let upUsec = past.clocks.boottimeUsec
      #expect(abs(try less("tea", before, past) - upUsec) < estimateUsec)

      let micros = String(Now.realtimeUsec % second + second).dropFirst()
      try guest.root("date --set @\(Now.realtimeUsec / second).\(micros)")
      // As systemd-timesyncd leaves its mark.
      try guest.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try guest.awaitEvent("span_corrected", after: past.status.storage.lastSeq)
      let after = try guest.reading()
      let passed = Now.boottimeUsec - startUsec
      report("set right, \(seconds(passed)) by this machine's clock", from: before, to: after)
      #expect(abs(try less("tea", before, after) - passed) < estimateUsec)
      #expect(abs(try less("train", before, after) - passed) < estimateUsec)
      #expect(after.status.isClockSynchronized)
      // For whatever boot comes next.
      try guest.root("hwclock --systohc && rm /run/systemd/timesync/synchronized")
    }
  }
}
