package import NightjarEngine
internal import NightjarInterface
package import NightjarModel
package import NightjarParameters
internal import Varlink

/// Environment variables for a command. They describe the event because of which the daemon runs
/// the command. Their names begin with `NIGHTJAR_`.
///
/// Each number, text and flag of the event on the wire becomes a variable with the field's name in
/// capitals. More variables describe the state of the timer.
package struct ActionEnvironment {
  /// The longest variable, in bytes. The kernel accepts variables of at most 128 KiB
  /// (MAX_ARG_STRLEN of execve(2)).
  private static let longestBytes = 120 * 1024

  package private(set) var variables: [RingPlan.Variable] = []

  /// - Parameter now: the moment at which the timer's state is described.
  package init(_ event: Event, engine: Engine, socketPath: String, at now: Moment) {
    let json = Wire.Event(event).json
    setFields(of: json)
    set("SOCKET", socketPath)
    if let subject = event.subject {
      if let slot = engine.slot(of: subject.id, named: subject.name) {
        describe(engine.view(slot, at: now))
      }
      describe(engine.attachments(of: subject) ?? .none)
    }
    // The band that the timer entered at this event; empty: it is in no band.
    if case .bandCrossed(_, let band, _) = event.kind { set("BAND", band?.name ?? "") }
    if json.count < Self.longestBytes { set("JSON", Self.visible(json)) }
  }

  private mutating func set(_ name: String, _ value: String) {
    let name = "NIGHTJAR_\(name)"
    variables.removeAll { $0.name == name }
    // An environment variable cannot contain a NUL.
    let value = value.utf8.contains(0) ? value.split(separator: "\0").joined(separator: " ") : value
    variables.append(RingPlan.Variable(name: name, value: value))
  }

  private mutating func describe(_ view: TimerView) {
    set("KIND", "\(view.timer.spec.kind.name)")
    set("STATE", "\(view.timer.state.name)")
    set("DURATION_USEC", "\(view.timer.runLengthUsec)")
    set("REMAINING_USEC", "\(view.remainingUsec)")
    set("ELAPSED_USEC", "\(view.elapsedUsec)")
    if let band = view.band { set("BAND", band.name) }
    let spec = view.timer.spec
    if spec.kind == .sequence { set("STEP", spec.step(at: view.timer.course.position).name) }
  }

  /// JSON on one line without control characters, so that it cannot change the state of a terminal.
  private static func visible(_ json: [UInt8]) -> String {
    // In valid JSON, control characters occur only between tokens (RFC 8259), where a blank means
    // the same.
    let line = json.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
    return VisibleText.visibleJSON(String(decoding: line, as: UTF8.self))
  }

  private mutating func describe(_ attachments: Attachments) {
    set("DATA", attachments.data.isEmpty ? "{}" : Self.visible(attachments.data))
    if !attachments.message.isEmpty { set("MESSAGE", attachments.message) }
    for label in attachments.labels { set("LABEL_\(Self.variable(label.key))", label.value) }
  }

  /// The name of a field or label as part of a variable's name: `red team` becomes `RED_TEAM`.
  private static func variable(_ key: String) -> String {
    let bytes = key.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: UInt8(ascii: "_")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func setFields(of json: [UInt8]) {
    do throws(JSONError) {
      try json.withUnsafeBufferPointer { (json) throws(JSONError) in
        var scanner = JSONScanner(UnsafeRawBufferPointer(json))
        var fields = try scanner.beginObject()
        while let field = try scanner.nextMember(&fields) {
          try setField(field.string, from: &scanner)
        }
      }
    } catch {
      assertionFailure("what was just written cannot be read: \(error)")
    }
  }

  private mutating func setField(
    _ field: String, from scanner: inout JSONScanner
  ) throws(JSONError) {
    let name = field == "type" ? "EVENT" : Self.variable(field)
    switch try scanner.peek() {
    case .string: set(name, try scanner.readString().string)
    case .number: set(name, String(decoding: try scanner.skipValue(), as: UTF8.self))
    case .bool: if try scanner.readBool() { set(name, "1") }
    case .object where field == "span": set(span: try JSONValue.read(from: &scanner))
    // These members are only in the variable NIGHTJAR_JSON.
    case .object, .array, .null: _ = try scanner.skipValue()
    }
  }

  private mutating func set(span: JSONValue) {
    let causes = span["causes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    set("CAUSES", causes.joined(separator: " "))
    if let usec = span["elapsed_usec"]?.integerValue { set("ELAPSED_USEC", "\(usec)") }
  }
}
