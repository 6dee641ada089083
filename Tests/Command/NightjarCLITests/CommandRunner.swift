import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar_rehearse

/// Runs the real `nightjar` as a process, with its own environment.
struct CommandRunner {
  /// What a command wrote, and its exit code.
  struct Result: Equatable, CustomStringConvertible {
    var status: Int32
    var output: String
    /// Without the line that names a page.
    var errors: String
    /// The last line of the errors, where it names a page. ReferenceTests compare it, and what
    /// compares sentences does not.
    private(set) var reference: String?

    init(_ status: Int32, _ output: String = "", errors: String = "") {
      self.status = status
      self.output = output
      self.errors = errors
      let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.count > 1, lines.last?.isEmpty == true,
        let last = lines.dropLast().last, last.hasPrefix("See ")
      else { return }
      reference = String(last)
      self.errors = String(errors.dropLast(last.count + 1))
    }

    /// The result of a command whose only output is a sentence on standard error.
    static func sentence(_ status: Int32, _ sentence: String) -> Result {
      Result(status, errors: "nightjar: \(sentence)\n")
    }

    static func == (one: Result, other: Result) -> Bool {
      one.status == other.status && one.output == other.output && one.errors == other.errors
    }

    var description: String {
      "exit \(status)\n--- output\n\(output)--- errors\n\(errors)\(reference ?? "")\n---"
    }
  }

  /// The time limit of a command, in seconds.
  static let limitSeconds = 30.0

  let folder: TestFolder
  var environment: [String: String]
  var executable: String

  init(socket: String? = nil, zone: String = "UTC") throws {
    folder = try TestFolder()
    executable = try Binaries.nightjar()
    environment = ["HOME": folder.path, "TZ": zone, "PATH": "/usr/bin:/bin", "TERM": "xterm"]
    environment["NIGHTJAR_SOCKET"] = socket
  }

  /// The folder of the user's configuration.
  var configFolder: String { folder.path + "/.config/nightjar" }

  /// Writes the file with the user's configuration.
  func configure(_ text: String) throws {
    try makeFolder(configFolder)
    try text.write(toFile: "\(configFolder)/config.toml", atomically: true, encoding: .utf8)
  }

  /// Runs the command to its end, without a terminal.
  func run(_ arguments: String...) throws -> Result { try run(arguments) }

  func run(_ arguments: [String]) throws -> Result { try start(arguments).finish() }

  func start(_ arguments: [String]) throws -> RunningCommand {
    try RunningCommand(self, arguments)
  }

  /// Runs the commands of a text, and compares what they print. A command stands behind `$ `, and
  /// its output below it. Before a line of standard error are the exit status and `! `.
  func check(_ session: String, at location: SourceLocation = #_sourceLocation) throws {
    let blocks = "\n\(session)".components(separatedBy: "\n$ ")
    #expect(
      blocks.count > 1 && blocks[0].isEmpty, "it begins with no command", sourceLocation: location)
    for block in blocks.dropFirst() {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      var expected = Result(0)
      var statuses: Set<Int32> = []
      for line in lines.dropFirst() {
        if let said = line.wholeMatch(of: #/([0-9]+)! (.*)/#)?.output {
          expected.status = Int32(said.1) ?? -1
          statuses.insert(expected.status)
          expected.errors += "nightjar: \(said.2)\n"
        } else {
          expected.output += "\(line)\n"
        }
      }
      #expect(statuses.count < 2, "\(lines[0]) has two statuses", sourceLocation: location)
      #expect(
        try run(ScriptLine(lines[0]).words) == expected, "\(lines[0])", sourceLocation: location)
    }
  }

  /// Runs the command with standard output on a terminal; with input, the other streams as well.
  func runOnTerminal(_ arguments: [String], typing: String? = nil) throws -> Result {
    var (main, side): (Int32, Int32) = (-1, -1)
    guard openpty(&main, &side, nil, nil, nil) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    defer {
      close(main)
      close(side)
    }
    let running = try RunningCommand(self, arguments, terminal: side, terminalIsAll: typing != nil)
    if let typing {
      _ = Array(typing.utf8).withUnsafeBytes { write(main, $0.baseAddress, $0.count) }
    }
    // A terminal buffers a few kilobytes, and then blocks the writer.
    var text: [UInt8] = []
    let limit = Date(timeIntervalSinceNow: Self.limitSeconds)
    while running.isRunning, Date() < limit { text += Self.read(main, withinMsec: 2) }
    var result = try running.finish()
    // All output has arrived by now. The terminal's end of file would come only when its last user
    // closes it.
    while case let rest = Self.read(main, withinMsec: 0), !rest.isEmpty { text += rest }
    result.output = String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
    return result
  }

  /// The bytes that are available, or arrive within a short time.
  private static func read(_ descriptor: Int32, withinMsec: Int32) -> [UInt8] {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, withinMsec) > 0 else { return [] }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &chunk, chunk.count)
    return Array(chunk[..<max(0, count)])
  }
}

/// A running command, with its two outputs in files.
final class RunningCommand {
  private let folder: TestFolder
  private let process: ChildProcess

  private var output: String { folder.path + "/output" }
  private var errors: String { folder.path + "/errors" }

  fileprivate init(
    _ runner: CommandRunner, _ arguments: [String], terminal: Int32? = nil,
    terminalIsAll: Bool = false
  ) throws {
    let folder = try TestFolder()
    self.folder = folder
    let files = ["output", "errors"].map {
      open("\(folder.path)/\($0)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }
    defer { for file in files { close(file) } }
    var descriptors = [STDOUT_FILENO: files[0], STDERR_FILENO: files[1]]
    if let terminal {
      for number in terminalIsAll ? [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] : [STDOUT_FILENO] {
        descriptors[number] = terminal
      }
    }
    process = try ChildProcess(
      [runner.executable] + arguments, environment: runner.environment, descriptors: descriptors)
  }

  var id: pid_t { process.pid }

  var isRunning: Bool { !process.changes.all.contains { $0.isEnd } }

  func signal(_ number: Int32) { process.signal(number) }

  /// Waits at most ten seconds for output.
  func waitForOutput(_ isThere: (String) -> Bool) throws { try wait(for: output, isThere) }
  func waitForErrors(_ isThere: (String) -> Bool) throws { try wait(for: errors, isThere) }

  private func wait(for file: String, _ isThere: (String) -> Bool) throws {
    let limit = Date(timeIntervalSinceNow: 10)
    while Date() < limit, isRunning {
      if isThere(try String(contentsOfFile: file, encoding: .utf8)) { return }
      poll(nil, 0, 5)
    }
  }

  /// Waits for the end, and kills the process after the time limit.
  func finish() throws -> CommandRunner.Result {
    let status: Int32 =
      switch try process.awaitEnd(within: CommandRunner.limitSeconds) {
      case .exited(let code): code
      case .killed(let signal): 128 + signal
      case .stopped, .continued: -1
      }
    let result = CommandRunner.Result(
      status, try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
    // Where the usage is wrong, there is always a page that says more, unless the sentence asks
    // what was meant, or the arguments are no text.
    if result.status == 64, result.errors.hasPrefix("nightjar: "), !result.errors.hasSuffix("?\n"),
      !result.errors.hasPrefix("nightjar: an argument is not UTF-8")
    {
      #expect(result.reference != nil, "\(result)")
    }
    return result
  }
}
