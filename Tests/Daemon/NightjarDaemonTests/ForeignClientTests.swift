import Foundation
import NightjarClient
import NightjarTestSupport
import Testing

/// A Varlink client by other authors: PyPI's `varlink`.
@Suite(.blocking) struct ForeignClientTests {
  let rig: Rig
  let daemon: DaemonProcess
  let python: String

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    python = "\(rig.path)/venv/bin/python"
    try rig.tool(
      ["/usr/bin/python3", "-m", "venv", "\(rig.path)/venv"],
      environment: Self.surroundings, package: "python3-venv", within: 300)
    try rig.tool(
      [python, "-m", "pip", "install", "--quiet", "varlink"], environment: Self.surroundings,
      within: 300)
  }

  // pip finds this machine's settings in the environment.
  private static let surroundings = ProcessInfo.processInfo.environment

  @Test func `The foreign client asks for the service, reads the interface, and calls its methods`()
    throws
  {
    let address = "unix:\(daemon.options.socketPath)"
    let timers = "\(address)/org.nightjar.Timers"
    // The client's command line exits with 0 even after an error: its output is what counts.
    for (arguments, texts) in [
      (["info", address], ["org.nightjar.Timers", "org.varlink.service"]),
      (["help", timers], ["method Start(", "error TimerExists"]),
      (
        ["call", "\(timers).Start", #"{"name": "tea", "duration_usec": 240000000}"#],
        [#""name": "tea""#, #""created": true"#]
      ),
      (["call", "-m", "\(timers).List", "{}"], [#""remaining_usec""#]),
      (
        ["call", "\(timers).Get", #"{"name": "coffee"}"#],
        ["org.nightjar.Timers.TimerNotFound", "coffee"]
      ),
      (["call", "\(timers).Status", "{}"], ["boot_id"]),
    ] as [([String], [String])] {
      let output = try rig.tool(
        [python, "-m", "varlink.cli"] + arguments, environment: Self.surroundings)
      for text in texts { #expect(output.contains(text)) }
    }
    #expect(try daemon.connect().get("tea").durationUsec == 240_000_000)
  }
}
