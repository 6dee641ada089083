internal import NightjarModel

/// A type that is stored. `code` does both: it writes the value, or replaces it by what it reads.
protocol Stored: SendableMetatype {
  /// The default value, which an absent field has.
  init()
  /// Whether a field with this value is left out.
  var isDefault: Bool { get }
  mutating func code(_ coder: inout Coder) throws(StoreError)
}

/// A stored type with numbered fields. A new field gets a number of its own, above all others, and
/// needs one line in `fields`.
protocol StoredObject: Stored {
  mutating func fields(_ coder: inout Coder) throws(StoreError)
}

/// Writes or reads values in CBOR (RFC 8949).
///
/// An object is a map of indefinite length, from the numbers of its fields to their values, in
/// ascending order. A field that has its default value is absent. A field that this version does
/// not know is skipped.
struct Coder {
  /// All numbers are between -2^60 and 2^60, so that a few of them can be added without overflow.
  /// As microseconds, 2^60 is 36,000 years.
  static let limit: UInt64 = 1 << 60
  /// The byte that begins an object: a map of indefinite length.
  private static let beginning = Major.map.rawValue << 5 | 31
  private static let end: UInt8 = 0xFF
  private static let deepest = 32

  let isReading: Bool
  /// The bytes that were written.
  private(set) var bytes: [UInt8] = []
  /// The specifications and rings that were read; nil: the coder writes.
  private let pool: Pool?
  private let input: UnsafeRawBufferPointer
  private var at = 0

  /// Makes a coder that writes.
  init(reserving capacity: Int = 0) {
    isReading = false
    input = UnsafeRawBufferPointer(start: nil, count: 0)
    pool = nil
    bytes.reserveCapacity(capacity)
  }

  /// Makes a coder that reads. For bytes that no coder wrote it throws `StoreError.damaged`, and
  /// never traps.
  init(reading input: UnsafeRawBufferPointer, pool: Pool = Pool()) {
    isReading = true
    self.input = input
    self.pool = pool
  }

  /// Whether all bytes were read.
  var isAtEnd: Bool { at == input.count }

  /// Whether a list comes next.
  var isAtList: Bool { at < input.count && input[at] >> 5 == Major.array.rawValue }

  // MARK: - Fields

  /// Writes or reads a field.
  mutating func field<Value: Stored>(
    _ number: UInt8, _ value: inout Value
  ) throws(StoreError) {
    if try begin(number, isAbsent: !isReading && value.isDefault) {
      try value.code(&self)
    } else if isReading {
      value = Value()
    }
  }

  /// Writes or reads a field that may be missing.
  mutating func field<Value: Stored>(
    _ number: UInt8, _ value: inout Value?
  ) throws(StoreError) {
    guard try begin(number, isAbsent: value == nil) else { return value = nil }
    var present = value ?? Value()
    try present.code(&self)
    if isReading { value = present }
  }

  mutating func field(_ number: UInt8, _ value: inout [UInt8]) throws(StoreError) {
    guard try begin(number, isAbsent: value.isEmpty) else { return value = [] }
    if isReading { value = Array(try string(.bytes)) } else { write(.bytes, value) }
  }

  /// Writes the number of a field, or finds out whether that field is next.
  ///
  /// - Returns: whether the value of the field must be coded.
  mutating func begin(_ number: UInt8, isAbsent: Bool) throws(StoreError) -> Bool {
    assert(number < 24, "a number has one byte")
    guard isReading else {
      if !isAbsent { bytes.append(number) }
      return !isAbsent
    }
    while at < input.count, input[at] < number {
      at += 1
      try skip()
    }
    guard at < input.count, input[at] == number else { return false }
    at += 1
    return true
  }

  mutating func beginObject() throws(StoreError) {
    guard isReading else { return bytes.append(Self.beginning) }
    guard try byte() == Self.beginning else { throw .damaged("an object is missing") }
  }

  /// Ends an object, and skips the fields of it that were not read.
  mutating func endObject() throws(StoreError) {
    guard isReading else { return bytes.append(Self.end) }
    try skipRest()
  }

  // MARK: - Values

  mutating func integer(_ value: inout Int64) throws(StoreError) {
    guard isReading else {
      return value < 0 ? write(.negative, UInt64(~value)) : write(.natural, UInt64(value))
    }
    let (major, magnitude) = try head()
    guard major == .natural || major == .negative, magnitude < Self.limit else {
      throw .damaged("a number is wrong")
    }
    value = major == .natural ? Int64(magnitude) : ~Int64(magnitude)
  }

  mutating func text(_ value: inout String) throws(StoreError) {
    guard isReading else {
      return value.withUTF8 { write(.text, $0) }
    }
    guard let text = String(validating: try string(.text), as: UTF8.self) else {
      throw .damaged("a text is no UTF-8")
    }
    value = text
  }

