import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A daemon with a configuration file: which settings apply, and what it does about a wrong file.
@Suite(.blocking) struct ConfigurationTests {
  private let rig: Rig
  private let path: String

  init() throws {
    rig = try Rig()
    path = "\(rig.path)/home/.config/nightjar/config.toml"
    try makeFolder("\(rig.path)/home/.config/nightjar")
  }

  private func write(_ text: String, to path: String? = nil) throws {
    try text.write(toFile: path ?? self.path, atomically: true, encoding: .utf8)
  }

  /// Starts a countdown, and returns its `late`, `fire_within_usec` and `missed`.
  private func newPolicies(_ name: String, _ client: Connection) throws -> [JSONValue?] {
    try client.start(name, usec: hour)
    return try policies(name, client)
  }

  private func policies(_ name: String, _ client: Connection) throws -> [JSONValue?] {
    let timer = try #require(try client.call(.get(name: name))["timer"])
    return ["late", "fire_within_usec", "missed"].map { timer[$0] }
  }

  // MARK: Settings

  @Test func `The file can lower the limit on timers`() throws {
    try write("[daemon]\nmaximum_timers = 2\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    for name in ["a", "b"] { try client.start(name, usec: hour) }
    let start = Call.start(name: "c", durationUsec: hour)
    #expect(try client.refusal(of: start) == .limitExceeded(limit: "timers", value: 2))
    try write("[daemon]\nmaximum_timers = 1\n")
    try daemon.reload()
    #expect(try client.names().sorted() == ["a", "b"])
    #expect(try client.refusal(of: start) == .limitExceeded(limit: "timers", value: 1))
    // Without the file, the built-in limit applies again.
    try FileManager.default.removeItem(atPath: path)
    try daemon.reload()
    try client.start("c", usec: hour)
    #expect(try daemon.status().warning == nil)
  }

  @Test func `The file is found by XDG_CONFIG_HOME or by the command line`() throws {
    let files = ["home/.config/nightjar/config.toml", "xdg/nightjar/config.toml", "other.toml"]
    try makeFolder("\(rig.path)/xdg/nightjar")
    // Each is wrong, so the warning names the file that the daemon has read.
    for file in files { try write("wrong", to: "\(rig.path)/\(file)") }
    for (number, file) in (files + ["none"]).enumerated() {
      let daemon = try rig.daemon { options in
        if number > 0 { options.environment = ["XDG_CONFIG_HOME": "\(options.folder)/xdg"] }
        guard number > 1 else { return }
        options.arguments = [
          "--socket", options.socketPath, "--state-dir", options.stateFolder, "--config",
          "\(options.folder)/\(file)",
        ]
      }
      let warning = try #require(try daemon.status().warning)
      // A file that the command line names has to exist.
      let fault = file == "none" ? ": there is no such file" : ", line 1"
      #expect(warning.contains(": \(rig.path)/\(file)\(fault)"), "\(warning)")
      try daemon.terminate()
    }
  }

  // MARK: Reloading

  @Test func `SIGHUP applies what the file contains now, and changes no existing timer`() throws {
    try write("[daemon]\nlate = \"skip\"\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    try client.start("over", usec: 1000)
    try daemon.awaitEvent("rang", "over")
    #expect(try newPolicies("old", client) == ["skip", nil, nil])
    let (old, before) = (try client.get("old"), try daemon.ledger())

    try write("[daemon]\nlate = \"5s\"\nretention_days = 1\nmaximum_timers = 100\n")
    try daemon.reload()
    try daemon.process.awaitLine("reloaded; no timer was touched")
    #expect(try policies("old", client) == ["skip", nil, nil])
    let kept = try client.get("old")
    #expect(kept.id == old.id && kept.deadlineBoottimeUsec == old.deadlineBoottimeUsec)
    #expect(try old.deadlineBoottimeUsec != nil && client.get("over").state == .over)
    #expect(try newPolicies("new", client) == [nil, .integer(5 * second), nil])
    // Nothing else has happened.
    let after = try daemon.ledger()
    #expect(after.dropLast() == before[...] && after.last?.name == "new")
    #expect(try daemon.status().warning == nil)
  }

  @Test func `A shortened retention applies at once`() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    // Each update is a commit, and a row, of its own. A start needs the last 512 rows and a few
    // more.
    for number in 0..<700 {
      _ = try client.call(.update(name: "tea", labels: ["n": "\(number)"]))
    }
    #expect(try daemon.status().storage.oldestSeq == 1)
    try write("[daemon]\nretention_events = 10\n")
    try daemon.reload()
    try awaitTrue("nothing has been pruned") { try daemon.status().storage.oldestSeq >= 500 }
    // The remaining rows are enough for a start.
    try daemon.terminate()
    #expect(try rig.daemon().connect().get("tea").labels.first?.value == "699")
  }

  // MARK: A file that is wrong

  @Test func `A wrong file changes nothing that is in force, and is reported until it is right`()
    throws
  {
    try write("[daemon]\nlate = \"skip\"\nretention_day = 3\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let sentence =
      "the configuration is wrong, and the built-in defaults are in force: \(path), line 3: "
      + "[daemon] has no key 'retention_day'; did you mean 'retention_days'?"
    #expect(try client.status().warning == sentence)
    #expect(daemon.process.output.contains("nightjard: \(sentence)"))
    // None of its settings apply.
    #expect(try newPolicies("old", client) == [nil, nil, nil])
    try write("[daemon]\nlate = \"skip\"\n")
    try daemon.reload()
    #expect(try client.status().warning == nil)
    let (old, ledger) = (try client.get("old"), try daemon.ledger())
    for (text, sentence) in [
      ("[daemon]\nlate = fire\n", "\(path), line 2, column 9: this is no TOML: "),
      ("[daemon]\nlate = 3.5\n", "\(path), line 2: 'late' must be "),
    ] {
      try write(text)
      try daemon.reload()
      let warning = try #require(try client.status().warning)
      let head = "the configuration is wrong, and what was in force stays: "
      #expect(warning.hasPrefix(head + sentence), "\(warning)")
      try daemon.process.awaitLine(warning)
    }
    #expect(try daemon.ledger() == ledger && client.get("old").id == old.id)
    #expect(try newPolicies("new", client) == ["skip", nil, nil])
    try write("[daemon]\n")
    try daemon.reload()
    #expect(try client.status().warning == nil)
    #expect(try newPolicies("newer", client) == [nil, nil, nil])
  }
}
