package import NightjarInterface
package import NightjarModel
package import Varlink

/// The command and the sound that a timer specifies: the contents of an `EncodedRing`.
package struct RingPlan: Equatable, Sendable {
  /// The words of the command, beginning with the program; empty: the timer has no command.
  package var exec: [String] = []
  /// The types of the events on which the command runs; empty: each time the timer rings.
  package var on: [String] = []
  /// The environment variables for the command, in the order of their names.
  package var environment: [Variable] = []
  /// How long the command may run, in microseconds; nil: as long as the daemon allows by default.
  package var timeoutUsec: Int64?
  /// The file to play instead of the configured sound, or the name of a built-in sound; nil: the
  /// configured sound.
  package var sound: String?
  package var isSilent = false
  /// How the ring sounds over time. For a property that is nil, the configuration applies.
  package var course = Course()

  /// How a ring sounds over time.
  package struct Course: Equatable, Sendable {
    /// How long the ring sounds if the user does not answer, in microseconds; 0: it sounds once.
    package var forUsec: Int64?
    /// The volume of the ring, within `Limits.volume`.
    package var volume: Int64?
    /// How long the volume rises from quiet to `volume`, in microseconds.
    package var risingUsec: Int64?
    /// How long after a ring without an answer the timer rings again, in microseconds; 0: it does
    /// not ring again.
    package var insistUsec: Int64?
    /// Whether the ring sounds while the user has paused the notification server.
    package var disturbs: Bool?

    package init() {}

    /// This course, but with the properties of `other` that are not nil.
    package func changed(by other: Course) -> Course {
      var course = self
      if let usec = other.forUsec { course.forUsec = usec }
      if let volume = other.volume { course.volume = volume }
      if let usec = other.risingUsec { course.risingUsec = usec }
      if let usec = other.insistUsec { course.insistUsec = usec }
      if let disturbs = other.disturbs { course.disturbs = disturbs }
      return course
    }
  }

  /// The sounds that are installed with the daemon; the first one is the default.
  package static let builtInSounds = ["chime", "marimba", "pulse"]

  /// An environment variable.
  package struct Variable: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init() {}

  /// The type of the event on which a command runs if the timer specifies no types.
  fileprivate static let usualEvent = Wire.EventType.fired

  /// Whether the daemon runs the command for an event.
  package func runs(on event: Event) -> Bool {
    guard !exec.isEmpty, event.action == nil else { return false }
    if on.isEmpty || on.contains(Self.usualEvent.rawValue), event.heardRing != nil { return true }
    return on.contains { $0 == "\(event.typeName)" }
  }
}

extension RingPlan {
  /// The name of a command for people: its words, up to 100 characters. For a command that a shell
  /// runs, the name is the script. For a hook, it is the folder and the file.
  package static func title(of exec: [String], isHook: Bool) -> String {
    let words =
      if isHook {
        "hook " + exec[0].split(separator: "/").suffix(2).joined(separator: "/")
      } else if exec.count == 3, exec[0] == "/bin/sh", exec[1] == "-c" {
        exec[2]
      } else {
        exec.joined(separator: " ")
      }
    var title = String.UnicodeScalarView()
    for scalar in words.unicodeScalars.prefix(100) {
      title.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(title)
  }
}

// MARK: - The form that the engine stores

extension RingPlan {
  /// This plan in the form that the engine stores; nil: the plan specifies nothing. `publicJSON` is
  /// the type `RingState` of the interface, as clients see it.
  package var encoded: EncodedRing? {
    guard self != RingPlan() else { return nil }
    var state = Wire.RingState()
    state.exec = exec
    state.on = on.map(Wire.EventType.init(rawValue:))
    state.environment = environment.map(\.name)
    state.timeoutUsec = timeoutUsec
    state.sound = sound
    state.silent = isSilent
    state.ringForUsec = course.forUsec
    state.volume = course.volume
    state.risingUsec = course.risingUsec
    state.insistUsec = course.insistUsec
    state.disturb = course.disturbs
    let secrets = JSONValue.array(environment.map { .string($0.value) })
    return EncodedRing(
      publicJSON: state.json, secretJSON: environment.isEmpty ? [] : secrets.bytes)
  }

