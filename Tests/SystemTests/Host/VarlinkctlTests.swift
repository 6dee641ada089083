import Foundation
import NightjarTestSupport
import Testing
import Varlink

extension Host {
  /// Whether the tests' machine has varlinkctl. A machine that was built for the tests must have
  /// it.
  fileprivate static var hasVarlinkctl: Bool {
    ProcessInfo.processInfo.environment["NIGHTJAR_HOST_ROOT"] != nil
      || FileManager.default.isExecutableFile(atPath: "/usr/bin/varlinkctl")
  }
}

/// systemd's own Varlink client, which systemd has had since version 255. `make test-newer` has it
/// wherever the tests run.
@Suite(
  .blocking, .serialized, .enabled(if: Host.isWanted),
  .enabled(if: Host.hasVarlinkctl, "this machine's systemd has no varlinkctl"))
struct VarlinkctlTests {
  private let host: Host
  /// Where it looks for the services of a user.
  private static let socket = "unix:$XDG_RUNTIME_DIR/varlink/registry/org.nightjar.Timers"
  private static let file = URL(filePath: Documentation.root)
    .appending(path: "Sources/Interface/NightjarInterface/org.nightjar.Timers.varlink")

  init() throws {
    host = try Host()
    try host.user("systemctl --user start nightjar.socket nightjar.service")
  }

  /// Replies to a call, one per line.
  private func call(_ options: String = "", _ method: String, _ parameters: String) throws
    -> [JSONValue]
  {
    let text = try host.user(
      "varlinkctl --json=short \(options) call \(Self.socket) \(method) '\(parameters)'")
    // RFC 7464 puts a byte in front of each text, which varlinkctl writes where there may be
    // several.
    return try text.split(separator: "\n").map {
      try JSONValue.parse(String($0.drop { $0 == "\u{1E}" }))
    }
  }

  @Test func `varlinkctl reads the interface as the file has it, and finds nothing wrong`() throws {
    let reply = try call(
      "", "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.nightjar.Timers"}"#)
    let description = try #require(reply.first?["description"]?.stringValue)
    #expect(try description == String(contentsOf: Self.file, encoding: .utf8))
    try host.user("varlinkctl validate-idl <<'INTERFACE'\n\(description)INTERFACE\n")
    let bad = try host.userRun("varlinkctl validate-idl <<<'interface org.nightjar.Timers !'")
    #expect(bad.code != 0, "it finds what is wrong")

    let shown = try host.user("varlinkctl introspect \(Self.socket) org.nightjar.Timers")
    #expect(shown.contains("method Start(") && shown.contains("error TimerExists"))
  }

  @Test func `varlinkctl calls methods, also with more, and gets errors`() throws {
    let started = try call(
      "", "org.nightjar.Timers.Start", #"{"name":"tea","duration_usec":3600000000}"#)
    #expect(started.first?["timer"]?["name"] == "tea" && started.first?["created"] == true)
    let listed = try call("--more", "org.nightjar.Timers.List", "{}")
    #expect(listed.count == 2, "a reply for the timer, and the last one with none")
    #expect(listed.first?["timers"]?.arrayValue?.first?["name"] == "tea")

    let refused = try host.userRun(
      "varlinkctl call \(Self.socket) org.nightjar.Timers.Get '{\"name\":\"coffee\"}'")
    #expect(refused.code != 0)
    #expect(refused.output.contains("org.nightjar.Timers.TimerNotFound"))
  }
}
