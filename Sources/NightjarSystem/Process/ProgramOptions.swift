internal import Glibc
internal import NightjarInterface
internal import NightjarVarlink

/// The command line of a program that links no Foundation: options with a path each, flags, `--version` and `--help`.
/// swift-argument-parser would bring Foundation into it.
public struct ProgramOptions: Sendable {
  /// An option that takes a path.
  public struct Option: Sendable {
    /// Its name, without the dashes.
    public let name: String
    /// What it takes, as help shows it.
    public let value: String
    /// What it is for, a line each.
    public let help: [String]

    /// An option.
    public init(_ name: String, value: String, help: [String]) {
      (self.name, self.value, self.help) = (name, value, help)
    }

    /// As it is typed.
    public var text: String { "--\(name)" }
  }

  /// What the arguments say.
  public enum Parsed: Equatable, Sendable {
    /// The paths of the options that were given, absolute, and the flags, both without dashes.
    case run(paths: [String: String], flags: Set<String>)
    /// A text for standard output.
    case text(String)
    /// One sentence that says what is wrong.
    case wrong(String)
  }

  private let program: String
  private let version: String
  private let summary: String
  private let options: [Option]
  private let flags: [(name: String, help: String)]

  /// - Parameters:
  ///   - program: its name.
  ///   - version: as `--version` prints it.
  ///   - summary: what it does, a line.
  ///   - options: in the order of the help.
  ///   - flags: their names without dashes, and what they are for.
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

  /// The help.
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

  /// Reads the arguments behind the program's name.
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

  /// Reads the arguments of the process, and does what they say.
  ///
  /// - Parameter body: runs the program with the paths and the flags; its result is the exit code.
  /// - Returns: the exit code: 64 for wrong usage, 0 where a text was asked for.
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

  // MARK: - Saying something

  /// Writes a text to a descriptor.
  public static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      // If this fails, there is no other place for the text.
      _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }

  /// Writes a sentence to standard error, behind the program's name.
  public func complain(_ sentence: String) {
    Self.write("\(program): \(VisibleText.visible(sentence))\n", to: STDERR_FILENO)
  }
}

/// The variables of this process.
public enum ProcessEnvironment {
  /// A variable; for HOME, what the user database has if it is not set.
  public static func variable(_ name: String) -> String? {
    if let value = getenv(name) { return String(cString: value) }
    guard name == "HOME", let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else {
      return nil
    }
    return String(cString: home)
  }

  /// Where the daemon of this user listens; nil if no variable says where.
  public static var socketPath: String? {
    NightjarPaths.socket(environment: variable, uid: getuid(), directoryExists: isFolder)
  }

  /// Whether there is a folder at a path.
  public static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }
}