  /// Writes `count` as the length of an array, or reads the length.
  mutating func array(_ count: Int) throws(StoreError) -> Int {
    guard isReading else {
      write(.array, UInt64(count))
      return count
    }
    let (major, length) = try head()
    // Each element has at least one byte.
    guard major == .array, length <= UInt64(input.count - at) else {
      throw .damaged("a list is wrong")
    }
    return Int(length)
  }

  /// Writes a list of `count` values that another coder wrote.
  mutating func list(_ count: Int, _ values: borrowing Coder) {
    write(.array, UInt64(count))
    bytes.append(contentsOf: values.bytes)
  }

  /// Writes eight bytes with the number, or reads them. For numbers with any bits.
  mutating func word(_ value: inout UInt64) throws(StoreError) {
    guard isReading else { return withUnsafeBytes(of: value.bigEndian) { write(.bytes, $0) } }
    let bytes = try string(.bytes)
    guard bytes.count == 8 else { throw .damaged("a word has \(bytes.count) bytes") }
    value = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Writes a specification as a string of bytes, or reads one.
  mutating func spec(_ spec: inout SharedSpec) throws(StoreError) {
    if let pool {
      spec = try pool.spec(try string(.bytes))
    } else {
      var (inner, content) = (Coder(), spec.content)
      try content.code(&inner)
      write(.bytes, inner.bytes)
    }
  }

  mutating func field(_ number: UInt8, _ ring: inout EncodedRing?) throws(StoreError) {
    guard try begin(number, isAbsent: ring == nil) else { return ring = nil }
    var (publicJSON, secretJSON) = (ring?.publicJSON ?? [], ring?.secretJSON ?? [])
    var (forUsec, insistUsec) = (ring?.forUsec, ring?.insistUsec)
    try beginObject()
    try field(1, &publicJSON)
    try field(2, &secretJSON)
    try field(3, &forUsec)
    try field(4, &insistUsec)
    try endObject()
    let read = EncodedRing(
      publicJSON: publicJSON, secretJSON: secretJSON, forUsec: forUsec, insistUsec: insistUsec)
    ring = pool?.ring(read) ?? ring
  }

  // MARK: - CBOR

  private enum Major: UInt8 {
    case natural = 0
    case negative, bytes, text, array, map, tag, simple
  }

  private mutating func write(_ major: Major, _ value: UInt64) {
    let high = major.rawValue << 5
    if value < 24 { return bytes.append(high | UInt8(truncatingIfNeeded: value)) }
    let size: UInt8 = value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : value <= 0xFFFF_FFFF ? 2 : 3
    bytes.append(high | 24 | size)
    var bits = 8 << size
    while bits > 0 {
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> bits))
    }
  }

  private mutating func write(_ major: Major, _ string: some Collection<UInt8>) {
    write(major, UInt64(string.count))
    bytes.append(contentsOf: string)
  }

  private mutating func byte() throws(StoreError) -> UInt8 {
    guard at < input.count else { throw .damaged("it ends in the middle of an entry") }
    defer { at &+= 1 }
    return input[at]
  }

  private mutating func head() throws(StoreError) -> (major: Major, value: UInt64) {
    let first = try byte()
    guard let major = Major(rawValue: first >> 5) else { throw .damaged("impossible") }
    let low = first & 31
    guard low >= 24 else { return (major, UInt64(low)) }
    let size = 1 << Int(low - 24)
    guard low < 28, size <= input.count - at else {
      throw .damaged("it ends in the middle of an entry")
    }
    var value: UInt64 = 0
    for place in at..<at + size { value = value << 8 | UInt64(input[place]) }
    at += size
    return (major, value)
  }

  private mutating func string(_ wanted: Major) throws(StoreError) -> UnsafeRawBufferPointer {
    let (major, count) = try head()
    guard major == wanted, count <= UInt64(input.count - at) else {
      throw .damaged("a string is wrong")
    }
    defer { at += Int(count) }
    return UnsafeRawBufferPointer(rebasing: input[at..<at + Int(count)])
  }

  /// Skips the rest of the present object, with its end.
  private mutating func skipRest(_ depth: Int = 0) throws(StoreError) {
    while at < input.count, input[at] != Self.end {
      try skip(depth)
      try skip(depth)
    }
    _ = try byte()
  }

  private mutating func skip(_ depth: Int = 0) throws(StoreError) {
    guard depth < Self.deepest else { throw .damaged("values are nested too deep") }
    guard at < input.count, input[at] != Self.beginning else {
      _ = try byte()
      return try skipRest(depth + 1)
    }
    let (major, value) = try head()
    switch major {
    case .bytes, .text:
      guard value <= UInt64(input.count - at) else { throw .damaged("a string is wrong") }
      at += Int(value)
    case .array:
      guard value <= UInt64(input.count - at) else { throw .damaged("a list is wrong") }
      for _ in 0..<value { try skip(depth + 1) }
    case .natural, .negative, .simple: break
    case .map, .tag: throw .damaged("a value of an unknown form")
    }
  }
}