  /// Parses a stored ring. The result is empty if the ring cannot be parsed, which happens only
  /// after damage to the disk.
  package init(_ encoded: EncodedRing) {
    guard let state = Wire.RingState(encoded) else { return }
    exec = state.exec
    on = state.on.map(\.rawValue)
    timeoutUsec = state.timeoutUsec
    sound = state.sound
    isSilent = state.silent
    course.forUsec = state.ringForUsec
    course.volume = state.volume
    course.risingUsec = state.risingUsec
    course.insistUsec = state.insistUsec
    course.disturbs = state.disturb
    guard !state.environment.isEmpty, let secretJSON = try? JSONValue.parse(encoded.secretJSON)
    else { return }
    environment = zip(state.environment, secretJSON.strings).map { Variable(name: $0, value: $1) }
  }
}

extension Wire.RingState {
  /// The part of a stored ring that clients see; nil: it cannot be parsed.
  package init?(_ encoded: EncodedRing) {
    guard let state = try? Self(encoded.publicJSON, isStrict: false) else { return nil }
    self = state
  }
}

extension JSONValue {
  /// The strings of a JSON array; other elements are left out.
  package var strings: [String] { arrayValue?.compactMap(\.stringValue) ?? [] }
}

// MARK: - The form that a client sends

/// The part of a ring that a client sends; properties that are nil were not sent. The properties
/// form two groups: the command and its properties, and the sound.
package struct RingChange: Equatable, Sendable {
  package var exec: [String]?
  package var on: [String]?
  package var environment: [RingPlan.Variable]?
  package var timeoutUsec: Int64?
  package var sound: String?
  package var isSilent: Bool?
  package var course = RingPlan.Course()

  package init() {}

  /// The ring that results if this change is applied to `old`. A change in which all properties are
  /// nil removes the ring. Otherwise, a group of properties that are all nil does not change.
  ///
  /// - Throws: `TimersError` if a property of a command was sent and the ring has no command, or if
  ///   all variables together exceed a limit.
  package func applied(to old: RingPlan) throws(TimersError) -> RingPlan {
    guard self != RingChange() else { return RingPlan() }
    var plan = old
    // A new command does not inherit the properties of the old command.
    if let exec {
      plan = RingPlan()
      (plan.exec, plan.sound, plan.isSilent) = (exec, old.sound, old.isSilent)
      plan.course = old.course
    }
    let needsCommand = !(on ?? []).isEmpty || !(environment ?? []).isEmpty || timeoutUsec != nil
    guard !plan.exec.isEmpty || !needsCommand else {
      throw .invalidValue(
        parameter: "ring",
        reason:
          "'on', 'environment' and 'timeout_usec' need a command; give 'exec', too"
      )
    }
    if let on { plan.on = on }
    if let environment { plan.environment = try Self.merged(environment, over: plan.environment) }
    if let timeoutUsec { plan.timeoutUsec = timeoutUsec }
    // A new sound replaces silence, and silence replaces a sound.
    if sound != nil || isSilent == true { (plan.sound, plan.isSilent) = (nil, false) }
    if let sound { plan.sound = sound }
    if let isSilent { plan.isSilent = isSilent }
    plan.course = plan.course.changed(by: course)
    return plan
  }

  /// Merges two lists of variables, in the order of their names. A new value replaces the old value
  /// of the same variable.
  private static func merged(
    _ new: [RingPlan.Variable], over old: [RingPlan.Variable]
  ) throws(TimersError) -> [RingPlan.Variable] {
    guard !new.isEmpty else { return old }
    var values = Dictionary(old.map { ($0.name, $0.value) }) { $1 }
    for variable in new { values[variable.name] = variable.value }
    return try RingPlan.Variable.checked(values)
  }
}

extension RingPlan {
  /// Removes a part of the ring.
  ///
  /// - Parameter part: the name of the part in the interface's type `Ring`.
  /// - Throws: `TimersError` if a ring has no such part.
  package mutating func remove(_ part: String) throws(TimersError) {
    switch part {
    // Without a command, its properties have no meaning, so they are removed too.
    case "exec": (exec, on, environment, timeoutUsec) = ([], [], [], nil)
    case "on": on = []
    case "environment": environment = []
    case "timeout_usec": timeoutUsec = nil
    case "sound": sound = nil
    case "silent": isSilent = false
    case "ring_for_usec": course.forUsec = nil
    case "volume": course.volume = nil
    case "rising_usec": course.risingUsec = nil
    case "insist_usec": course.insistUsec = nil
    case "disturb": course.disturbs = nil
    default:
      throw .invalidValue(
        parameter: "ring_without",
        reason: "'\(part)' is not a part of a ring; examples are exec and volume")
    }
  }
}

extension RingChange {
  /// Checks each part of a ring that a client sent. Sorts variables and event types, so that two
  /// rings with the same meaning are equal.
  package init(_ ring: Wire.Ring) throws(TimersError) {
    exec = try ring.exec.map(Self.words)
    on = try ring.on.map(Self.eventTypes)
    environment = try ring.environment.map(Self.environment)
    if let usec = ring.timeoutUsec, let problem = Self.problem(timeoutUsec: usec) { throw problem }
    timeoutUsec = ring.timeoutUsec
    sound = try ring.sound.map(Self.sound)
    isSilent = ring.silent
    course.forUsec = try Self.number(ring.ringForUsec, "ring_for_usec", in: 0...Limits.ringUsec)
    course.volume = try Self.number(ring.volume, "volume", in: Limits.volume)
    course.risingUsec = try Self.number(ring.risingUsec, "rising_usec", in: 0...Limits.ringUsec)
    course.insistUsec =
      ring.insistUsec == 0
      ? 0 : try Self.number(ring.insistUsec, "insist_usec", in: Limits.insistUsec)
    course.disturbs = ring.disturb
  }

