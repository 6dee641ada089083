import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

@testable import nightjar
@testable import nightjar_rehearse

/// The examples on the manual pages are typed into a shell on a terminal, beside a real daemon.
@Suite(.blocking) struct ManualExampleTests {
  private let rig: Rig
  private var daemon: NightjarTestSupport.ChildProcess?
  private var runner: CommandRunner

  /// What waits for something, or is for a machine with a service manager or a broker: looked at, not run.
  private static let notRun = [
    "nightjar watch", "nightjar wait", "--follow", "systemctl", "loginctl", "journalctl",
    "varlink.cli", "doctor --ring", "nightjar mqtt", "nightjar @", "--everywhere", "nightjard ",
    "/tmp/try", "mosquitto_sub", "mosquitto_passwd", "/etc/mosquitto",
    "ctrl ", "dynamic-security.json", "ntfy.sh", "nightjar share", "nightjar join",
    "nightjar leave", "nightjar help ",
  ]

  /// What there is where a page does not start it: a timer of each kind, and one that rang.
  private static let world = [
    "start tea 4min", "pause tea", "resume tea", "start egg 6min", "shorten egg 6min", "wait egg",
    "start run/4711/mate 50min --label project=site",
  ]
  private static let moreOfIt = [
    "stopwatch run", "sequence pomodoro work=25min rest=5min --loop 4",
    "alarm wake weekdays 7:00",
  ]

