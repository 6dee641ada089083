import NightjarClient
import NightjarTestSupport
import Testing

extension GuestTests {
  /// Timers that wake a machine that really sleeps, where the user's manager may, and where it may
  /// not.
  @Suite(.blocking, .inGuest)
  struct WakeTests {
    private let guest: Guest

    init() throws {
      guest = try #require(Guest.current)
      try guest.user("nightjar remove --all")
    }

    /// What an administrator does on systemd 252, and then the user; systemd 254 spares them the
    /// first.
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

    @Test func `Without the capability a timer starts, says so, and does not wake the machine`()
      async throws
    {
      let said = try guest.user("nightjar start egg 5s --wake")
      #expect(
        said.contains("cannot wake the machine: ") && said.contains("CAP_WAKE_ALARM"), "\(said)")
      #expect(try guest.user("nightjar show egg").contains("CAP_WAKE_ALARM"))
      #expect(try guest.user("nightjar doctor; true").contains("no timer can wake the machine"))
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: 12)
      try guest.user("nightjar wait egg --timeout 30s")
      let after = try guest.reading()
      report("5 s with --wake, without the capability, slept through", from: before, to: after)
      let egg = try after.timer("egg")
      #expect(egg.lateCause == "sleep" && egg.wake?.isPossible == false)
      #expect(try #require(egg.lateUsec) > 4 * second && sleep.lengthUsec > 11 * second)
    }

    /// It cannot fire before the machine has slept, so its alarm is one that has passed for as long
    /// as logind waits.
    @Test func `One that is due on the way to sleep has the machine back soon, without haste`()
      async throws
    {
      try grant()
      let pid = try guest.user("systemctl --user show -P MainPID nightjar.service")
      // The timer is due half a second after the sleep was announced. Then: the time the daemon has
      // run, in hundredths of a second, in three of those in which logind waits for somebody else.
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
      let ran = try #require(Int(try guest.root("cat /run/sampled")))
      print(
        "it ran \(ran * 10) ms in 3 s with an alarm that had passed; slept \(sleep.lengthUsec / 1000) ms"
      )
      #expect(ran < 60)
      // The alarm behind the one that has passed is 10 s ahead, and the clock that wakes has whole
      // seconds.
      #expect(sleep.lengthUsec < 15 * second)
      #expect(try guest.reading().timer("egg").lateCause == "sleep")
    }

    @Test(arguments: ["elapsed", "wall"])
    func `With it a timer wakes the machine, rings, and keeps it awake until it is seen`(
      clock: String
    ) async throws {
      try grant()
      #expect(try guest.user("nightjar doctor; true").contains("--wake wakes the machine"))
      try guest.user("nightjar start tea 1h --clock \(clock)")
      let said = try guest.user("nightjar start egg 15s --wake --clock \(clock)")
      #expect(said.contains("wakes the machine for it"), "\(said)")
      let before = try guest.reading()
      let sleep = try await guest.suspend(seconds: nil)
      try guest.user("nightjar wait egg --timeout 30s")
      let after = try guest.reading()
      report("15 s with --wake on \(clock); nobody else woke it", from: before, to: after)
      let egg = try after.timer("egg")
      #expect(egg.wake?.isPossible == true)
      let firedUsec = try #require(egg.firedUsec)
      let lateUsec = try #require(egg.lateUsec)
      // The machine is woken by a battery clock of whole seconds, and takes from such a one how long it
      // slept: it may be back early, and then rings on time, or late. What an emulated machine takes
      // from there until the first in it runs is its own affair.
      let wakeupUsec = sleep.wakeupUsec + (try guest.aheadUsec())
      let lateWakeUsec = wakeupUsec - (firedUsec - lateUsec)
      let backUsec = sleep.wokenUsec - wakeupUsec
      print("  woken \(seconds(lateWakeUsec)) late, back \(seconds(backUsec)) later")
      #expect(abs(lateWakeUsec) < 5 * second / 2)
      #expect(abs(firedUsec - sleep.wokenUsec) < 2 * second)
      #expect(lateUsec >= 0)
      // So little may be the loop's own, or the last of the sleep.
      let causes: [Cause?] =
        lateUsec == 0 ? [nil] : lateUsec < 10 * millisecond ? [nil, "sleep"] : ["sleep"]
      #expect(causes.contains(egg.lateCause), "\(lateUsec)")

      #expect(after.status.isKeptAwake)
      #expect(try guest.root("systemd-inhibit --list --no-legend").contains("block"))
      try guest.user("nightjar dismiss egg")
      #expect(try !guest.reading().status.isKeptAwake)
      #expect(try !guest.root("systemd-inhibit --list --no-legend").contains("block"))
    }
  }
}
