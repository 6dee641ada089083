import NightjarTestSupport
import Testing
import Varlink

/// The findings of the doctor on a machine with a real service manager.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct DoctorHostTests {
  private let host: Host

  init() throws { host = try Host() }

  private func finding(_ check: String) throws -> (level: String, text: String, remedy: String) {
    let answer = try JSONValue.parse(try host.userRun("nightjar doctor --json").output)
    guard case .array(let findings) = answer["findings"],
      let finding = findings.first(where: { $0["check"]?.stringValue == check })
    else { throw Unmet(description: "no \(check) in \(answer)") }
    return (
      finding["level"]?.stringValue ?? "", finding["text"]?.stringValue ?? "",
      finding["remedy"]?.stringValue ?? ""
    )
  }

  @Test func `Missing parts are reported with the command that repairs them`() throws {
    #expect(try finding("socket").level == "fault")
    try host.user("systemctl --user start nightjar.service")
    #expect(try finding("socket").level == "ok")

    let service = try finding("service")
    #expect(service.level == "advice" && service.text.contains("does not start by itself"))
    try host.user("\(service.remedy) 2>&1")
    #expect(try finding("service").level == "ok")

    try host.awaitUser("nightjar doctor --json | grep -q 'only when all is on disk'")
    #expect(try finding("sleep").level == "ok")
  }

  @Test func `A removed socket is distinguished from a daemon that does not run, and repaired`()
    throws
  {
    try host.user("nightjar start tea 1h && rm /run/user/1777/nightjar/socket")
    let socket = try finding("socket")
    #expect(socket.level == "fault" && socket.text.contains("its socket is gone"))
    let commands = try #require(socket.remedy.split(separator: ";").first)
    try host.user(String(commands))
    #expect(try host.timer("tea")["state"]?.stringValue == "running")
    #expect(try finding("socket").level == "ok")
  }

  @Test func `A masked service is reported as such`() throws {
    try host.user(
      "ln -sf /dev/null .config/systemd/user/nightjar.service 2>&1 || { mkdir -p .config/systemd/user && ln -sf /dev/null .config/systemd/user/nightjar.service; }; systemctl --user daemon-reload"
    )
    let service = try finding("service")
    #expect(service.text.contains("masked"))
    try host.user(service.remedy)
    #expect(try !finding("service").text.contains("masked"))
  }

  /// The process at the other end of the socket is the service manager, which has opened it.
  @Test func `A stopped daemon is reported as stopped, whichever process has opened its socket`()
    throws
  {
    try host.user("systemctl --user start nightjar.service")
    let pid = try host.mainPid()
    try host.user("kill -TSTP \(pid)")
    try host.awaitStopped(pid)
    // At once: the command would otherwise wait 10 s for an answer.
    let said = try host.userRun("timeout 8 nightjar list 2>&1")
    #expect(said.code == 4 && said.output.contains("kill -CONT \(pid)"), "\(said.output)")
    #expect(try finding("socket").remedy == "continue it with kill -CONT \(pid)")
    try host.user("kill -CONT \(pid); nightjar list")
    #expect(
      try !host.user("systemctl --user show -P StatusText nightjar.service").contains("Stopped"))
  }

  @Test func `A user whose manager ends with the last logout is warned`() throws {
    #expect(try finding("linger").level == "ok")
    // The user is logged in: without that, and without linger, there is no manager to ask.
    try host.root("systemd-run --quiet -p PAMName=login -p User=tester sleep 300 </dev/null")
    try host.awaitRoot("loginctl list-sessions --no-legend | grep -q tester")
    try host.root("loginctl disable-linger tester")
    let linger = try finding("linger")
    #expect(linger.level == "advice" && linger.text.contains("ends with your last logout"))
    #expect(linger.remedy == "loginctl enable-linger")
    try host.root("\(linger.remedy) tester")
    #expect(try finding("linger").level == "ok")
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
