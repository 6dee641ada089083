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

  /// Starts a timer with parameters in JSON, and returns the timer of the reply.
  private func start(_ parameters: String, on daemon: DaemonProcess) throws -> JSONValue {
    let reply = try daemon.rawSocket().call("org.nightjar.Timers.Start", parameters)
    return try #require(reply.parameters["timer"], "\(parameters): \(reply)")
  }

  /// The values of `late`, `fire_within_usec` and `missed` of a new countdown.
  private func policies(_ timer: JSONValue) -> [JSONValue?] {
    ["late", "fire_within_usec", "missed"].map { timer[$0] }
  }

  // MARK: Settings

  @Test func `The file can lower the limit on timers`() throws {
    try write("[daemon]\nmaximum_timers = 2\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    for name in ["a", "b"] { try client.start(name, usec: hour) }
    #expect(
      try client.refusal(of: .start(name: "c", durationUsec: hour))
        == .limitExceeded(limit: "timers", value: 2))
    try write("[daemon]\nmaximum_timers = 1\n")
    try daemon.reload()
    #expect(try client.names().sorted() == ["a", "b"])
    #expect(
      try client.refusal(of: .start(name: "c", durationUsec: hour))
        == .limitExceeded(limit: "timers", value: 1))
    // Without the file, the built-in limit applies again.
    try FileManager.default.removeItem(atPath: path)
    try daemon.reload()
    try client.start("c", usec: hour)
    #expect(try daemon.status().warning == nil)
  }

  @Test func `The file is found by XDG_CONFIG_HOME or by the command line`() throws {
    try makeFolder("\(rig.path)/xdg/nightjar")
    try write("[daemon]\nmaximum_timers = 1\n", to: "\(rig.path)/xdg/nightjar/config.toml")
    try write("[daemon]\nmaximum_timers = 2\n", to: "\(rig.path)/other.toml")
    try write("[daemon]\nmaximum_timers = 3\n")
    func limit(_ configure: (inout DaemonProcess.Options) -> Void) throws -> Int64 {
      let daemon = try rig.daemon { options in
        options.stateFolder += "-\(Now.boottimeUsec)"
        configure(&options)
      }
      defer { daemon.process.kill() }
      let client = try daemon.connect()
      for number in 0..<4 {
        let call = Call.start(name: "t\(number)", durationUsec: hour)
        let answer = try client.callAll([call], deadline: .after(usec: 30 * second))[0]
        if case .failure(.limitExceeded(_, let value)) = answer { return value }
      }
      return 0
    }
    #expect(try limit { _ in } == 3)
    let xdg = ["XDG_CONFIG_HOME": "\(rig.path)/xdg"]
    #expect(try limit { $0.environment = xdg } == 1)
    func name(_ file: String, in options: inout DaemonProcess.Options) {
      options.environment = xdg
      options.arguments = [
        "--socket", options.socketPath, "--state-dir", options.stateFolder, "--config",
        "\(options.folder)/\(file)",
      ]
    }
    #expect(try limit { name("other.toml", in: &$0) } == 2)
    // Such a file has to exist.
    let warning = try rig.daemon { name("none", in: &$0) }.status().warning
    #expect(warning?.hasSuffix("\(rig.path)/none: there is no such file") == true)
  }

  // MARK: Reloading

  @Test func `SIGHUP applies what the file contains now, and changes no existing timer`() throws {
    try write("[daemon]\nlate = \"skip\"\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    try client.start("rung", usec: 1000)
    _ = try daemon.events(after: 0).event { $0.type == "rang" }
    _ = try client.call(.perform(.dismiss, name: "rung"))
    try client.start("over", usec: 1000)
    _ = try daemon.events(after: 0).event { $0.type == "rang" && $0.name == "over" }
    let old = try start(#"{"name":"old","duration_usec":9000000000}"#, on: daemon)
    #expect(policies(old) == ["skip", nil, nil])
    let before = try daemon.ledger()

    try write("[daemon]\nlate = \"5s\"\nretention_days = 1\nmaximum_timers = 100\n")
    try daemon.reload()
    let reply = try client.call(.get(name: "old"))
    #expect(policies(try #require(reply["timer"])) == ["skip", nil, nil])
    let deadline = "deadline_boottime_usec"
    #expect(old[deadline] != nil && reply["timer"]?[deadline] == old[deadline])
    #expect(reply["timer"]?["id"] == old["id"])
    #expect(try client.get("over").state == .over)
    let new = try start(#"{"name":"new","duration_usec":9000000000}"#, on: daemon)
    #expect(policies(new) == [nil, .integer(5 * second), nil])
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
    #expect(try client.get("tea").labels.first?.value == "699")
    try daemon.terminate()
    #expect(try rig.daemon().connect().get("tea").labels.first?.value == "699")
  }

  // MARK: A file that is wrong

  @Test
  func `With a wrong file the daemon starts with its own defaults, and reports it in one sentence`()
    throws
  {
    try write("[daemon]\nlate = \"skip\"\nretention_day = 3\n")
    let daemon = try rig.daemon()
    let sentence =
      "the configuration is wrong, and the built-in defaults are in force: \(path), line 3: "
      + "[daemon] has no key 'retention_day'; did you mean 'retention_days'?"
    #expect(try daemon.status().warning == sentence)
    #expect(daemon.process.output.contains("nightjard: \(sentence)"))
    // None of its settings apply.
    let timer = try start(#"{"name":"a","duration_usec":9000000000}"#, on: daemon)
    #expect(policies(timer) == [nil, nil, nil])
  }

  @Test func `A reload of a wrong file changes nothing, and is reported until the file is right`()
    throws
  {
    try write("[daemon]\nlate = \"skip\"\n")
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let old = try client.start("old", usec: hour)
    let ledger = try daemon.ledger()
    for (text, sentence) in [
      ("[daemon]\nlate = fire\n", "\(path), line 2, column 9: this is no TOML: "),
      ("[daemon]\nlate = 3.5\n", "\(path), line 2: 'late' must be "),
    ] {
      try write(text)
      try daemon.reload()
      let warning = try #require(try daemon.status().warning)
      let head = "the configuration is wrong, and what was in force stays: "
      #expect(warning.hasPrefix(head + sentence), "\(warning)")
      try daemon.process.lines.next("the warning in the log") { $0.contains(warning) }
    }
    #expect(try daemon.ledger() == ledger)
    #expect(try client.get("old").id == old.id)
    let new = try start(#"{"name":"new","duration_usec":9000000000}"#, on: daemon)
    #expect(policies(new) == ["skip", nil, nil])

    try write("[daemon]\n")
    try daemon.reload()
    #expect(try daemon.status().warning == nil)
    let newer = try start(#"{"name":"newer","duration_usec":9000000000}"#, on: daemon)
    #expect(policies(newer) == [nil, nil, nil])
  }
}