  private static func number(
    _ number: Int64?, _ parameter: String, in range: ClosedRange<Int64>
  ) throws(TimersError) -> Int64? {
    guard let number, !range.contains(number) else { return number }
    throw .invalidValue(
      parameter: parameter,
      reason: "\(parameter) is from \(range.lowerBound) to \(range.upperBound), not \(number)")
  }

  /// The error for a time limit that is out of range for a command; nil: the limit is in range.
  package static func problem(timeoutUsec usec: Int64) -> TimersError? {
    guard usec > 0 else { return .invalid("timeout_usec") }
    guard usec <= Limits.execLongestUsec else {
      return .limitExceeded(limit: "timeout_usec", value: Limits.execLongestUsec)
    }
    return nil
  }

  /// Reads a text without NUL, because system calls cannot take a NUL.
  private static func word(_ text: String, _ parameter: String) throws(TimersError) -> String {
    guard !text.utf8.contains(0) else {
      throw .invalidValue(
        parameter: parameter, reason: "a command, a path and a variable contain no NUL")
    }
    return text
  }

  private static func words(_ texts: [String]) throws(TimersError) -> [String] {
    guard texts.count <= Limits.execWords else {
      throw .limitExceeded(limit: "exec", value: Int64(Limits.execWords))
    }
    let words = try texts.map { (text) throws(TimersError) in try word(text, "exec") }
    guard words.reduce(0, { $0 + $1.utf8.count + 1 }) <= Limits.execBytes else {
      throw .limitExceeded(limit: "exec_bytes", value: Int64(Limits.execBytes))
    }
    guard words.first != "" else {
      throw .invalidValue(
        parameter: "exec", reason: "the first word of a command is its program, and is not empty")
    }
    return words
  }

  private static func eventTypes(_ words: [Wire.EventType]) throws(TimersError) -> [String] {
    let known = Wire.EventType.timerEvent
    guard words.count <= known.count else {
      throw .limitExceeded(limit: "on", value: Int64(known.count))
    }
    let types = Set(words)
    if let type = types.first(where: { !known.contains($0) }) {
      throw .invalidValue(
        parameter: "on",
        reason: "'\(type)' is not an event of timers; examples are fired and band_crossed")
    }
    // A list with only this event means the same as no list.
    return types == [RingPlan.usualEvent] ? [] : known.filter(types.contains).map(\.rawValue)
  }

  private static func environment(
    _ variables: WireMap<String>
  ) throws(TimersError) -> [RingPlan.Variable] {
    var values: [String: String] = [:]
    for member in variables.members {
      let name = member.key
      guard RingPlan.Variable.isName(name) else {
        throw .invalidValue(
          parameter: "environment",
          reason:
            "a variable's name has letters, digits and underscores, and does not begin with a digit, "
            + "NIGHTJAR_ or LISTEN_")
      }
      values[name] = try word(member.value, name)
    }
    return try RingPlan.Variable.checked(values)
  }

  private static func sound(_ text: String) throws(TimersError) -> String {
    let path = try word(text, "sound")
    if RingPlan.builtInSounds.contains(path) { return path }
    guard path.utf8.count <= Limits.pathBytes else {
      throw .limitExceeded(limit: "path_bytes", value: Int64(Limits.pathBytes))
    }
    guard path.hasPrefix("/") else {
      throw .invalidValue(
        parameter: "sound",
        reason:
          "a sound is \(RingPlan.builtInSounds.joined(separator: ", ")), or the path of a file, which "
          + "begins with a slash, because the daemon has another working directory")
    }
    return path
  }
}

extension RingPlan.Variable {
  /// Checks the limits and sorts the variables by name.
  fileprivate static func checked(
    _ values: [String: String]
  ) throws(TimersError) -> [RingPlan.Variable] {
    guard values.count <= Limits.environmentVariables else {
      throw .limitExceeded(limit: "environment", value: Int64(Limits.environmentVariables))
    }
    guard
      values.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 })
        <= Limits.environmentBytes
    else { throw .limitExceeded(limit: "environment_bytes", value: Int64(Limits.environmentBytes)) }
    return values.sorted { $0.key < $1.key }.map { RingPlan.Variable(name: $0, value: $1) }
  }

  /// Whether a client may set a variable with this name.
  package static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !isDigit(first),
      name.utf8.count <= Limits.variableNameBytes
    else { return false }
    // These prefixes are reserved: for the daemon's description of the event, and for systemd's
    // socket activation.
    guard !["NIGHTJAR_", "LISTEN_"].contains(where: { name.hasPrefix($0) }) else { return false }
    return name.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
