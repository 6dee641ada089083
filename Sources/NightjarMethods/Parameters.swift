package import NightjarCore
package import NightjarWire

/// The parameters of a call, read member by member. A member that is null counts as absent; one
/// that the method does not know, or of another type, is `InvalidParameter` with its name.
package struct Parameters {
  package var scanner: JSONScanner
  package var members: JSONScanner.Members?

  package init(_ call: VarlinkCall) throws(CallError) {
    guard let bytes = call.parameters else {
      scanner = JSONScanner(UnsafeRawBufferPointer(start: nil, count: 0))
      return
    }
    scanner = JSONScanner(bytes)
    do { members = try scanner.beginObject() } catch { throw .invalid("parameters") }
  }

  /// The next member that is not null; the caller reads its value, or refuses it.
  package mutating func next() throws(CallError) -> JSONText? {
    guard var state = members else { return nil }
    defer { members = state }
    do {
      while let key = try scanner.nextMember(&state) {
        guard try scanner.peek() == .null else { return key }
        try scanner.readNull()
      }
      return nil
    } catch { throw .invalid("parameters") }
  }

  package mutating func integer(_ key: JSONText) throws(CallError) -> Int64 {
    do { return try scanner.readInteger() } catch { throw .invalid(key.string) }
  }

  package mutating func text(_ key: JSONText) throws(CallError) -> JSONText {
    do { return try scanner.readString() } catch { throw .invalid(key.string) }
  }

  package mutating func bool(_ key: JSONText) throws(CallError) -> Bool {
    do { return try scanner.readBool() } catch { throw .invalid(key.string) }
  }

  /// A natural number, at most `limit`.
  package mutating func natural(_ key: JSONText, upTo limit: Int64) throws(CallError) -> Int64 {
    let value = try integer(key)
    guard (0...limit).contains(value) else { throw .invalid(key.string) }
    return value
  }

  package mutating func clock(_ key: JSONText) throws(CallError) -> Timeline {
    try word(key, Timeline.allCases, \.name)
  }

  package mutating func states(_ key: JSONText) throws(CallError) -> Set<TimerState> {
    var states: Set<TimerState> = []
    do {
      var elements = try scanner.beginArray()
      while try scanner.nextElement(&elements) {
        let text = try scanner.readString()
        guard let state = TimerState.allCases.first(where: { text.equals($0.name) }) else {
          throw CallError.invalid(key.string)
        }
        states.insert(state)
      }
    } catch { throw .invalid(key.string) }
    return states
  }

  /// A JSON object as it was sent, within the limit for data; `{}` is no data.
  package mutating func data(_ key: JSONText) throws(CallError) -> [UInt8] {
    let bytes: UnsafeRawBufferPointer
    do {
      guard try scanner.peek() == .object else { throw CallError.invalid(key.string) }
      bytes = try scanner.skipValue()
    } catch { throw .invalid(key.string) }
    guard bytes.count <= Limits.dataBytes else {
      throw .limitExceeded("data_bytes", Int64(Limits.dataBytes))
    }
    guard Self.depth(ofValid: bytes) <= Limits.dataDepth else {
      throw .limitExceeded("data_depth", Int64(Limits.dataDepth))
    }
    return Array(bytes)
  }

  /// How many objects and arrays stand inside one another in JSON that was found valid. O(n).
  private static func depth(ofValid bytes: UnsafeRawBufferPointer) -> Int {
    var (depth, deepest) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in bytes {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  package mutating func labels(_ key: JSONText) throws(CallError) -> [Label] {
    var labels: [Label] = []
    do {
      var members = try scanner.beginObject()
      while let name = try scanner.nextMember(&members) {
        let label = Label(key: name.string, value: try scanner.readString().string)
        labels.removeAll { $0.key == label.key }
        labels.append(label)
        if labels.count > Limits.labels { break }
      }
    } catch { throw .invalid(key.string) }
    guard labels.count <= Limits.labels else {
      throw .limitExceeded("labels", Int64(Limits.labels))
    }
    for label in labels {
      guard (1...Limits.labelKeyBytes).contains(label.key.utf8.count) else {
        throw .limitExceeded("label_key_bytes", Int64(Limits.labelKeyBytes))
      }
      guard label.value.utf8.count <= Limits.labelValueBytes else {
        throw .limitExceeded("label_value_bytes", Int64(Limits.labelValueBytes))
      }
    }
    return labels
  }

  /// The name for a new timer, checked.
  package mutating func newName(_ key: JSONText) throws(CallError) -> String {
    let text = try text(key)
    switch text.withUTF8({ TimerName.problem($0) }) {
    case nil: return text.string
    case .tooLong: throw .limitExceeded("name_bytes", Int64(TimerName.maximumBytes))
    case .empty, .controlCharacter, .emptySegment: throw .invalid(key.string)
    }
  }
}
