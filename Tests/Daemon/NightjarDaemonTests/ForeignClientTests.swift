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

  private func varlink(_ arguments: String...) throws -> String {
    try rig.tool([python, "-m", "varlink.cli"] + arguments, environment: Self.surroundings)
  }

  @Test func `The foreign client asks for the service, reads the interface, and calls its methods`()
    throws
  {
    let address = "unix:\(daemon.options.socketPath)"
    let info = try varlink("info", address)
    #expect(info.contains("org.nightjar.Timers") && info.contains("org.varlink.service"))

    let help = try varlink("help", "\(address)/org.nightjar.Timers")
    #expect(help.contains("method Start(") && help.contains("error TimerExists"))

    let started = try varlink(
      "call", "\(address)/org.nightjar.Timers.Start",
      #"{"name": "tea", "duration_usec": 240000000}"#)
    #expect(started.contains(#""name": "tea""#) && started.contains(#""created": true"#))
    #expect(try daemon.connect().get("tea").durationUsec == 240_000_000)

    let listed = try varlink("call", "-m", "\(address)/org.nightjar.Timers.List", "{}")
    #expect(listed.contains(#""remaining_usec""#))
    // The client's command line exits with 0 even after an error: its output is what counts.
    let refused = try varlink("call", "\(address)/org.nightjar.Timers.Get", #"{"name": "coffee"}"#)
    #expect(refused.contains("org.nightjar.Timers.TimerNotFound") && refused.contains("coffee"))
    #expect(try varlink("call", "\(address)/org.nightjar.Timers.Status", "{}").contains("boot_id"))
  }
}
