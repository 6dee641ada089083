public import NightjarInterface
public import Varlink

extension Wire.Step {
  /// A step of a sequence.
  ///
  /// - Parameter long: its length in the rounds that `Wire.Sequence.longEvery` names.
  public init(
    _ name: String, for duration: Duration, waits: Bool = false, isBreak: Bool = false,
    long: Duration? = nil
  ) {
    self.init(name: name, durationUsec: duration.usec)
    (self.waits, self.break, longUsec) = (waits, isBreak, long?.usec)
  }
}

extension Wire.Sequence {
  /// Steps that run `rounds` times; 0: without end.
  public init(
    steps: [Wire.Step], rounds: Int64, longEvery: Int64? = nil, afterSleep: Wire.AfterSpan? = nil,
    afterAway: Wire.AfterSpan? = nil
  ) {
    self.init(steps: steps)
    (self.rounds, self.longEvery) = (rounds, longEvery)
    (self.afterSleep, self.afterAway) = (afterSleep, afterAway)
  }
}

extension Wire.Band {
  /// A band that begins at this remaining time.
  public init(
    _ name: String, remaining: Duration, color: String? = nil, text: String? = nil,
    progress: Wire.ProgressRange? = nil
  ) {
    self.init(name: name, remainingUsec: remaining.usec)
    (self.color, self.text, self.progress) = (color, text, progress)
  }
}

extension Wire.Ring {
  /// A ring that runs a command.
  ///
  /// - Parameters:
  ///   - command: the program, which is searched in the `PATH` of `environment`, and its arguments.
  ///   - environment: the variables for the command. By default, those of this process that a
  ///     command may need to reach the screen, the session and the user's programs.
  public init(
    running command: [String], environment: WireMap<String> = Self.environmentOfThisProcess
  ) {
    self.init()
    exec = command
    self.environment = environment
  }

  /// The variables of this process that a command may need. The daemon may not have them, because
  /// it may have been started before there was a screen.
  public static var environmentOfThisProcess: WireMap<String> {
    WireMap(
      usefulVariables.compactMap { name in
        guard let value = Environment.value(name), !value.isEmpty else { return nil }
        return WireMap.Member(key: name, value: value)
      })
  }

  private static let usefulVariables = [
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LC_ADDRESS", "LC_ALL",
    "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY",
    "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME", "PATH", "SSH_AUTH_SOCK",
    "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR", "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
  ]
}