  init() throws {
    rig = try Rig()
    // Whatever a page starts rings today, whatever the hour.
    runner = try CommandRunner(socket: "\(rig.path)/socket", zone: Noon().zone)
    let home = runner.folder.path
    runner.environment["LANG"] = "C.UTF-8"
    runner.environment["NO_COLOR"] = "1"
    runner.environment["PATH"] = "\(home)/bin:/usr/bin:/bin"
    for folder in ["bin", ".config/nightjar"] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(folder)", withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/bin/nightjar", withDestinationPath: try Binaries.nightjar())
    runner.executable = try Binaries.nightjar()
    try write(Self.netcat, to: "bin/nc", mode: 0o755)
    let daemon = try rig.start(
      [Binaries.nightjard(), "--socket", "\(rig.path)/socket", "--state-dir", "\(rig.path)/state"],
      environment: [
        "HOME": home, "TZ": runner.environment["TZ"] ?? "",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
      ])
    try daemon.lines.next("the daemon") { $0.contains("ready") }
    self.daemon = daemon
  }

  private func write(_ text: String, to name: String, mode: Int) throws {
    let path = "\(runner.folder.path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The file that nightjar.toml(5) shows.
  private static var configuration: String {
    for case .example(let lines) in ManualPage.named("nightjar.toml.5")?.blocks ?? [] {
      return lines.joined(separator: "\n")
    }
    return ""
  }

  /// Does what netcat-openbsd does with -U and -N; a stream ends when all is told that there was.
  private static let netcat = #"""
    #!/usr/bin/python3
    import socket, sys
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[2])
    peer.sendall(sys.stdin.buffer.read())
    if "N" in sys.argv[1]:
        peer.shutdown(socket.SHUT_WR)
    while data := peer.recv(65536):
        sys.stdout.buffer.write(data)
        if b'"synced":true' in data:
            break
    """#

  @Test(arguments: ManualPage.fileNames)
  func `Examples do what their page says`(name: String) throws {
    let page = try #require(ManualPage.named(name))
    let commands = page.blocks.flatMap(\.commands)
    let run = commands.filter { command in
      !Self.notRun.contains { command.typed.contains($0) }
    }
    for command in commands { try parse(command.typed, name) }
    guard !run.isEmpty else { return }
    try prepare(page)
    var script = "cd \"$HOME\"\n"
    for (index, command) in run.enumerated() {
      // These say from which moment on, and a page has their answers in UTC.
      let zone = command.typed.hasPrefix("nightjar analyze ") ? "TZ=UTC " : ""
      script += "\(zone)\(command.typed)\nprintf '\\n@%s@%s@\\n' $? \(index)\n"
    }
    var shell = runner
    shell.executable = "/bin/sh"
    let result = try shell.runOnTerminal(["-c", script])
    var rest = result.output[...]
    for (index, command) in run.enumerated() {
      let mark = try #require(
        rest.firstMatch(of: try Regex("\n@([0-9]+)@\(index)@\n")),
        "\(name): \(command.typed)\n\(result)")
      let status = mark.output[1].substring ?? ""
      #expect(status == "0", "\(name): \(command.typed)\n\(result)")
      let answer = rest[..<mark.range.lowerBound]
      if command.answer.contains(where: { !$0.isEmpty }) {
        #expect(
          Self.masked(String(answer)) == Self.masked(command.answer.joined(separator: "\n")),
          "\(name): \(command.typed)")
      }
      rest = rest[mark.range.upperBound...]
    }
  }

  @Test func `The hook that its page shows says what rings`() throws {
    let page = try #require(ManualPage.named("nightjar-hooks.5"))
    let examples = page.blocks.filter { !$0.commands.isEmpty }
    let commands = try #require(examples.first).commands.map(\.typed)
    var shell = runner
    shell.executable = "/bin/sh"
    let made = try shell.run(["-c", "set -e; cd \"$HOME\"\n" + commands.joined(separator: "\n")])
    #expect(made.status == 0, "\(made)")
    #expect(try runner.run("start", "tea", "100ms").status == 0)
    _ = try #require(daemon).lines.next("what the hook prints") {
      $0.contains("10-say: tea rang, ") && $0.contains(" µs late")
    }
  }

  @Test func `Scripts of rehearsals and bands that pages show are understood`() throws {
    let scripts = try untyped("nightjar-rehearse.1").map { $0.joined(separator: "\n") }
    #expect(!scripts.isEmpty)
    for script in scripts {
      try write(script, to: "script", mode: 0o644)
      let played = try runner.run("rehearse", "\(runner.folder.path)/script")
      #expect(played.status == 0 && played.errors.isEmpty, "\(script)\n\(played)")
    }
    let bands = try untyped("nightjar-start.1").flatMap(\.self)
    #expect(!bands.isEmpty)
    for band in bands {
      let started = try runner.run("start", "1h", "--band", band)
      #expect(started.status == 0, "\(band): \(started)")
    }
  }

  /// The examples on a page that nobody types into a shell.
  private func untyped(_ name: String) throws -> [[String]] {
    let page = try #require(ManualPage.named(name))
    return page.blocks.compactMap { block in
      guard case .example(let lines) = block, block.commands.isEmpty else { return nil }
      return lines
    }
  }

  /// Makes what a page's examples stand on.
  private func prepare(_ page: ManualPage) throws {
    let typed = page.blocks.flatMap(\.commands).map(\.typed)
    let starts = ["start", "alarm", "stopwatch", "sequence"].map { "nightjar \($0) " }
    if page.fileName == "nightjar.toml.5" {
      try write(Self.configuration, to: ".config/nightjar/config.toml", mode: 0o644)
    }
    guard !typed.contains(where: { command in starts.contains { command.hasPrefix($0) } }) else {
      return
    }
    for line in Self.world + (page.name == "nightjar-list" ? [] : Self.moreOfIt) {
      let result = try runner.run(line.split(separator: " ").map(String.init))
      #expect(result.status == 0, "\(line): \(result)")
    }
  }

  /// Numbers, and how wide columns are, may be others. A command asks some time after a ring, and on a machine that
  /// has much to do that is a second or more.
  private static func masked(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map { line in
      line.replacing(/rang (just now|[0-9]+ s ago)/, with: "rang 0 min ago")
        .replacing(/[0-9]+/, with: "0")
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// Every command of ours in a line of a shell's is one that the parser takes.
  private func parse(_ typed: String, _ page: String) throws {
    let text = typed.split(separator: "\n<<").first.map(String.init) ?? typed
    for part in text.replacing("\\\n", with: " ").split(separator: /\||&&|;|\n|\$\(/) {
      guard let words = try? ScriptLine(part.trimmingCharacters(in: .whitespaces)).words,
        words.first == "nightjar"
      else { continue }
      let arguments = words.dropFirst().prefix { !$0.hasPrefix(">") && $0 != "<<END" }
      #expect(throws: Never.self, "\(page): \(part)") {
        _ = try Program.parsed(Array(arguments))
      }
    }
  }
}
