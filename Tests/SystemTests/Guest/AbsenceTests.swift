import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// A user who locks the session, closes the lid and comes back later, on a machine that really
  /// sleeps.
  @Suite(.blocking, .inGuest) struct AbsenceTests {
    private let guest: Guest
    private let desktop = Desktop()

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    private func awaitPresence(away: Bool) throws {
      try guest.user(
        """
        until nightjar status --json | grep -q '"presence":{"seen":true,"away":\(away)'; do
          read -t 0.1 <> <(:)
        done
        """)
    }

    /// Sets the lock hint.
    ///
    /// - Returns: the guest's wall clock before and after that.
    private func lock(_ isLocked: Bool) throws -> ClosedRange<Int64> {
      let output = try guest.root(
        "date +%s%6N; { \(desktop.hint("Locked", isLocked)); } >&2 && date +%s%6N")
      let times = output.split(separator: "\n").compactMap { Int64($0) }
      try #require(times.count == 2, "\(output)")
      return times[0]...times[1]
    }

    private func time(_ type: String, in events: [Wire.Event]) throws -> Int64 {
      let event = events.first { $0.type.rawValue == type && $0.name == "focus" }
      return try #require(event, "\(type)").timeUsec
    }

    @Test func `A focus sequence leaves out a lock with a suspend in it once, to the second`()
      async throws
    {
      try guest.root(desktop.logIn)
      try awaitPresence(away: false)
      let before = try guest.reading()
      try guest.user("nightjar sequence focus work=15s rest=1h --clock present")
      await elapse(seconds: 3)
      let left = try lock(true)
      try awaitPresence(away: true)
      let sleep = try await guest.suspend(seconds: 8)
      // The machine is awake, and the session is still locked.
      let woken = try guest.reading()
      let focus = try woken.timer("focus")
      #expect(focus.away == true && focus.step?.name == "work")
      await elapse(seconds: 2)
      let back = try lock(false)
      try awaitPresence(away: false)
      try guest.awaitEvent("rang", after: before.status.storage.lastSeq, within: 60)
      let after = try guest.reading()
      report("locked, systemctl suspend for 8 s, unlocked", from: before, to: after)

      let events = try guest.events(after: before.status.storage.lastSeq)
      let spans = events.filter { $0.type == .willEnterForeground }.compactMap(\.span)
      #expect(spans.map { $0.causes.map(\.rawValue) } == [["sleep"], ["away"]])
      let absence = try #require(spans.last)
      // By the guest's clock around the lock and the unlock.
      let bounds = (back.lowerBound - left.upperBound)...(back.upperBound - left.lowerBound)
      #expect(
        (bounds.lowerBound - 100 * millisecond...bounds.upperBound + second)
          .contains(absence.elapsedUsec), "\(absence.elapsedUsec) is not in \(bounds)")
      #expect(absence.elapsedUsec > sleep.lengthUsec + 2 * second)
      let counted =
        try time("rang", in: events) - time("started", in: events) - absence.elapsedUsec
      print("  counted \(seconds(counted)) of 15 s, away for \(seconds(absence.elapsedUsec))")
      #expect(abs(counted - 15 * second) < second)
      #expect(try after.timer("focus").step?.name == "rest")

      // The sleep is listed as well, and is only a part of the absence.
      let why = try guest.user("nightjar why focus")
      let absences = why.split(separator: "\n").filter { $0.hasSuffix("(not counted: present)") }
      #expect(absences.count == 2, "\(why)")
      #expect(absences.first?.contains("the session was locked or idle") == true, "\(why)")
      #expect(absences.last?.contains("the machine slept") == true, "\(why)")
      // The sum also has the moments until the ring was handled.
      let sums = [0, 100 * millisecond].map { (absence.elapsedUsec + $0) / second }
      #expect(sums.contains { why.contains("; \($0) s not counted (present)") }, "\(why)")
      #expect(why.contains(", 15 s of work and "), "\(why)")
    }
  }
}
