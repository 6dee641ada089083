import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// An orderly reboot, and a boot after a power cut.
  @Suite(.blocking, .inGuest) struct PowerTests {
    private let guest: Guest
    /// Both boots read the time from a battery clock with a resolution of a second, and no network
    /// sets it.
    private let estimateUsec = 5 * second
    /// The two commands of a reading, each a process in an emulated machine, run at different
    /// moments.
    private let readingUsec = 2 * second

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    /// Waits until the daemon, which starts with the user's manager, is ready.
    private func awaitDaemon() throws {
      try guest.user("systemctl --user start nightjar.service")
    }

    /// How much later it is by the guest's own clock, which is all that the daemon can know. This
    /// machine's clock does not count here: an emulated machine that is short of processor time
    /// loses seconds until its next boot, 14 of 30 were seen.
    private func passed(_ before: GuestReading, _ after: GuestReading) -> Int64 {
      after.clocks.realtimeUsec - before.clocks.realtimeUsec
    }

    /// How much less time remains of a timer.
    private func less(_ name: String, _ before: GuestReading, _ after: GuestReading) throws -> Int64
    {
      try before.timer(name).remainingUsec - after.timer(name).remainingUsec
    }

    @Test func `A reboot takes its real length off elapsed timers, and nothing off the others`()
      throws
    {
      for (name, clock) in [("tea", "elapsed"), ("work", "awake"), ("train", "wall")] {
        try guest.user("nightjar start \(name) 1h --clock \(clock)")
      }
      try guest.user("nightjar start held 1h && nightjar pause held && nightjar start egg 8s")
      let bootID = guest.bootID
      let before = try guest.reading()
      try guest.reboot()
      try awaitDaemon()
      let after = try guest.reading()
      report("systemctl reboot", from: before, to: after)
      #expect(guest.bootID != bootID && before.clocks.bootId != after.clocks.bootId)

      let span = try #require(after.status.lastSpan)
      #expect(span.causes == ["reboot"] && span.estimated)
      let passed = passed(before, after)
      #expect(abs(try less("tea", before, after) - passed) < readingUsec)
      // It counts until the end of the daemon, and again from its start.
      let work = try less("work", before, after)
      #expect(work > 0 && abs(passed - span.elapsedUsec - work) < readingUsec)
      #expect(try less("held", before, after) == 0)
      #expect(try after.timer("held").state == .paused)
      let point = try #require(try before.timer("train").deadlineUsec)
      #expect(abs(try #require(try after.timer("train").deadlineUsec) - point) < millisecond)

      let egg = try after.timer("egg")
      #expect(egg.state == .over && egg.openRing?.lateCause == "reboot")
      let ring = try #require(egg.openRing)
      let (rangUsec, lateUsec) = (ring.rangUsec, ring.lateUsec)
      #expect(lateUsec > 0)
      #expect(abs(rangUsec - egg.startedUsec - 8 * second - lateUsec) < estimateUsec)
    }

    @Test func `Changes acknowledged before a power cut are there afterwards`() throws {
      try guest.user("nightjar start work 1h --clock awake && nightjar start held 1h")
      let before = try guest.reading()
      // The file proves that the cut is real: data that was not synced is lost.
      try guest.user(
        "echo lost >~/witness && nightjar pause held && nightjar start tea 1h && "
          + "nightjar start train 1h --clock wall")
      try guest.cutPower()
      try guest.boot()
      try awaitDaemon()
      let after = try guest.reading()
      report("power cut", from: before, to: after)
      #expect(!(try guest.userRun("cat ~/witness").output.contains("lost")))

      #expect(after.status.storage.ok && after.status.storage.setAside == nil)
      let span = try #require(after.status.lastSpan)
      #expect(span.causes == ["reboot"] && span.estimated)
      let (tea, train) = (try after.timer("tea"), try after.timer("train"))
      for timer in [tea, train] {
        #expect(timer.state == .running && timer.durationUsec == hour)
        let sinceStart = after.clocks.realtimeUsec - timer.startedUsec
        #expect(abs(hour - timer.remainingUsec - sinceStart) < estimateUsec)
      }
      #expect(abs(try #require(train.deadlineUsec) - train.startedUsec - hour) < millisecond)
      #expect(try after.timer("work").state == .running)
      #expect((0..<passed(before, after)).contains(try less("work", before, after)))
      #expect(try after.timer("held").state == .paused)
    }

    @Test func `On a disk that turns read-only changes are refused, and due timers ring`() throws {
      try guest.user("nightjar start tea 1h && nightjar start egg 20s")
      // As the kernel does when a disk fails: programs that have a file open for writing are not
      // asked.
      try guest.root(
        "echo u >/proc/sysrq-trigger; until grep -q ' / .* ro[, ]' /proc/mounts; do :; done")
      let refused = try guest.userRun("nightjar start lost 1h 2>&1")
      #expect(
        refused.code == 1 && refused.output.contains("nothing was changed"), "\(refused.output)")
      try guest.user("nightjar wait egg --timeout 60s")
      let before = try guest.reading()
      #expect(!before.status.storage.ok)
      #expect(before.timers.map(\.name).sorted() == ["egg", "tea"])
      #expect(try guest.userRun("nightjar doctor").code == 1)
      try guest.cutPower()
      try guest.boot()
      try awaitDaemon()
      let after = try guest.reading()
      report("a disk that turned read-only, and a power cut", from: before, to: after)
      // It rang before, and rings again, which is better than not at all.
      #expect(try after.timer("egg").state == .over && after.timer("tea").state == .running)
      #expect(!after.timers.contains { $0.name == "lost" })
    }

    @Test
    func `A machine that boots in the past gets the span corrected when its clock is set right`()
      throws
    {
      // As systemd-timesyncd reports that the clock is right: later times count from here.
      try guest.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try guest.user("nightjar start tea 1h && nightjar start train 1h --clock wall")
      let before = try guest.reading()
      #expect(before.status.clockSynchronized)
      try guest.cutPower()
      try guest.boot(at: "1970-01-01T00:00:00")
      try awaitDaemon()
      let past = try guest.reading()
      report("power cut, and a boot in the past", from: before, to: past)
      #expect(past.clocks.realtimeUsec < before.clocks.realtimeUsec)
      // Without a better source, the daemon assumes that the machine was off for no time at all,
      // and up for as long as BOOTTIME says.
      let upUsec = past.clocks.boottimeUsec
      #expect(abs(try less("tea", before, past) - upUsec) < estimateUsec)

      let micros = String(Now.realtimeUsec % second + second).dropFirst()
      try guest.root("date --set @\(Now.realtimeUsec / second).\(micros)")
      // As systemd-timesyncd leaves its mark.
      try guest.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      try guest.awaitEvent("span_corrected", after: past.status.storage.lastSeq)
      let after = try guest.reading()
      report("set right", from: before, to: after)
      let passed = passed(before, after)
      #expect(abs(try less("tea", before, after) - passed) < estimateUsec)
      #expect(abs(try less("train", before, after) - passed) < estimateUsec)
      #expect(after.status.clockSynchronized)
      // For the next boot.
      try guest.root("hwclock --systohc && rm /run/systemd/timesync/synchronized")
    }
  }
}
