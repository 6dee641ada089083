import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The hook and the pipe of nightjar-phone(7), with a small server in place of ntfy's.
@Suite(.blocking) struct PhoneTests {
  private let rig: BridgeRig
  private let desk: BridgeRig.Machine
  private let server: WebServer

  init() throws {
    rig = try BridgeRig()
    server = try WebServer(of: rig.rig, showing: "Title", "Actions")
    let hooks = "\(rig.rig.path)/config/nightjar/hooks/rang.d"
    try makeFolder(hooks)
    let hook = try #require(Self.examples().first { $0.hasPrefix("#!/bin/sh") })
    try writeFile(
      hook.replacing("https://ntfy.sh", with: server.address), to: "\(hooks)/50-ntfy", mode: 0o755)
    // The machine itself shows and plays nothing.
    try "[daemon]\nnotify = false\nsound = false\n".write(
      toFile: "\(rig.rig.path)/config/nightjar/config.toml", atomically: true, encoding: .utf8)
    desk = try rig.machine(
      "desk", settings: "home_assistant = []",
      environment: ["XDG_CONFIG_HOME": "\(rig.rig.path)/config", "PATH": "/usr/bin:/bin"])
  }

  /// The examples of the page, as printed.
  private static func examples() throws -> [String] {
    try Documentation.text(of: "Sources/Manual/nightjar-phone.7")
      .components(separatedBy: ".Bd -literal -offset indent\n").dropFirst().map {
        ($0.components(separatedBy: "\n.Ed").first ?? "").replacing("\\e", with: "\\") + "\n"
      }
  }

  @Test func `A ring arrives on the phone with two buttons that answer it`() throws {
    let example = try #require(Self.examples().first { $0.hasPrefix("$ curl ") })
    let pipe = String(example.dropFirst(2)).replacing("https://ntfy.sh", with: server.address)
      .replacing("-h BROKER", with: "-V 5 --unix \(rig.socketPath)")
    let answers = try rig.rig.start(["sh", "-c", pipe], package: "mosquitto-clients")
    try server.requests.next("the pipe", within: 60) { $0 == "GET /ANSWERS/raw" }
    let client = try desk.daemon.connect()
    try client.start("tea", usec: second / 10)
    let ring = try server.requests.next("the ring", within: 60) { $0.hasPrefix("POST /TIMERS ") }
    #expect(
      ring == "POST /TIMERS tea http, Dismiss, \(server.address)/ANSWERS, "
        + #"body='{"action":"dismiss","timer":"tea"}'; "#
        + "http, Snooze, \(server.address)/ANSWERS, "
        + #"body='{"action":"snooze","timer":"tea"}' It rang."#)
    // The phone posts the body of the pressed button.
    func press(_ body: String) throws {
      try rig.rig.tool(["curl", "-s", "-d", body, "\(server.address)/ANSWERS"], package: "curl")
    }
    try press(#"{"action":"snooze","timer":"tea"}"#)
    try awaitTrue("it is not snoozed") { try client.get("tea").ringing == .snoozed }
    try client.start("egg", usec: second / 10)
    try server.requests.next("the next ring", within: 60) { $0.contains(" egg http, Dismiss") }
    try press(#"{"action":"dismiss","timer":"egg"}"#)
    try awaitTrue("it is not dismissed") { try client.names() == ["tea"] }
    answers.kill()
  }
}
