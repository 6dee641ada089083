@testable import Varlink

/// JSON: the reader of values, the scanner that passes over them, a walk that does both, and a
/// literal reader agree; what was read is written, and read again as the same.
enum JSONTarget {
  static func run(_ input: Input) {
    let bytes = input.rest
    let read = outcome { () throws(JSONError) in try JSONValue.parse(bytes) }
    let passed = outcome { () throws(JSONError) in
      var scanner = JSONScanner(bytes)
      try scanner.skipValue()
      try scanner.finish()
    }
    let walked = outcome { () throws(JSONError) in
      var scanner = JSONScanner(bytes)
      var choices = Choices(seed: UInt8(truncatingIfNeeded: bytes.count))
      try walk(&scanner, &choices)
      try scanner.finish()
    }
    let isJSON = LiteralJSON.accepts(bytes)
    require((passed.value != nil) == isJSON, "JSON: \(isJSON); the scanner: \(passed)")
    agree(read.map { _ in () }, passed, count: bytes.count)
    agree(walked, passed, count: bytes.count)
    if let value = read.value { check(value) }
  }

  /// The same error or none, but that numbers too large are noticed only by those who read them.
  private static func agree(
    _ read: Result<Void, JSONError>, _ passed: Result<Void, JSONError>, count: Int
  ) {
    switch (read, passed) {
    case (.success, .success): break
    case (.failure(let error), .success):
      require(error.problem == .numberOutOfRange, "only passed over: \(error)")
    case (.success, .failure(let error)): fatalError("only read: \(error)")
    case (.failure(let error), .failure(let other)):
      let isLarge = error.problem == .numberOutOfRange && error.offset < other.offset
      require(error == other || isLarge, "'\(error)' and '\(other)'")
    }
    if case .failure(let error) = read {
      require((0...count).contains(error.offset), "\(error) in \(count) bytes")
    }
  }

  private static func check(_ value: JSONValue) {
    let bytes = value.bytes
    switch outcome({ () throws(JSONError) in try JSONValue.parse(bytes) }) {
    case .failure(let error): fatalError("what was written cannot be read: \(error)")
    // Texts that are canonically equivalent are equal to Swift: bytes are not.
    case .success(let again):
      require(again == value && again.bytes == bytes, "what was written is another value")
    }
  }

  /// Reads some values and passes over others.
  private static func walk(
    _ scanner: inout JSONScanner, _ choices: inout Choices
  ) throws(JSONError) {
    try misread(scanner)
    guard choices.next() & 3 != 0 else {
      try scanner.skipValue()
      return
    }
    switch try scanner.peek() {
    case .null: try scanner.readNull()
    case .bool: _ = try scanner.readBool()
    case .number: _ = try scanner.readDouble()
    case .string: check(try scanner.readString())
    case .array:
      var elements = try scanner.beginArray()
      while try scanner.nextElement(&elements) { try walk(&scanner, &choices) }
    case .object:
      var members = try scanner.beginObject()
      while let key = try scanner.nextMember(&members) {
        check(key)
        try walk(&scanner, &choices)
      }
    }
  }

  /// Asks for every kind of value: what comes is of one kind at the most.
  private static func misread(_ scanner: JSONScanner) throws(JSONError) {
    var found = 0
    func ask(_ body: (inout JSONScanner) throws(JSONError) -> Void) {
      var ahead = scanner
      if outcome({ () throws(JSONError) in try body(&ahead) }).value != nil { found += 1 }
    }
    ask { scanner throws(JSONError) in try scanner.readNull() }
    ask { scanner throws(JSONError) in _ = try scanner.readBool() }
    ask { scanner throws(JSONError) in _ = try scanner.readDouble() }
    ask { scanner throws(JSONError) in _ = try scanner.readString() }
    ask { scanner throws(JSONError) in _ = try scanner.beginArray() }
    ask { scanner throws(JSONError) in _ = try scanner.beginObject() }
    require(found <= 1, "a value of \(found) kinds")
    var (first, second) = (scanner, scanner)
    let integer = outcome { () throws(JSONError) in try first.readInteger() }.value
    let double = outcome { () throws(JSONError) in try second.readDouble() }.value
    if let integer { require(double == Double(integer), "\(integer) and \(double ?? .nan)") }
  }

  /// A text is the same whichever way it is asked.
  private static func check(_ text: JSONText) {
    let string = text.string
    require(text.utf8Count == string.utf8.count, "'\(string)' has not \(text.utf8Count) bytes")
    require(text.equals("tea") == string.utf8.elementsEqual("tea".utf8), "'\(string)'")
    let rest = text.dropping(prefix: "te")?.string
    require((rest != nil) == string.utf8.starts(with: "te".utf8), "'\(string)' begins with te")
    if let rest { require(rest.utf8.elementsEqual(string.utf8.dropFirst(2)), "'\(string)'") }
    var writer = JSONWriter()
    writer.string(text)
    let again = outcome { () throws(JSONError) in try JSONValue.parse(writer.bytes) }
    require(again.value == .string(string), "'\(string)' as it was sent")
  }
}
