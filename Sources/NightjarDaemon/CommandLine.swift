internal import Glibc
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// The daemon as a program. swift-argument-parser would bring Foundation into it.
public enum Main {
  /// The options that take a value.
  private enum Option: String, CaseIterable {
    case socket
    case stateDir = "state-dir"
    case config

    /// What it takes.
    var value: String {
      switch self {
      case .socket, .config: "PATH"
      case .stateDir: "DIR"
      }
    }

    /// As it is typed.
    var text: String { "--\(rawValue)" }

    var help: [String] {
      switch self {
      case .socket: ["listen here (default: $XDG_RUNTIME_DIR/nightjar/socket)"]
      case .stateDir:
        ["keep state here (default: $XDG_STATE_HOME/nightjar, or ~/.local/state/nightjar)"]
      case .config:
        [
          "read its defaults here (default: $XDG_CONFIG_HOME/nightjar/config.toml, or",
          "~/.config/nightjar/config.toml); SIGHUP reads them anew",
        ]
      }
    }
  }

  /// The flag with which it only looks at its configuration.
  private static let checkFlag = "--check-config"

  private static var usage: String {
    let options = Option.allCases
    let rows =
      options.map { ("\($0.text) \($0.value)", $0.help) }
      + [
        (checkFlag, ["say what is wrong with the configuration, and do nothing"]),
        ("--version", ["print the version"]), ("--help", ["print this"]),
      ]
    let lines = rows.flatMap { name, help in
      zip([name] + repeatElement("", count: help.count - 1), help).map { name, help in
        "  \(name)\(String(repeating: " ", count: 17 - name.utf8.count))\(help)"
      }
    }
    return """
      Usage: nightjard \(options.map { "[\($0.text) \($0.value)]" }.joined(separator: " ")) [\(checkFlag)]
      Keeps timers through suspend, stop, crash and reboot; `nightjar` is its command line.
      \(lines.joined(separator: "\n"))

      """
  }

  /// Runs the daemon with the process's arguments, and returns its exit code: 0 ended by a signal
  /// with everything saved, 1 failed, 64 wrong usage.
  public static func run(_ arguments: [String]) -> Int32 {
    var configuration: DaemonConfiguration
    switch parse(Array(arguments.dropFirst())) {
    case .configuration(let parsed): configuration = parsed
    case .text(let text):
      write(text, to: STDOUT_FILENO)
      return 0
    case .check(let configuration): return check(configuration)
    case .failure(let code, let sentence):
      write("nightjard: \(VisibleText.visible(sentence))\n", to: STDERR_FILENO)
      return code
    }
    raiseDescriptorLimit()
    // Whoever started us may want to unmount the folder we were started in; all paths are absolute.
    if chdir("/") != 0 { Log.write(.notice, "the working directory stays as it is, ignoring") }
    do throws(StartFailure) {
      return try Daemon(configuration).run()
    } catch {
      Log.write(.error, error.description)
      return 1
    }
  }

  private enum Parsed {
    case configuration(DaemonConfiguration)
    case check(DaemonConfiguration)
    case text(String)
    case failure(Int32, String)
  }

  private static func parse(_ arguments: [String]) -> Parsed {
    var given: [Option: String] = [:]
    var isCheck = false
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      switch parts.first {
      case "--help", "-h": return .text(usage)
      case "--version": return .text("nightjard \(NightjarVersion.current)\n")
      case checkFlag: isCheck = true
      default:
        guard let option = Option.allCases.first(where: { $0.text == parts.first }) else {
          return .failure(64, "'\(argument)' is not an option; `nightjard --help` lists them")
        }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          return .failure(64, "\(option.text) needs a path behind it")
        }
        given[option] = absolute(value)
      }
    }
    let parsed = configuration(
      socket: given[.socket], folder: given[.stateDir], config: given[.config])
    if isCheck, case .configuration(let configuration) = parsed { return .check(configuration) }
    return parsed
  }

  /// Reads the configuration as a daemon would, and says what is wrong with it on standard output: 0 nothing,
  /// 1 a sentence.
  private static func check(_ configuration: DaemonConfiguration) -> Int32 {
    let problem = Settings.problem(
      path: configuration.configPath, isRequired: configuration.requiresConfig)
    guard let problem else { return 0 }
    write("\(VisibleText.visible(problem))\n", to: STDOUT_FILENO)
    return 1
  }

  private static func configuration(socket: String?, folder: String?, config: String?) -> Parsed {
    let uid = getuid()
    let found =
      socket
      ?? NightjarPaths.socket(environment: variable, uid: uid) { path in
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
      }
    guard let found else {
      return .failure(1, "neither XDG_RUNTIME_DIR nor HOME is set; say where with --socket PATH")
    }
    guard let state = folder ?? NightjarPaths.stateDirectory(environment: variable) else {
      return .failure(1, "neither XDG_STATE_HOME nor HOME is set; say where with --state-dir DIR")
    }
    return .configuration(
      DaemonConfiguration(
        socketPath: found, stateFolder: state,
        configPath: config ?? NightjarPaths.configFile(environment: variable),
        requiresConfig: config != nil))
  }

  /// A variable of the environment; for HOME, what the user database has if it is not set.
  private static func variable(_ name: String) -> String? {
    if let value = getenv(name) { return String(cString: value) }
    guard name == "HOME", let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else {
      return nil
    }
    return String(cString: home)
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// A connection takes a descriptor; the usual soft limit of 1,024 is for programs with select(2).
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(Limits.connections + 64))
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
      Log.write(.notice, "the limit of open files stays as it is, ignoring")
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      // There is nobody left to tell if this fails.
      _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }
}
