import NightjarTestSupport
import Testing
import Varlink

/// The Debian package on the machines that it is made for: Debian 12 and 13, with nothing of Swift.
@Suite(.blocking, .serialized, .enabled(if: Packages.isWanted)) struct PackageTests {
  private static let releases = ["bookworm", "trixie"]

  private func boot(_ release: String) throws -> Host {
    let files = [
      "nightjar.deb": try Packages.deb(in: "deb"), "next.deb": try Packages.deb(in: "next"),
    ]
    let host = try Packages.timed("\(release) boots") { try Packages.boot(release, with: files) }
    #expect(try host.root("find / -xdev -name 'libswift*' -o -name swiftc") == "")
    try host.root("apt-get -q update", within: 300)
    return host
  }

  /// What apt prints.
  @discardableResult private func apt(_ command: String, on host: Host) throws -> String {
    try Packages.timed("apt-get \(command)") {
      try host.root("DEBIAN_FRONTEND=noninteractive apt-get -q -y \(command) 2>&1", within: 300)
    }
  }

  @Test(arguments: releases)
  func `It is installed with what it needs, starts at a login, and leaves the timers when it goes`(
    _ release: String
  ) throws {
    let host = try boot(release)
    try apt("install /opt/files/nightjar.deb", on: host)
    let libraries = try host.root(
      "ldd /usr/bin/nightjar /usr/bin/nightjard /usr/bin/nightjar-rehearse /usr/bin/nightjar-mqtt")
    #expect(libraries.contains("libsqlite3.so.0 => /"), "the search finds what is there")
    #expect(!libraries.contains("not found"))

    // For a user who is logged in the daemon is there at once.
    #expect(try host.user("systemctl --user is-active nightjar.service") == "active")
    #expect(try host.user("nightjar start tea 4h").contains("tea"))
    #expect(try host.user("nightjar doctor").contains("nightjar.service, from each login on"))
    #expect(try host.userRun("systemctl --user is-active nightjar-mqtt.service").code != 0)

    // And so it is for a user who logs in later.
    let said = try host.root(
      """
      useradd --create-home --shell /bin/bash visitor
      printf 'account required pam_permit.so\\nsession required pam_systemd.so type=tty class=user\\n' \
        >/etc/pam.d/visit
      systemd-run --quiet --wait --pipe -p User=visitor -p PAMName=visit bash -c '
        timeout 30 bash -c "until systemctl --user --quiet is-active nightjar.service; do sleep 0.05; done"
        systemctl --user is-active nightjar.socket nightjar.service
        systemctl --user stop nightjar.service
        systemctl --user is-active nightjar.service
        nightjar start egg 1h >&2 && systemctl --user is-active nightjar.service' 2>/dev/null
      """)
    #expect(said.split(separator: "\n") == ["active", "active", "inactive", "active"])

    try apt("remove nightjar", on: host)
    #expect(try host.userRun("command -v nightjar").code != 0)
    #expect(try host.userRun("pgrep -u tester nightjard").code != 0)
    #expect(try host.userRun("systemctl --user is-active nightjar.socket").code != 0)
    let farewell = try apt("purge nightjar", on: host)
    #expect(farewell.contains("are kept, in ~/.local/state/nightjar"), "\(farewell)")
    #expect(
      try host.root("find /etc /usr /var/lib/systemd /var/lib/dpkg/info -name '*nightjar*'") == "")
    #expect(try host.user("ls .local/state/nightjar").contains("nightjar.db"))

    try apt("install /opt/files/nightjar.deb", on: host)
    #expect(try host.user("nightjar list").contains("tea"))
  }

  /// When the machine booted, by its clock as it is set now.
  private static var bootUsec: Int64 { Now.realtimeUsec - Now.boottimeUsec }

  /// A machine with a timer that runs and three that wait for their user, and with a bridge that is
  /// no unit of the package, so the upgrade leaves it as it was. UpgradeTests show that no client
  /// loses an event meanwhile.
  @Test(arguments: releases)
  func `An upgrade keeps timers, open rings and pauses, and a bridge from before goes on with them`(
    _ release: String
  ) throws {
    let host = try boot(release)
    try apt("install mosquitto /opt/files/nightjar.deb", on: host)
    try host.user(
      """
      set -e
      mkdir -p -m 700 .config .config/nightjar
      printf '[mqtt]\\nbroker = "mqtt://127.0.0.1"\\nperson = "alex"\\ndevice = "here"\\n' \\
        >.config/nightjar/config.toml
      systemd-run --user --quiet --unit before nightjar-mqtt
      nightjar start tea 1s --ring-for 1h
      nightjar start egg 1s && nightjar wait egg && nightjar snooze egg 1h
      nightjar start oven 1h && nightjar pause oven
      nightjar start soup 4h
      nightjar wait tea
      """)
    let knows = "nightjar mqtt status --json | grep -q '\"connected\":true.*\"timers\":4'"
    try host.awaitUser(knows)
    let bridge = try host.user("systemctl --user show -P MainPID before")
    let names = ["tea", "egg", "oven", "soup"]
    let lasting = ["id", "state", "ringing", "started_usec", "last_expiry", "next_expiry"]
    func timers() throws -> [[JSONValue?]] {
      try names.map { name in
        let timer = try host.timer(name)
        return lasting.map { timer[$0] } + [timer["open_ring"]?["expiry"]]
      }
    }
    let before = try timers()
    #expect(before.map { $0[1]?.stringValue } == ["over", "over", "paused", "running"])
    #expect(before.map { $0[2]?.stringValue } == ["ringing", "snoozed", nil, nil])
    // On CLOCK_BOOTTIME, because the clock of the machine may be set meanwhile.
    func due() throws -> [Int64] {
      var (bootUsec, untilUsec): (Int64, Int64)
      repeat {
        bootUsec = Self.bootUsec
        untilUsec = try #require(try host.timer("egg")["open_ring"]?["until_usec"]?.integerValue)
      } while abs(Self.bootUsec - bootUsec) > millisecond
      let soup = try host.timer("soup")["deadline_boottime_usec"]?.integerValue
      return [untilUsec - bootUsec, try #require(soup)]
    }
    let dueBefore = try due()
    let remaining = try host.timer("oven")["remaining_usec"]

    let pid = try host.mainPid()
    try apt("install /opt/files/next.deb", on: host)
    #expect(try host.root("dpkg-query -W -f '${Version}' nightjar").hasSuffix("+next"))
    #expect(try !["0", pid].contains(host.mainPid()))
    #expect(try timers() == before)
    let later = try due()
    #expect(zip(later, dueBefore).allSatisfy { abs($0 - $1) < second }, "\(dueBefore), \(later)")
    #expect(try host.timer("oven")["remaining_usec"] == remaining)

    // The bridge from before follows the new daemon.
    #expect(try host.user("systemctl --user show -P MainPID before") == bridge)
    #expect(try host.user("readlink /proc/\(bridge)/exe").hasSuffix("(deleted)"))
    try host.user("nightjar dismiss tea && nightjar start rice 1h && nightjar start bread 1h")
    try host.awaitUser(knows.replacing(":4", with: ":5"))
    try host.awaitUser("! nightjar mqtt status --json | grep -q daemon_reason")
    try host.user("systemctl --user stop before && systemctl --user start nightjar-mqtt")
    try host.awaitUser(knows.replacing(":4", with: ":5"))
  }
}
