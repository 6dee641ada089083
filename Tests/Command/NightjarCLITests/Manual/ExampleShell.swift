import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar
@testable import nightjar_rehearse

/// A command in an example, without its `$ `, and the lines that it prints.
struct ExampleCommand {
  var typed: String
  var answer: [String] = []

  /// The commands of an example. A shell waits for more behind a quote, a backslash or a bar.
  static func all(in example: [String]) -> [ExampleCommand] {
    var commands: [ExampleCommand] = []
    for line in example {
      if let last = commands.last, last.answer.isEmpty, last.goesOn {
        commands[commands.count - 1].typed += "\n\(line)"
      } else if line.hasPrefix("$ ") {
        commands.append(ExampleCommand(typed: String(line.dropFirst(2))))
      } else if !commands.isEmpty {
        commands[commands.count - 1].answer.append(line)
      }
    }
    return commands
  }

  private var goesOn: Bool {
    if typed.contains("<<'END'") { return !typed.hasSuffix("\nEND") }
    return typed.hasSuffix("\\") || typed.hasSuffix("|") || typed.count { $0 == "'" } % 2 == 1
  }

  /// Those that wait for something, or need a service manager, a broker or a desktop, are only
  /// parsed.
  private static let notRun = [
    "nightjar watch", "nightjar wait", "--follow", "systemctl", "loginctl", "journalctl",
    "varlink.cli", "doctor --ring", "nightjar mqtt", "nightjar @", "--everywhere", "nightjard ",
    "/tmp/try", "mosquitto_sub", "mosquitto_passwd", "/etc/mosquitto", "ctrl ",
    "dynamic-security.json", "ntfy.sh", "nightjar help ", "gnome-extensions",
  ]

  fileprivate var isRun: Bool { !Self.notRun.contains { typed.contains($0) } }

  /// Checks that the parser takes every command of ours in a line of a shell.
  fileprivate func parse(of source: String) {
    for part in typed.replacing("\\\n", with: " ").split(separator: /\||&&|;|\n|\$\(/) {
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

/// A shell on a terminal, beside a real daemon: the examples of the manual pages, of README.md and
/// of the articles are typed into it.
struct ExampleShell {
  let daemon: DaemonProcess
  private(set) var runner: CommandRunner
  private let rig: Rig

  /// - Parameter hasFakeClocks: the clocks of the daemon and the commands go by a file. It is
  ///   14:28:10 then, and the machine can be made to sleep. Otherwise it is noon: what an example
  ///   starts rings today.
  init(hasFakeClocks: Bool = false) throws {
    rig = try Rig()
    let zone = hasFakeClocks ? "UTC" : Noon().zone
    var runner = try CommandRunner(socket: "\(rig.path)/socket", zone: zone)
    let home = runner.folder.path
    for folder in ["bin", ".config/nightjar"] { try makeFolder("\(home)/\(folder)") }
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/bin/nightjar", withDestinationPath: runner.executable)
    try writeFile(Self.netcat, to: "\(home)/bin/nc", mode: 0o755)
    try writeFile(Self.asleep, to: "\(home)/bin/asleep", mode: 0o755)
    daemon = try rig.daemon { options in
      options.environment = ["HOME": home, "TZ": zone, "PATH": "", "XDG_RUNTIME_DIR": ""]
      guard hasFakeClocks else { return }
      let now = Now.realtimeUsec / second % 86_400
      try options.fakeWallClock(seconds: (14 * 60 + 28) * 60 + 10 - now)
    }
    runner.environment["LANG"] = "C.UTF-8"
    runner.environment["NO_COLOR"] = "1"
    runner.environment["PATH"] = "\(home)/bin:/usr/bin:/bin"
    for variable in ["LD_PRELOAD", "NIGHTJAR_TEST_WALL_CLOCK"] {
      runner.environment[variable] = daemon.options.environment[variable]
    }
    self.runner = runner
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

  /// The machine seems to have slept for so many minutes. A file is replaced at once, so that the
  /// daemon never reads a part of it.
  private static let asleep = #"""
    #!/bin/sh
    read -r wall boot vouched <"$NIGHTJAR_TEST_WALL_CLOCK"
    echo "$((wall + 60 * $1)) $((boot + 60 * $1)) $vouched" >"$NIGHTJAR_TEST_WALL_CLOCK.new"
    mv "$NIGHTJAR_TEST_WALL_CLOCK.new" "$NIGHTJAR_TEST_WALL_CLOCK"
    """#

  /// Parses commands, types those that can run into one shell, and compares what is printed with
  /// what `source` shows. Commands of `world` come first.
  func check(_ commands: [ExampleCommand], of source: String, in world: String = ":") throws {
    for command in commands { command.parse(of: source) }
    let commands = commands.filter(\.isRun)
    let script = commands.enumerated().map { index, command in
      // These say from which moment on, and a page has their answers in UTC.
      let zone = command.typed.hasPrefix("nightjar analyze ") ? "TZ=UTC " : ""
      return "\(zone)\(command.typed)\nprintf '\\n@%s@%s@\\n' $? \(index)\n"
    }
    let start = "cd \"$HOME\"\n{ \(world)\n} >/dev/null || exit\n"
    var shell = runner
    shell.executable = "/bin/sh"
    let result = try shell.runOnTerminal(["-c", start + script.joined()])
    var rest = result.output[...]
    for (index, command) in commands.enumerated() {
      let mark = try #require(
        rest.firstRange(of: "\n@0@\(index)@\n"), "\(source): \(command.typed)\n\(result)")
      let told = Self.masked(command.answer.joined(separator: "\n")[...])
      if !told.isEmpty {
        #expect(Self.masked(rest[..<mark.lowerBound]) == told, "\(source): \(command.typed)")
      }
      rest = rest[mark.upperBound...]
    }
  }

  /// Numbers, and how wide columns are, may be others. A command asks some time after a ring, and a
  /// sleep of whole minutes is measured with a second more or less.
  private static func masked(_ text: Substring) -> [String] {
    text.split(whereSeparator: \.isNewline).map { line in
      line.replacing(/rang (just now|[0-9]+ s ago)/, with: "rang 0 min ago")
        .replacing(/slept, for [0-9]+ min( [0-9]+ s)? until/, with: "slept, for 0 min until")
        .replacing(/[0-9]+/, with: "0").split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
    }
  }
}
