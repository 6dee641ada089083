internal import Glibc
internal import NightjarConfig
internal import NightjarDesktop
internal import NightjarInterface
internal import NightjarSystem
internal import Varlink

public enum Main {
  private static let options = ProgramOptions(
    program: "nightjar-mqtt", version: NightjarVersion.current,
    summary: "Connects your machines' timers by an MQTT broker; see nightjar-mqtt(1).",
    options: [
      ProgramOptions.Option(
        "socket", value: "PATH",
        help: ["the daemon's socket (default: $XDG_RUNTIME_DIR/nightjar/socket)"]),
      ProgramOptions.Option(
        "state-dir", value: "DIR",
        help: [
          "keep the sessions here (default: $XDG_STATE_HOME/nightjar, or",
          "~/.local/state/nightjar)",
        ]),
      ProgramOptions.Option(
        "config", value: "PATH",
        help: [
          "read [mqtt] here (default: $XDG_CONFIG_HOME/nightjar/config.toml, or",
          "~/.config/nightjar/config.toml)",
        ]),
    ],
    flags: [("check-config", "say what is wrong with the configuration, and do nothing")])

  /// The signals at which the bridge exits.
  private static let endings = [SIGTERM, SIGINT]

  /// Why the bridge cannot run, in one sentence.
  private struct Problem: Error {
    let sentence: String
    var code: Int32 = 1
  }

  /// Runs the bridge with the process's arguments, and returns its exit code. 0: a signal ended the
  /// bridge; 1: it failed; 64: wrong usage; 78: the configuration is wrong or has no `[mqtt]`. 78
  /// is EX_CONFIG of sysexits.h; after it, systemd does not restart the bridge.
  public static func run(_ arguments: [String]) -> Int32 {
    Log.setProgram("nightjar-mqtt")
    return options.run(arguments) { paths, flags in
      do throws(Problem) {
        let settings = try settings(at: paths["config"])
        return flags.contains("check-config")
          ? check(settings.bridge)
          : try run(settings, socket: paths["socket"], state: paths["state-dir"])
      } catch {
        if flags.contains("check-config") {
          say(error.sentence)
        } else {
          Log.write(.error, error.sentence)
        }
        return error.code
      }
    }
  }

  private static func say(_ sentence: String) {
    ProgramOptions.write("\(VisibleText.visible(sentence))\n", to: STDOUT_FILENO)
  }

  /// Checks the files that `[mqtt]` names. A mistake in such a file does not end a running bridge:
  /// it tries again, because the file may appear later.
  private static func check(_ settings: BridgeSettings) -> Int32 {
    var problems = TLSFiles.problems(in: settings)
    if let path = settings.passwordPath {
      do throws(BrokerProblem) {
        _ = try PasswordFile.read(path, key: settings.passwordKey)
      } catch {
        problems.append(error)
      }
    }
    for problem in problems { say(problem.description) }
    return problems.isEmpty ? 0 : 78
  }

  /// Reads the configuration: the broker, and the settings of popups and sounds.
  private static func settings(
    at path: String?
  ) throws(Problem) -> (bridge: BridgeSettings, desktop: DesktopSettings) {
    let usual = NightjarPaths.configFile(environment: ProcessEnvironment.variable)
    guard let path = path ?? usual else {
      throw Problem(
        sentence: "neither XDG_CONFIG_HOME nor HOME is set; say where with --config PATH")
    }
    do throws(ConfigError) {
      let file = try ConfigFile.read(path: path)
      let found = try file.flatMap { (file) throws(ConfigError) in
        try BridgeSettings.read(
          file, hostName: BridgeSettings.hostName,
          credentials: ProcessEnvironment.variable("CREDENTIALS_DIRECTORY"))
      }
      guard let file else {
        throw ConfigError(
          path: path, reason: "there is no such file; write it with [mqtt], as in nightjar-mqtt(1)")
      }
      guard let found else {
        throw ConfigError(
          path: path,
          reason: "[mqtt] has no 'broker' and no 'person'; write both, as in nightjar-mqtt(1)")
      }
      var desktop = DesktopSettings()
      var table = file.table(.daemon)
      // The bridge ignores mistakes in the other keys of this table, because the daemon reports
      // them.
      try desktop.read(&table)
      return (found, desktop)
    } catch {
      throw Problem(sentence: error.description, code: 78)
    }
  }

  private static func run(
    _ settings: (bridge: BridgeSettings, desktop: DesktopSettings), socket: String?, state: String?
  ) throws(Problem) -> Int32 {
    guard let found = socket ?? ProcessEnvironment.socketPath else {
      throw Problem(
        sentence: "neither XDG_RUNTIME_DIR nor HOME is set; say where with --socket PATH")
    }
    let usualState = NightjarPaths.stateDirectory(environment: ProcessEnvironment.variable)
    guard let state = state ?? usualState else {
      throw Problem(
        sentence: "neither XDG_STATE_HOME nor HOME is set; say where with --state-dir DIR")
    }
    Signals.ignorePipe()
    // Block SIGCHLD too, because sound players are child processes.
    Signals.block(endings + [SIGCHLD])
    do {
      let loop = try EventLoop()
      let bridge = try Bridge(
        loop: loop, settings: settings.bridge, desktop: settings.desktop, socketPath: found,
        folder: UnixSocket.parent(of: found), statePath: state)
      let sources = try endings.map { signal in
        try loop.watchSignal(signal) { _ in bridge.stop(0) }
      }
      bridge.start()
      ServiceManager.notify("READY=1")
      return try withExtendedLifetime(sources) { try loop.run() }
    } catch let error as SystemError where error.code == EADDRINUSE {
      let path = BridgePaths.status(in: UnixSocket.parent(of: found))
      throw Problem(
        sentence: "another nightjar-mqtt serves \(path) already; end that one first")
    } catch {
      throw Problem(sentence: "it cannot start: \(error)")
    }
  }
}
