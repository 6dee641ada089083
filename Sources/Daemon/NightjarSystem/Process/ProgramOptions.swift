internal import Glibc
internal import NightjarInterface
internal import Varlink

/// The command line of a program: options with a path each, flags, `--version` and `--help`.
/// Written by hand, because swift-argument-parser would link Foundation.
public struct ProgramOptions: Sendable {
  /// An option that takes a path.
  public struct Option: Sendable {
    /// The name of the option, without the dashes.
    public let name: String
    /// The name of the option's value in the help.
    public let value: String
    /// The help text of the option, line by line.
    public let help: [String]

    public init(_ name: String, value: String, help: [String]) {
      (self.name, self.value, self.help) = (name, value, help)
    }

    /// The option as the user types it.
    public var text: String { "--\(name)" }
  }

  public enum Parsed: Equatable, Sendable {
    /// The program is to run: the absolute paths of the options and the flags that the user gave,
    /// by their names without dashes.
    case run(paths: [String: String], flags: Set<String>)
    /// The program is only to print this text to standard output.
    case text(String)
    /// The arguments are wrong: one sentence that names the mistake.
    case wrong(String)
  }

  private let program: String
  private let version: String
  private let summary: String
  private let options: [Option]
  private let flags: [(name: String, help: String)]

  /// - Parameters:
  ///   - program: the program's name.
  ///   - version: the version that `--version` prints.
  ///   - summary: the program's purpose, in one line.
  ///   - options: the options in the order of the help.
  ///   - flags: the names of the flags without dashes, and their help texts.
  public init(
    program: String, version: String, summary: String, options: [Option],
    flags: [(name: String, help: String)]
  ) {
    self.program = program
    self.version = version
    self.summary = summary
    self.options = options
    self.flags = flags
  }

  /// The text of `--help`.
  public var usage: String {
    let rows =
      options.map { ("\($0.text) \($0.value)", $0.help) }
      + flags.map { ("--\($0.name)", [$0.help]) }
      + [("--version", ["print the version"]), ("--help", ["print this"])]
    let lines = rows.flatMap { name, help in
      zip([name] + repeatElement("", count: help.count - 1), help).map { name, help in
        "  \(name)\(String(repeating: " ", count: 17 - name.utf8.count))\(help)"
      }
    }
    let words =
      options.map { "[\($0.text) \($0.value)]" } + flags.map { "[--\($0.name)]" }
    return """
      Usage: \(program) \(words.joined(separator: " "))
      \(summary)
      \(lines.joined(separator: "\n"))

      """
  }

  /// Parses the arguments after the program's name.
  public func parse(_ arguments: some Collection<String>) -> Parsed {
    var paths: [String: String] = [:]
    var given: Set<String> = []
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      switch parts.first {
      case "--help", "-h": return .text(usage)
      case "--version": return .text("\(program) \(version)\n")
      case let flag? where flags.contains { "--\($0.name)" == flag }:
        given.insert(String(flag.dropFirst(2)))
      default:
        guard let option = options.first(where: { $0.text == parts.first }) else {
          return .wrong("'\(argument)' is not an option; `\(program) --help` lists them")
        }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          return .wrong("\(option.text) needs a path behind it")
        }
        paths[option.name] = Self.absolute(value)
      }
    }
    return .run(paths: paths, flags: given)
  }

  /// Parses the arguments of the process. Prints the requested text or the mistake, or else runs
  /// `body`.
  ///
  /// - Parameter body: runs the program with the paths and the flags, and returns the exit code.
  /// - Returns: the exit code: 64 for wrong usage, 0 after `--help` or `--version`.
  public func run(
    _ arguments: [String], _ body: (_ paths: [String: String], _ flags: Set<String>) -> Int32
  ) -> Int32 {
    switch parse(arguments.dropFirst()) {
    case .text(let text):
      Self.write(text, to: STDOUT_FILENO)
      return 0
    case .wrong(let sentence):
      complain(sentence)
      return 64
    case .run(let paths, let flags): return body(paths, flags)
    }
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  // MARK: - Output

  public static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      // If this fails, the text cannot be written anywhere else.
      _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }

  /// Writes the program's name and a sentence to standard error.
  public func complain(_ sentence: String) {
    Self.write("\(program): \(VisibleText.visible(sentence))\n", to: STDERR_FILENO)
  }
}

public enum ProcessEnvironment {
  /// The value of a variable; nil: it is not set. If HOME is not set, the home folder from the user
  /// database.
  public static func variable(_ name: String) -> String? {
    if let value = getenv(name) { return String(cString: value) }
    guard name == "HOME", let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else {
      return nil
    }
    return String(cString: home)
  }

  /// The path of the socket on which this user's daemon listens; nil if the environment does not
  /// determine it.
  public static var socketPath: String? {
    NightjarPaths.socket(environment: variable, uid: getuid(), directoryExists: isFolder)
  }

  public static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }
}
