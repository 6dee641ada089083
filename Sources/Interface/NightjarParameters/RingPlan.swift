package import NightjarInterface
package import NightjarModel
package import Varlink

/// The command and the sound that a timer specifies, with the values of the command's variables,
/// which no client sees: the contents of an `EncodedRing`.
package struct RingPlan: Equatable, Sendable {
  /// What clients see. `on` has no types if the command runs each time the timer rings. For a part
  /// that is nil, the configuration applies.
  package var state = Wire.RingState()
  /// The values of the variables in `state.environment`, in the same order.
  private var values: [String] = []

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

  /// The environment variables for the command, in the order of their names.
  package var environment: [Variable] {
    zip(state.environment, values).map { Variable(name: $0, value: $1) }
  }

  /// The type of the event on which a command runs if the timer specifies no types.
  fileprivate static let usualEvent = Wire.EventType.rang

  /// Whether the daemon runs the command for an event.
  package func runs(on event: Event) -> Bool {
    guard !state.exec.isEmpty, event.action == nil else { return false }
    let isUsual = state.on.isEmpty || state.on.contains(Self.usualEvent)
    if isUsual, case .rang = event.kind { return true }
    return state.on.contains { $0.rawValue == "\(event.typeName)" }
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
    let secrets = JSONValue.array(values.map(JSONValue.string))
    return EncodedRing(
      publicJSON: state.json, secretJSON: values.isEmpty ? [] : secrets.bytes,
      forUsec: state.ringForUsec, insistUsec: state.insistUsec)
  }

  /// Parses a stored ring. The result is empty if the ring cannot be parsed, which happens only
  /// after damage to the disk.
  package init(_ encoded: EncodedRing) {
    state = Wire.RingState(encoded) ?? Wire.RingState()
    values = (try? JSONValue.parse(encoded.secretJSON).strings) ?? []
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

extension RingPlan {
  /// This ring with the parts that a client sent. Without any part, there is no ring.
  ///
  /// - Throws: `TimersError` if a part is invalid, if a part of a command was sent and the ring has
  ///   no command, or if all variables together exceed a limit.
  package func changed(by ring: Wire.Ring) throws(TimersError) -> RingPlan {
    try ring.check()
    guard ring != Wire.Ring() else { return RingPlan() }
    var plan = self
    if let exec = ring.exec {
      // A new command does not inherit the properties of the old command.
      plan.removeCommand()
      plan.state.exec = exec
    }
    let hasVariables = ring.environment?.members.isEmpty == false
    let needsCommand = ring.on?.isEmpty == false || hasVariables || ring.timeoutUsec != nil
    guard !plan.state.exec.isEmpty || !needsCommand else {
      throw .invalidValue(
        parameter: "ring",
        reason: "'on', 'environment' and 'timeout_usec' need a command; give 'exec', too")
    }
    if let on = ring.on { plan.state.on = Self.sorted(on) }
    if let variables = ring.environment { try plan.add(variables) }
    if let usec = ring.timeoutUsec { plan.state.timeoutUsec = usec }
    // A new sound replaces silence, and silence replaces a sound.
    if ring.sound != nil || ring.silent == true {
      (plan.state.sound, plan.state.silent) = (ring.sound, false)
    }
    if let silent = ring.silent { plan.state.silent = silent }
    if let usec = ring.ringForUsec { plan.state.ringForUsec = usec }
    if let volume = ring.volume { plan.state.volume = volume }
    if let usec = ring.risingUsec { plan.state.risingUsec = usec }
    if let usec = ring.insistUsec { plan.state.insistUsec = usec }
    if let disturb = ring.disturb { plan.state.disturb = disturb }
    return plan
  }

  private mutating func removeCommand() {
    (state.exec, state.on, state.environment, values) = ([], [], [], [])
    state.timeoutUsec = nil
  }

  /// The types in the order of the interface, so that two rings with the same meaning are equal. A
  /// list with only the usual event means the same as no list.
  private static func sorted(_ types: [Wire.EventType]) -> [Wire.EventType] {
    types.allSatisfy { $0 == usualEvent } ? [] : Wire.EventType.timerEvent.filter(types.contains)
  }

  /// Adds variables. A new value replaces the old value of the same variable.
  private mutating func add(_ variables: WireMap<String>) throws(TimersError) {
    var all = Dictionary(zip(state.environment, values)) { $1 }
    for member in variables.members { all[member.key] = member.value }
    guard all.count <= Limits.environmentVariables else {
      throw .limitExceeded(limit: "environment", value: Int64(Limits.environmentVariables))
    }
    guard
      all.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 })
        <= Limits.environmentBytes
    else { throw .limitExceeded(limit: "environment_bytes", value: Int64(Limits.environmentBytes)) }
    let sorted = all.sorted { $0.key < $1.key }
    (state.environment, values) = (sorted.map(\.key), sorted.map(\.value))
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
    case "exec": removeCommand()
    case "on": state.on = []
    case "environment": (state.environment, values) = ([], [])
    case "timeout_usec": state.timeoutUsec = nil
    case "sound": state.sound = nil
    case "silent": state.silent = false
    case "ring_for_usec": state.ringForUsec = nil
    case "volume": state.volume = nil
    case "rising_usec": state.risingUsec = nil
    case "insist_usec": state.insistUsec = nil
    case "disturb": state.disturb = nil
    default:
      throw .invalidValue(
        parameter: "ring_without",
        reason: "'\(part)' is not a part of a ring; examples are exec and volume")
    }
  }
}

