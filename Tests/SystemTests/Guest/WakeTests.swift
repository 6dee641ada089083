import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// Timers that wake a machine that really sleeps, with and without the capability of the user's
  /// manager.
  @Suite(.blocking, .inGuest) struct WakeTests {
    private let guest: Guest

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    /// Grants the capability, as an administrator and then the user do on systemd 252; systemd 254
    /// needs only the latter.
    private func grant() throws {
      try guest.root(
        """
        set -e
        mkdir -p /etc/systemd/system/user@.service.d
        printf '[Service]\\nAmbientCapabilities=CAP_WAKE_ALARM\\n' >/etc/systemd/system/user@.service.d/wake.conf
        cat >/etc/polkit-1/rules.d/10-tester.rules <<'X'
        polkit.addRule(function(action, subject) {
          if (action.id == "org.freedesktop.login1.inhibit-block-sleep" && subject.user == "tester") return "yes";
        });
        X
        systemctl daemon-reload && systemctl restart polkit user@$(id -u tester).service
        """)
      try guest.user(
        """
        set -e
        mkdir -p ~/.config/systemd/user/nightjar.service.d
        cp /usr/local/share/nightjar/wake.conf ~/.config/systemd/user/nightjar.service.d/
        systemctl --user daemon-reload && systemctl --user restart nightjar.service
        """)
    }

    @Test func `Without the capability a timer starts, reports it, and does not wake the machine`()
      async throws
    {
      #expect(try guest.user("nightjar doctor; true").contains("no timer can wake the machine"))
      // Started just before the sleep, and long enough for a busy guest to be asleep by then.
      let said = try guest.user("nightjar start egg 10s --wake")
      #expect(
        said.contains("cannot wake the machine: ") && said.contains("CAP_WAKE_ALARM"), "\(said)")
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: 17)
      try guest.user("nightjar wait egg --timeout 30s")
      let after = try guest.reading()
      report("10 s with --wake, without the capability, slept through", from: before, to: after)
      let egg = try after.timer("egg")
      #expect(egg.openRing?.lateCause == "sleep" && egg.wake?.can == false)
      #expect(try #require(egg.openRing?.lateUsec) > 4 * second && sleep.lengthUsec > 15 * second)
      #expect(try guest.user("nightjar show egg").contains("CAP_WAKE_ALARM"))
    }

    /// The timer cannot ring before the machine has slept, so its alarm is in the past while logind
    /// waits.
    @Test
    func `A timer that is due on the way to sleep wakes the machine soon, without a busy loop`()
      async throws
    {
      try grant()
      let pid = try guest.user("systemctl --user show -P MainPID nightjar.service")
      // The timer is due half a second after the announcement of the sleep. Then the script
      // measures the processor time of the daemon, in hundredths of a second, during three of the
      // seconds in which logind waits for the other inhibitor.
      try guest.root(
        """
        systemd-run --quiet --collect --unit dawdler systemd-inhibit --mode delay --what sleep sleep infinity
        cat >/run/sample <<'X'
        announced() { busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager PreparingForSleep; }
        ran() { set -- $(cut -d ' ' -f 14,15 /proc/\(pid)/stat); echo $(($1 + $2)); }
        until announced | grep -q true; do :; done
        setpriv --reuid tester --regid tester --init-groups \
          env XDG_RUNTIME_DIR=/run/user/$(id -u tester) nightjar start egg 500ms --wake
        before=$(ran)
        read -t 3 <> <(:)
        echo $(($(ran) - before)) >/run/sampled
        X
        systemd-run --quiet --collect --unit sampler bash /run/sample
        """)
      let sleep = try await guest.suspend(seconds: nil)
      try guest.user("nightjar wait egg --timeout 30s")
      try guest.root("systemctl stop dawdler")
      let ran = try #require(
        Int(try guest.root("until [ -s /run/sampled ]; do sleep 0.1; done; cat /run/sampled")))
      print(
        "it ran \(ran * 10) ms in 3 s with an alarm that had passed; slept \(sleep.lengthUsec / 1000) ms"
      )
      #expect(ran < 60)
      // The second alarm is 10 s ahead, and the clock that wakes the machine has a resolution of a
      // second.
      #expect(sleep.lengthUsec < 15 * second)
      #expect(try guest.reading().timer("egg").openRing?.lateCause == "sleep")
    }

    /// logind waits for a slow program before the machine sleeps. The clock awake counts that time,
    /// although it belongs to the span.
    @Test
    func `Beside a slow inhibitor, why says by how much the deadline moved, to the second`()
      async throws
    {
      try guest.root(
        "systemd-run --quiet --collect --unit dawdler systemd-inhibit --mode delay --what sleep sleep infinity"
      )
      try guest.user("nightjar start long 1h --clock awake")
      let before = try #require(try guest.reading().timer("long").deadlineUsec)
      let sleep = try await guest.suspend(seconds: 20)
      try guest.root("systemctl stop dawdler")
      let movedUsec = try #require(try guest.reading().timer("long").deadlineUsec) - before
      let why = try guest.user("nightjar why long")
      print("the deadline moved by \(seconds(movedUsec)), a sleep of \(seconds(sleep.lengthUsec)):")
      print(why)
      let words = try #require(why.split(separator: "\n").first { $0.hasPrefix("In all: ") })
      let said = try #require(words.firstMatch(of: #/rings (\d+) s later than first set/#)?.1)
      #expect(abs(try #require(Int64(said)) * second - movedUsec) <= second, "\(why)")
      // The span is longer than the sleep, by the time for which logind waited.
      let span = try #require(why.firstMatch(of: #/for (\d+) s until/#)?.1)
      #expect(try #require(Int64(span)) * second > movedUsec + 2 * second, "\(why)")
    }

    @Test(arguments: ["elapsed", "wall"])
    func
      `With the capability a timer wakes the machine, rings, and keeps it awake until it is answered`(
        clock: String
      ) async throws
    {
      try grant()
      #expect(try guest.user("nightjar doctor; true").contains("--wake wakes the machine"))
      try guest.user("nightjar start tea 1h --clock \(clock)")
      let said = try guest.user("nightjar start egg 15s --wake --clock \(clock)")
      #expect(said.contains("wakes the machine for it"), "\(said)")
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: nil)
      try guest.user("nightjar wait egg --timeout 30s")
      let after = try guest.reading()
      report("15 s with --wake on \(clock); only the timer woke it", from: before, to: after)
      let egg = try after.timer("egg")
      #expect(egg.wake?.can == true)
      let rangUsec = try #require(egg.openRing?.rangUsec)
      let lateUsec = try #require(egg.openRing?.lateUsec)
      // A battery clock with a resolution of a second wakes the machine, and its kernel reads the
      // length of the sleep from it: the machine may be back early, so that the timer rings on
      // time, or late. The time that an emulated machine takes to run its first program does not
      // count.
      let wakeupUsec = sleep.wakeupUsec + (try guest.aheadUsec())
      let lateWakeUsec = wakeupUsec - (rangUsec - lateUsec)
      let backUsec = sleep.wokenUsec - wakeupUsec
      print("  woken \(seconds(lateWakeUsec)) late, back \(seconds(backUsec)) later")
      #expect(abs(lateWakeUsec) < 5 * second / 2)
      #expect(abs(rangUsec - sleep.wokenUsec) < 2 * second)
      #expect(lateUsec >= 0)
      // A lateness this small may come from the loop, or from the end of the sleep.
      let causes: [Wire.Cause?] =
        lateUsec == 0 ? [nil] : lateUsec < 10 * millisecond ? [nil, "sleep"] : ["sleep"]
      #expect(causes.contains(egg.openRing?.lateCause), "\(lateUsec)")

      #expect(after.status.sleep.keptAwake)
      #expect(try guest.root("systemd-inhibit --list --no-legend").contains("block"))
      try guest.user("nightjar dismiss egg")
      #expect(try !guest.reading().status.sleep.keptAwake)
      #expect(try !guest.root("systemd-inhibit --list --no-legend").contains("block"))
    }
  }
}
