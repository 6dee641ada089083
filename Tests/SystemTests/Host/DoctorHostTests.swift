import NightjarTestSupport
import Testing
import Varlink

/// The findings of the doctor on a machine with a real service manager.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct DoctorHostTests {
  private let host: Host

  init() throws { host = try Host() }

  @Test func `Missing parts are reported with the command that repairs them`() throws {
    #expect(try host.finding("socket").level == "fault")
    try host.user("systemctl --user start nightjar.service")
    #expect(try host.finding("socket").level == "ok")

    let service = try host.finding("service")
    #expect(service.level == "advice" && service.text.contains("does not start by itself"))
    try host.user("\(service.remedy) 2>&1")
    #expect(try host.finding("service").level == "ok")

    try host.awaitUser("nightjar doctor --json | grep -q 'only when all is on disk'")
    #expect(try host.finding("sleep").level == "ok")
  }

  @Test func `A removed socket is told from a daemon that does not run, and repaired`() throws {
    try host.user("nightjar start tea 1h && rm /run/user/1777/nightjar/socket")
    let socket = try host.finding("socket")
    #expect(socket.level == "fault" && socket.text.contains("its socket is gone"))
    let commands = try #require(socket.remedy.split(separator: ";").first)
    try host.user(String(commands))
    #expect(try host.timer("tea")["state"] == "running")
    #expect(try host.finding("socket").level == "ok")
  }

  @Test func `A masked service is reported as such`() throws {
    try host.user(
      """
      mkdir -p .config/systemd/user
      ln -sf /dev/null .config/systemd/user/nightjar.service
      systemctl --user daemon-reload
      """)
    let service = try host.finding("service")
    #expect(service.text.contains("masked"))
    try host.user(service.remedy)
    #expect(try !host.finding("service").text.contains("masked"))
  }

  @Test func `A user whose manager ends with the last logout is warned`() throws {
    #expect(try host.finding("linger").level == "ok")
    // The user is logged in: without that, and without linger, there is no manager to ask.
    try host.root("systemd-run --quiet -p PAMName=login -p User=tester sleep 300 </dev/null")
    try host.awaitRoot("loginctl list-sessions --no-legend | grep -q tester")
    try host.root("loginctl disable-linger tester")
    let linger = try host.finding("linger")
    #expect(linger.level == "advice" && linger.text.contains("ends with your last logout"))
    #expect(linger.remedy == "loginctl enable-linger")
    try host.root("\(linger.remedy) tester")
    #expect(try host.finding("linger").level == "ok")
  }

  @Test func `A daemon beside the service is reported`() throws {
    try host.user(
      "nightjard --socket /run/user/1777/other --state-dir /home/tester/other >/dev/null 2>&1 &")
    try host.awaitUser("nightjar --socket /run/user/1777/other status --no-start >/dev/null 2>&1")
    try host.user("systemctl --user start nightjar.service")
    let said = try host.userRun("nightjar doctor --socket /run/user/1777/other").output
    #expect(said.contains("is not nightjar.service"), "\(said)")
  }
}
