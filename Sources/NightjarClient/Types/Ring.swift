package import NightjarVarlink

extension NewTimer {
  /// What a timer does beside saying that it rings; the type `Ring` of the interface.
  public struct Ring: Equatable, Sendable {
    /// A command's words, with its program: it is run without a shell. Empty: there is none.
    public var command: [String] = []
    /// The events that it runs on; empty: whenever the timer rings.
    public var events: [EventType] = []
    /// What it finds in its environment, beside the variables that begin with `NIGHTJAR_`.
    public var environment: [String: String] = [:]
    /// How long it may run; nil: a minute.
    public var timeout: Duration?
    /// The path of the file to play in place of the usual sound, or the name of a built-in sound.
    public var sound: String?
    /// It makes no sound.
    public var isSilent = false
    /// How long it rings if nobody answers; zero is one sound. Nil here and below: as configured.
    public var ringFor: Duration?
    /// How loud it is, from 1 to 100.
    public var volume: Int64?
    /// In so long its sound rises from quiet to that.
    public var rising: Duration?
    /// It rings again so long after a ring that nobody answered; zero is not at all.
    public var insist: Duration?
    /// Whether it makes its sound while the notification server is paused.
    public var disturbs: Bool?

    /// Makes a ring that does nothing, for something to be said about it.
    public init() {}

    /// Makes a ring that runs a command.
    ///
    /// - Parameters:
    ///   - command: its words, with its program, which is looked for in the `PATH` of `environment`.
    ///   - environment: unless given, what of this process's own a command may need: how to reach the
    ///     screen, the session and the user's programs.
    public init(
      running command: [String], environment: [String: String] = Ring.environmentOfThisProcess
    ) {
      self.command = command
      self.environment = environment
    }

    /// What of this process's environment a command may need: the daemon may have been started before
    /// there was a screen.
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
  /// Whether there is nothing in it.
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
  /// How long it may run; nil: a minute.
  public var timeout: Duration? { timeoutUsec.map { .microseconds($0) } }
}
