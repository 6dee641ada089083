import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The hook and the pipe of nightjar-phone(7), with a small server in place of ntfy's.
@Suite(.blocking) struct PhoneTests {
  /// As much of ntfy as the page uses (https://docs.ntfy.sh/publish/, "Action buttons";
  /// /subscribe/api/, "raw").
  private static let server = #"""
    import http.server, queue, sys, threading
    lines = {}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            print("POST", self.path, self.headers["Title"], self.headers["Actions"], body, flush=True)
            lines.setdefault(self.path, queue.Queue()).put(body)
            self.send_response(200); self.end_headers()
        def do_GET(self):
            self.send_response(200); self.end_headers()
            topic = lines.setdefault(self.path.removesuffix("/raw"), queue.Queue())
            self.wfile.write(b"\n"); self.wfile.flush()
            print("GET", self.path, flush=True)
            while True:
                self.wfile.write(topic.get().encode() + b"\n"); self.wfile.flush()
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("ready", flush=True)
    server.serve_forever()
    """#

  private let rig: BridgeRig
  private let desk: BridgeRig.Machine
  private let server: ChildProcess
  private let address: String

  init() throws {
    rig = try BridgeRig()
    let port = try FreePort.find()
    address = "http://127.0.0.1:\(port)"
    server = try rig.rig.start(
      ["/usr/bin/python3", "-c", Self.server, "\(port)"], package: "python3")
    try server.lines.next("the server") { $0 == "ready" }
    let hooks = "\(rig.rig.path)/config/nightjar/hooks/rang.d"
    try makeFolder(hooks)
    let hook = try #require(Self.examples().first { $0.hasPrefix("#!/bin/sh") })
    try writeFile(
      hook.replacing("https://ntfy.sh", with: address), to: "\(hooks)/50-ntfy", mode: 0o755)
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

  @Test func `A ring arrives on the phone with two buttons, and the pressed one answers it`() throws
  {
    let example = try #require(Self.examples().first { $0.hasPrefix("$ curl ") })
    let pipe = String(example.dropFirst(2)).replacing("https://ntfy.sh", with: address)
      .replacing("-h BROKER", with: "-V 5 --unix \(rig.socketPath)")
    let answers = try rig.rig.start(["sh", "-c", pipe], package: "mosquitto-clients")
    try server.lines.next("the pipe", within: 60) { $0 == "GET /ANSWERS/raw" }
    let client = try desk.daemon.connect()
    try client.start("tea", usec: second / 10)
    let ring = try server.lines.next("the ring", within: 60) { $0.hasPrefix("POST /TIMERS ") }
    #expect(
      ring == "POST /TIMERS tea http, Dismiss, \(address)/ANSWERS, "
        + #"body='{"action":"dismiss","timer":"tea"}'; "# + "http, Snooze, \(address)/ANSWERS, "
        + #"body='{"action":"snooze","timer":"tea"}' It rang."#)
    // The phone posts the body of the pressed button.
    func press(_ body: String) throws {
      try rig.rig.tool(["curl", "-s", "-d", body, "\(address)/ANSWERS"], package: "curl")
    }
    try press(#"{"action":"snooze","timer":"tea"}"#)
    try awaitTrue("it is not snoozed") { try client.get("tea").ringing == .snoozed }
    try client.start("egg", usec: second / 10)
    try server.lines.next("the next ring", within: 60) { $0.contains(" egg http, Dismiss") }
    try press(#"{"action":"dismiss","timer":"egg"}"#)
    try awaitTrue("it is not dismissed") { try client.names() == ["tea"] }
    answers.kill()
  }
}
