import NightjarTestSupport
import Testing

/// The archive of programs on a machine without the package; this one has Debian's libraries.
@Suite(.blocking, .serialized, .enabled(if: Packages.isWanted)) struct ArchiveTests {
  private let host: Host
  private let install: String

  init() throws {
    let archive = try #require(
      try Packages.files(in: "dist", ending: "-linux.tar.xz").first, "run `make dist`")
    host = try Packages.boot("bookworm", with: ["nightjar.tar.xz": archive])
    try host.root("apt-get -q update && apt-get -q -y install xz-utils", within: 300)
    try host.root("cd /opt && tar -xf files/nightjar.tar.xz && mv nightjar-* nightjar")
    install = "/opt/nightjar/install.sh"
  }

  /// The files of the machine that a user or an administrator has put there.
  private func files() throws -> String {
    try host.root(
      "find /usr /etc/systemd /home -xdev ! -type d ! -path '*/state/nightjar/*' | sort")
  }

  private func installLibraries() throws {
    try host.root("apt-get -q -y install libsqlite3-0 libmosquitto1", within: 300)
  }

  @Test func `What is wrong with the call or the machine is said in one sentence`() throws {
    for (arguments, words) in [
      ("", "say where with --user or --prefix"), ("--prefix", "--prefix needs a folder"),
      ("--prefix opt", "must begin with /"), ("--user --prefix /opt/x", "exclude each other"),
      ("--here", "'--here' is no option"),
    ] {
      let outcome = try host.userRun("\(install) \(arguments) 2>&1")
      #expect(outcome.code == 2 && outcome.lines.count == 1, "\(arguments): \(outcome.output)")
      #expect(outcome.output.contains(words) && outcome.output.contains("usage:"))
    }
    #expect(try host.user("\(install) --user 2>&1").contains("install what holds: libsqlite3.so.0"))
  }

  @Test func `It installs for one user, and takes away all but the timers`() throws {
    try installLibraries()
    let before = try files()
    try host.user("\(install) --user")
    try host.user(
      "systemctl --user daemon-reload && systemctl --user enable --now nightjar.socket nightjar.service"
    )
    let nightjar = ".local/bin/nightjar"
    #expect(try host.user("\(nightjar) start tea 1h").contains("tea"))
    // It has faults to tell: this machine has no polkit.
    let doctor = try host.userRun("\(nightjar) doctor")
    #expect(doctor.output.contains("nightjar.service, from each login on"))
    let program = try host.user("readlink /proc/$(systemctl --user show -P MainPID nightjar)/exe")
    #expect(program.hasPrefix("/home/tester/.local/bin/nightjard"))
    try host.user("\(install) --user --uninstall")
    #expect(try files() == before)
    #expect(try host.userRun("pgrep -u tester nightjard").code != 0)
    #expect(try host.user("ls .local/state/nightjar").contains("nightjar.db"))
  }

  @Test func `It installs below a prefix for all users, and takes it away`() throws {
    try installLibraries()
    let before = try files()
    try host.root("\(install) --prefix /usr/local")
    try host.user("systemctl --user daemon-reload && systemctl --user start nightjar.service")
    #expect(try host.user("nightjar start tea 1h").contains("tea"))
    #expect(
      try host.user("systemctl --user show -P FragmentPath nightjar")
        .hasPrefix("/usr/local/lib/systemd/user/"))
    let said = try host.root("\(install) --prefix /usr/local --uninstall")
    #expect(said.contains("A user's daemon runs until that user logs out"))
    #expect(try files() == before)
  }
}
