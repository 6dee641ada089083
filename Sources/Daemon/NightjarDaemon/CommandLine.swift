internal import Glibc
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

public enum Main {
  private static let options = ProgramOptions(
    program: "nightjard", version: NightjarVersion.current,
    summary:
      "Keeps timers through suspend, stop, crash and reboot; `nightjar` is its command line.",
    options: [
      ProgramOptions.Option(
        "socket", value: "PATH",
        help: ["listen here (default: $XDG_RUNTIME_DIR/nightjar/socket)"]),
      ProgramOptions.Option(
        "state-dir", value: "DIR",
        help: ["keep state here (default: $XDG_STATE_HOME/nightjar, or ~/.local/state/nightjar)"]),
      ProgramOptions.Option(
        "config", value: "PATH",
        help: [
          "read its defaults here (default: $XDG_CONFIG_HOME/nightjar/config.toml, or",
          "~/.config/nightjar/config.toml); SIGHUP reads them anew",
        ]),
    ],
    flags: [("check-config", "say what is wrong with the configuration, and do nothing")])

  /// Runs the daemon with the process's arguments.
  ///
  /// - Returns: the exit code. 0: a signal ended the daemon, which has saved everything; 1: the
  ///   daemon failed; 64: wrong usage.
  public static func run(_ arguments: [String]) -> Int32 {
    options.run(arguments) { paths, flags in
      do throws(StartFailure) {
        let configuration = try configuration(paths)
        return flags.contains("check-config") ? check(configuration) : run(configuration)
      } catch {
        options.complain(error.description)
        return 1
      }
    }
  }

  private static func run(_ configuration: DaemonConfiguration) -> Int32 {
    raiseDescriptorLimit()
    // The daemon leaves the folder that it was started in, so that the user can unmount the file
    // system. All paths are absolute, so they stay valid.
    if chdir("/") != 0 { Log.write(.notice, "the working directory stays as it is, ignoring") }
    do throws(StartFailure) {
      return try Daemon(configuration).run()
    } catch {
      Log.write(.error, error.description)
      return 1
    }
  }

  /// Reads the configuration as the daemon would, and prints the first error in it.
  ///
  /// - Returns: the exit code. 0: the configuration has no error; 1: the error was printed.
  private static func check(_ configuration: DaemonConfiguration) -> Int32 {
    let problem = Settings.problem(
      path: configuration.configPath, isRequired: configuration.requiresConfig)
    guard let problem else { return 0 }
    ProgramOptions.write("\(VisibleText.visible(problem))\n", to: STDOUT_FILENO)
    return 1
  }

  private static func configuration(
    _ paths: [String: String]
  ) throws(StartFailure) -> DaemonConfiguration {
    let variable = ProcessEnvironment.variable
    guard let socket = paths["socket"] ?? ProcessEnvironment.socketPath else {
      throw StartFailure(
        description: "neither XDG_RUNTIME_DIR nor HOME is set; say where with --socket PATH")
    }
    guard
      let state = paths["state-dir"] ?? NightjarPaths.stateDirectory(environment: variable)
    else {
      throw StartFailure(
        description: "neither XDG_STATE_HOME nor HOME is set; say where with --state-dir DIR")
    }
    return DaemonConfiguration(
      socketPath: socket, stateFolder: state,
      configPath: paths["config"] ?? NightjarPaths.configFile(environment: variable),
      requiresConfig: paths["config"] != nil)
  }

  /// Raises the limit of open descriptors, because each connection takes one. The usual soft limit
  /// of 1,024 is meant for programs that use select(2), and the daemon does not.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(Limits.connections + 64))
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
      Log.write(.notice, "the limit of open files stays as it is, ignoring")
    }
  }
}
