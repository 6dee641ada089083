package import NightjarInterface
package import NightjarModel
package import Varlink

/// The parameters of methods, and the structures in them, as they were sent. Texts and data point
/// into the buffer of the call, and are valid only as long as that buffer exists.
package enum Parameters {
  /// A member of an object whose values are strings.
  package struct Member {
    package var name: JSONText
    package var value: JSONText
  }
}

/// Reads the parameters of a call member by member. A member that is null counts as absent. A
/// member that the method does not have, or that has another type, is refused as `InvalidParameter`
/// with its name.
package struct ParameterReader {
  private var scanner: JSONScanner
  private var members: JSONScanner.Members?

  package init(_ call: VarlinkCall) throws(CallError) {
    try self.init(call.parameters ?? UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// - Parameter bytes: a JSON object; if there are no bytes, an empty object.
  package init(_ bytes: UnsafeRawBufferPointer) throws(CallError) {
    scanner = JSONScanner(bytes)
    guard !bytes.isEmpty else { return }
    do { members = try scanner.beginObject() } catch { throw .invalid("parameters") }
  }

  /// The key of the next member that is not null. After this call, the caller must read the
  /// member's value, or refuse the member.
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

  package mutating func number(_ key: JSONText) throws(CallError) -> Double {
    do { return try scanner.readDouble() } catch { throw .invalid(key.string) }
  }

  package mutating func text(_ key: JSONText) throws(CallError) -> JSONText {
    do { return try scanner.readString() } catch { throw .invalid(key.string) }
  }

  package mutating func bool(_ key: JSONText) throws(CallError) -> Bool {
    do { return try scanner.readBool() } catch { throw .invalid(key.string) }
  }

  /// Reads an object, and returns its bytes as they were sent.
  package mutating func object(_ key: JSONText) throws(CallError) -> UnsafeRawBufferPointer {
    do {
      guard try scanner.peek() == .object else { throw CallError.invalid(key.string) }
      return try scanner.skipValue()
    } catch { throw .invalid(key.string) }
  }

  /// Reads a word of an enumeration of the interface.
  package mutating func word<Word: WireWord>(_ key: JSONText) throws(CallError) -> Word {
    guard let word = Word(try text(key)) else { throw .invalid(key.string) }
    return word
  }

  package mutating func words<Word: WireWord>(_ key: JSONText) throws(CallError) -> [Word] {
    var words: [Word] = []
    try elements(key) { (reader) throws(CallError) in words.append(try reader.word(key)) }
    return words
  }

  package mutating func texts(_ key: JSONText) throws(CallError) -> [JSONText] {
    var texts: [JSONText] = []
    try elements(key) { (reader) throws(CallError) in texts.append(try reader.text(key)) }
    return texts
  }

  /// The members of an object whose values are strings, in order. A value of null is refused.
  package mutating func members(_ key: JSONText) throws(CallError) -> [Parameters.Member] {
    do {
      var state = try scanner.beginObject()
      var members: [Parameters.Member] = []
      while let name = try scanner.nextMember(&state) {
        members.append(Parameters.Member(name: name, value: try scanner.readString()))
      }
      return members
    } catch { throw .invalid(key.string) }
  }

  /// Reads an object with the function `read`.
  package mutating func structure<Structure>(
    _ key: JSONText, _ read: (inout ParameterReader) throws(CallError) -> Structure
  ) throws(CallError) -> Structure {
    let outer = members
    do { members = try scanner.beginObject() } catch { throw .invalid(key.string) }
    defer { members = outer }
    return try read(&self)
  }

  /// Reads an array of objects, each with the function `read`.
  package mutating func array<Structure>(
    _ key: JSONText, _ read: (inout ParameterReader) throws(CallError) -> Structure
  ) throws(CallError) -> [Structure] {
    var structures: [Structure] = []
    try elements(key) { (reader) throws(CallError) in
      structures.append(try reader.structure(key, read))
    }
    return structures
  }

  private mutating func elements(
    _ key: JSONText, _ body: (inout ParameterReader) throws(CallError) -> Void
  ) throws(CallError) {
    do {
      var state = try scanner.beginArray()
      while try scanner.nextElement(&state) { try body(&self) }
    } catch let error as CallError {
      throw error
    } catch { throw .invalid(key.string) }
  }
}

/// An enumeration of the interface, each of whose cases has a word.
package protocol WireWord: CaseIterable {
  /// The case for a word; nil: no case has this word.
  init?(_ text: JSONText)
}

extension TimersInterface.Late: WireWord {
  package init?(_ text: JSONText) { self.init(rawValue: text.string) }
}

extension Timeline: WireWord {
  package init?(_ text: JSONText) { self.init(text, named: \.name) }
}

extension TimerState: WireWord {
  package init?(_ text: JSONText) { self.init(text, named: \.name) }
}

extension MissedPolicy: WireWord {
  package init?(_ text: JSONText) { self.init(text, named: \.name) }
}

extension AfterSleep: WireWord {
  package init?(_ text: JSONText) { self.init(text, named: \.name) }
}

extension WireWord {
  fileprivate init?(_ text: JSONText, named name: (Self) -> StaticString) {
    guard let word = Self.allCases.first(where: { text.equals(name($0)) }) else { return nil }
    self = word
  }
}
