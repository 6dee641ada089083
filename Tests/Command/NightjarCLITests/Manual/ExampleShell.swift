import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar
@testable import nightjar_rehearse

/// A shell on a terminal, beside a real daemon: the examples of the manual pages, of README.md and
/// of the articles are typed into it.
struct ExampleShell {
  let daemon: NightjarTestSupport.ChildProcess
  var runner: CommandRunner
  private let rig: Rig

  /// Commands that wait for something, or need a service manager or a broker: they are parsed, not
  /// run.
  private static let notRun = [
    "nightjar watch", "nightjar wait", "--follow", "systemctl", "loginctl", "journalctl",
    "varlink.cli", "doctor --ring", "nightjar mqtt", "nightjar @", "--everywhere", "nightjard ",
    "/tmp/try", "mosquitto_sub", "mosquitto_passwd", "/etc/mosquitto",
    "ctrl ", "dynamic-security.json", "ntfy.sh", "nightjar mqtt share", "nightjar mqtt join",
    "nightjar mqtt leave", "nightjar help ",
  ]

  /// - Parameter hasFakeClocks: the clocks of the daemon and the commands go by a file. It is
  ///   14:28:10 then, and the machine can be made to sleep. Otherwise it is noon: what an example
  ///   starts rings today.
  init(hasFakeClocks: Bool = false) throws {
    rig = try Rig()
    let zone = hasFakeClocks ? "UTC" : Noon().zone
    runner = try CommandRunner(socket: "\(rig.path)/socket", zone: zone)
    let home = runner.folder.path
    runner.environment["LANG"] = "C.UTF-8"
    runner.environment["NO_COLOR"] = "1"
    runner.environment["PATH"] = "\(home)/bin:/usr/bin:/bin"
    for folder in ["bin", ".config/nightjar"] {
      try makeFolder("\(home)/\(folder)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/bin/nightjar", withDestinationPath: try Binaries.nightjar())
    runner.executable = try Binaries.nightjar()
    var environment = [
      "HOME": home, "TZ": runner.environment["TZ"] ?? "",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
    ]
    if hasFakeClocks {
      let file = "\(rig.path)/clocks"
      let clocks = [
        "LD_PRELOAD": try Binaries.library("FakeWallClock"), "NIGHTJAR_TEST_WALL_CLOCK": file,
      ]
      let start = (14 * 60 + 28) * 60 + 10 - Now.realtimeUsec / second % 86_400
      try "\(start) 0\n".write(toFile: file, atomically: true, encoding: .utf8)
      environment.merge(clocks) { $1 }
      runner.environment.merge(clocks) { $1 }
    }
    daemon = try rig.start(
      [Binaries.nightjard(), "--socket", "\(rig.path)/socket", "--state-dir", "\(rig.path)/state"],
      environment: environment)
    try write(Self.netcat, to: "bin/nc", mode: 0o755)
    try daemon.lines.next("the daemon") { $0.contains("ready") }
  }

  /// Writes a file in the home folder.
  func write(_ text: String, to name: String, mode: Int) throws {
    let path = "\(runner.folder.path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Does what netcat-openbsd does with -U and -N; a stream ends when all is sent that there was.
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

  /// The command with which the machine seems to have slept for so many seconds. A file is replaced
  /// at once, so that the daemon never reads a part of it.
  static func sleep(seconds: Int) -> ManualExample.Command {
    let typed = #"""
      read -r wall boot <"$NIGHTJAR_TEST_WALL_CLOCK"
      echo "$((wall + SLEPT)) $((boot + SLEPT))" >"$NIGHTJAR_TEST_WALL_CLOCK.new"
      mv "$NIGHTJAR_TEST_WALL_CLOCK.new" "$NIGHTJAR_TEST_WALL_CLOCK"
      """#
    return ManualExample.Command(typed: typed.replacing("SLEPT", with: "\(seconds)"), answer: [])
  }

  /// Those of the commands that are run.
  static func run(of commands: [ManualExample.Command]) -> [ManualExample.Command] {
    commands.filter { command in !notRun.contains { command.typed.contains($0) } }
  }

  /// Types commands into one shell, and compares what is printed with what `source` shows.
  func check(_ commands: [ManualExample.Command], of source: String) throws {
    let run = Self.run(of: commands)
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
        "\(source): \(command.typed)\n\(result)")
      let status = mark.output[1].substring ?? ""
      #expect(status == "0", "\(source): \(command.typed)\n\(result)")
      let answer = rest[..<mark.range.lowerBound]
      if command.answer.contains(where: { !$0.isEmpty }) {
        #expect(
          Self.masked(String(answer)) == Self.masked(command.answer.joined(separator: "\n")),
          "\(source): \(command.typed)")
      }
      rest = rest[mark.range.upperBound...]
    }
  }

  /// Numbers, and how wide columns are, may be others. A command asks some time after a ring, and
  /// on a machine that has much to do that is a second or more. A sleep of whole minutes is
  /// measured with a second more or less.
  private static func masked(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map { line in
      line.replacing(/rang (just now|[0-9]+ s ago)/, with: "rang 0 min ago").replacing(
        /slept, for [0-9]+ min( [0-9]+ s)? until/, with: "slept, for 0 min until"
      ).replacing(/[0-9]+/, with: "0").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// Checks that the parser takes every command of ours in a line of a shell.
  static func parse(_ typed: String, of source: String) throws {
    let text = typed.split(separator: "\n<<").first.map(String.init) ?? typed
    for part in text.replacing("\\\n", with: " ").split(separator: /\||&&|;|\n|\$\(/) {
      guard let words = try? ScriptLine(part.trimmingCharacters(in: .whitespaces)).words,
        words.first == "nightjar"
      else { continue }
      let arguments = words.dropFirst().prefix { !$0.hasPrefix(">") && $0 != "<<END" }
      #expect(throws: Never.self, "\(source): \(part)") {
        _ = try Program.parsed(Array(arguments))
      }
    }
  }
}
