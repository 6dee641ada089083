package import Varlink

extension NewTimer {
  /// The settings of a timer's ring: the command, the sound, and how it rings. It is the type
  /// `Ring` of the interface.
  public struct Ring: Equatable, Sendable {
    /// The command: a program and its arguments, run without a shell. Empty: there is no command.
    public var command: [String] = []
    /// The events on which the command runs; empty: it runs whenever the timer rings.
    public var events: [EventType] = []
    /// The environment variables of the command, in addition to those that begin with `NIGHTJAR_`.
    public var environment: [String: String] = [:]
    /// How long the command may run; nil: a minute.
    public var timeout: Duration?
    /// The path of a sound file, or the name of a built-in sound; nil: the configured sound.
    public var sound: String?
    /// Whether the timer rings without a sound.
    public var isSilent = false
    /// How long the timer rings if the user does not answer; zero: it plays the sound once; nil: as
    /// configured.
    public var ringFor: Duration?
    /// The volume, from 1 to 100; nil: as configured.
    public var volume: Int64?
    /// How long the volume takes to rise from quiet to `volume`; nil: as configured.
    public var rising: Duration?
    /// How long after an unanswered ring the timer rings again; zero: it does not ring again; nil:
    /// as configured.
    public var insist: Duration?
    /// Whether the timer makes its sound even while the user has paused the notification server;
    /// nil: as configured.
    public var disturbs: Bool?

    /// Creates a ring without any settings.
    public init() {}

    /// Creates a ring that runs a command.
    ///
    /// - Parameters:
    ///   - command: the program, which is searched in the `PATH` of `environment`, and its
    ///     arguments.
    ///   - environment: the variables for the command. By default, those of this process that a
    ///     command may need to reach the screen, the session and the user's programs.
    public init(
      running command: [String], environment: [String: String] = Ring.environmentOfThisProcess
    ) {
      self.command = command
      self.environment = environment
    }

    /// The variables of this process that a command may need. The daemon may not have them, because
    /// it may have been started before there was a screen.
    public static var environmentOfThisProcess: [String: String] {
      var environment: [String: String] = [:]
      for name in usefulVariables {
        if let value = Environment.value(name), !value.isEmpty { environment[name] = value }
      }
      return environment
    }

    private static let usefulVariables = [
      "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
      "XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "PATH", "HOME", "LANG",
      "LANGUAGE", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION",
      "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER",
      "LC_TELEPHONE", "LC_TIME", "SSH_AUTH_SOCK",
    ]
  }
}

extension NewTimer.Ring: WritableValue {
  /// Whether the ring has no settings.
  var isEmpty: Bool { self == NewTimer.Ring() }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("exec", command.isEmpty ? nil : command)
    fields.add("on", events.isEmpty ? nil : events)
    let variables = environment.sorted { $0.key < $1.key }
      .map { NightjarTimer.Label(key: $0.key, value: $0.value) }
    fields.add("environment", variables.isEmpty ? nil : variables)
    fields.add("timeout_usec", timeout?.usec)
    fields.add("sound", sound)
    fields.add("silent", isSilent ? true : nil)
    fields.add("ring_for_usec", ringFor?.usec)
    fields.add("volume", volume)
    fields.add("rising_usec", rising?.usec)
    fields.add("insist_usec", insist?.usec)
    fields.add("disturb", disturbs)
    return fields.json
  }
}

extension NightjarTimer.Ring {
  /// How long the command may run; nil: a minute.
  public var timeout: Duration? { timeoutUsec.map { .microseconds($0) } }
}