// MARK: - Checks

extension RingPlan {
  /// The error for a time limit that is out of range for a command; nil: the limit is in range.
  package static func problem(timeoutUsec usec: Int64) -> TimersError? {
    guard usec > 0 else { return .invalid("timeout_usec") }
    guard usec <= Limits.execLongestUsec else {
      return .limitExceeded(limit: "timeout_usec", value: Limits.execLongestUsec)
    }
    return nil
  }
}

extension Wire.Ring {
  /// Checks each part that a client sent.
  fileprivate func check() throws(TimersError) {
    if let exec { try Self.check(words: exec) }
    if let on { try Self.check(types: on) }
    for member in environment?.members ?? [] { try Self.check(variable: member) }
    if let timeoutUsec, let problem = RingPlan.problem(timeoutUsec: timeoutUsec) { throw problem }
    if let sound { try Self.check(sound: sound) }
    try Self.check(ringForUsec, "ring_for_usec", in: 0...Limits.ringUsec)
    try Self.check(volume, "volume", in: Limits.volume)
    try Self.check(risingUsec, "rising_usec", in: 0...Limits.ringUsec)
    if insistUsec != 0 { try Self.check(insistUsec, "insist_usec", in: Limits.insistUsec) }
  }

  private static func check(
    _ number: Int64?, _ parameter: String, in range: ClosedRange<Int64>
  ) throws(TimersError) {
    guard let number, !range.contains(number) else { return }
    throw .invalidValue(
      parameter: parameter,
      reason: "\(parameter) is from \(range.lowerBound) to \(range.upperBound), not \(number)")
  }

  /// Refuses a text with NUL, because system calls cannot take a NUL.
  private static func check(text: String, _ parameter: String) throws(TimersError) {
    guard text.utf8.contains(0) else { return }
    throw .invalidValue(
      parameter: parameter, reason: "a command, a path and a variable contain no NUL")
  }

  private static func check(words: [String]) throws(TimersError) {
    guard words.count <= Limits.execWords else {
      throw .limitExceeded(limit: "exec", value: Int64(Limits.execWords))
    }
    for word in words { try check(text: word, "exec") }
    guard words.reduce(0, { $0 + $1.utf8.count + 1 }) <= Limits.execBytes else {
      throw .limitExceeded(limit: "exec_bytes", value: Int64(Limits.execBytes))
    }
    guard words.first != "" else {
      throw .invalidValue(
        parameter: "exec", reason: "the first word of a command is its program, and is not empty")
    }
  }

  private static func check(types: [Wire.EventType]) throws(TimersError) {
    let known = Wire.EventType.timerEvent
    guard types.count <= known.count else {
      throw .limitExceeded(limit: "on", value: Int64(known.count))
    }
    if let type = types.first(where: { !known.contains($0) }) {
      throw .invalidValue(
        parameter: "on",
        reason: "'\(type)' is not an event of timers; examples are rang and band_crossed")
    }
  }

  private static func check(variable: WireMap<String>.Member) throws(TimersError) {
    guard RingPlan.Variable.isName(variable.key) else {
      throw .invalidValue(
        parameter: "environment",
        reason:
          "a variable's name has letters, digits and underscores, and does not begin with a digit, "
          + "NIGHTJAR_ or LISTEN_")
    }
    try check(text: variable.value, variable.key)
  }

  private static func check(sound path: String) throws(TimersError) {
    try check(text: path, "sound")
    if RingPlan.builtInSounds.contains(path) { return }
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
  }
}

extension RingPlan.Variable {
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
