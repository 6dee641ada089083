// How the parts of stored types are coded.

extension Stored {
  var isDefault: Bool { false }
}

extension StoredObject {
  mutating func code(_ coder: inout Coder) throws(StoreError) {
    try coder.beginObject()
    try fields(&coder)
    try coder.endObject()
  }
}

extension Stored where Self: FixedWidthInteger {
  var isDefault: Bool { self == 0 }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    var value = Int64(self)
    try coder.integer(&value)
    guard let exact = Self(exactly: value) else { throw .damaged("a number is out of range") }
    self = exact
  }
}

extension Int64: Stored {}
extension Int32: Stored {}
extension UInt8: Stored {}
extension Int: Stored {}

extension Bool: Stored {
  var isDefault: Bool { !self }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    var value: Int64 = self ? 1 : 0
    try coder.integer(&value)
    self = value != 0
  }
}

extension String: Stored {
  var isDefault: Bool { isEmpty }

  mutating func code(_ coder: inout Coder) throws(StoreError) { try coder.text(&self) }
}

extension Array: Stored where Element: Stored {
  var isDefault: Bool { isEmpty }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    let count = try coder.array(count)
    if coder.isReading { self = [] }
    for index in 0..<count {
      if coder.isReading { append(Element()) }
      try self[index].code(&coder)
    }
  }
}

extension Optional: Stored where Wrapped: Stored {
  init() { self = nil }

  var isDefault: Bool { self == nil }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    var value = self ?? Wrapped()
    try value.code(&coder)
    self = value
  }
}

/// An enumeration without payload. Its raw values are the numbers on disk.
protocol StoredWord: Stored, RawRepresentable<UInt8>, CaseIterable {}

extension StoredWord {
  init() { self = Self.allCases[Self.allCases.startIndex] }

  var isDefault: Bool { rawValue == 0 }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    var number = rawValue
    try number.code(&coder)
    guard let known = Self(rawValue: number) else {
      throw .damaged("the word \(number) is unknown")
    }
    self = known
  }
}

/// How a value is made of its fields 1, 2, … and taken apart.
struct Form<Whole>: Sendable {
  /// The value with the default of each field.
  let blank: @Sendable () -> Whole
  let read: @Sendable (inout Coder) throws(StoreError) -> Whole
  /// Writes `whole` behind `number`, if `whole` has these fields. Returns whether it has.
  let write: @Sendable (_ whole: Whole, _ number: UInt8?, inout Coder) throws(StoreError) -> Bool

  init<each Field: Stored>(
    _ make: @escaping @Sendable (repeat each Field) -> Whole,
    _ fields: @escaping @Sendable (Whole) -> (repeat each Field)?
  ) {
    blank = { make(repeat (each Field)()) }
    read = { (coder: inout Coder) throws(StoreError) in
      var place: UInt8 = 0
      try coder.beginObject()
      let whole = make(repeat try Self.read((each Field).self, &place, &coder))
      try coder.endObject()
      return whole
    }
    write = { (whole, number, coder: inout Coder) throws(StoreError) in
      guard let fields = fields(whole) else { return false }
      if var number { try number.code(&coder) }
      var place: UInt8 = 0
      try coder.beginObject()
      repeat try Self.write(each fields, &place, &coder)
      try coder.endObject()
      return true
    }
  }

  private static func read<Field: Stored>(
    _ type: Field.Type, _ place: inout UInt8, _ coder: inout Coder
  ) throws(StoreError) -> Field {
    place += 1
    var field = Field()
    try coder.field(place, &field)
    return field
  }

  private static func write<Field: Stored>(
    _ field: Field, _ place: inout UInt8, _ coder: inout Coder
  ) throws(StoreError) {
    place += 1
    var field = field
    try coder.field(place, &field)
  }
}

/// A structure that is made of all its fields.
protocol StoredStruct: Stored {
  static var form: Form<Self> { get }
}

extension StoredStruct {
  init() { self = Self.form.blank() }

  mutating func code(_ coder: inout Coder) throws(StoreError) {
    if coder.isReading {
      self = try Self.form.read(&coder)
    } else {
      _ = try Self.form.write(self, nil, &coder)
    }
  }
}

/// An enumeration with payloads. On disk: the number of the case, and an object with the payload.
protocol StoredCases: Stored {
  static var cases: CaseTable<Self> { get }
}

extension StoredCases {
  mutating func code(_ coder: inout Coder) throws(StoreError) {
    guard try coder.array(2) == 2 else { throw .damaged("a case has no payload") }
    if coder.isReading {
      var number: UInt8 = 0
      try number.code(&coder)
      self = try Self.cases.read(number, &coder)
    } else {
      try Self.cases.write(self, &coder)
    }
  }
}

/// The cases of an enumeration by their numbers, which never change.
struct CaseTable<Whole>: Sendable {
  private let cases: [Case<Whole>]
  private let places: [UInt8: Int]

  init(_ cases: Case<Whole>...) {
    self.cases = cases
    places = Dictionary(uniqueKeysWithValues: cases.enumerated().map { ($1.number, $0) })
  }

  func read(_ number: UInt8, _ coder: inout Coder) throws(StoreError) -> Whole {
    guard let place = places[number] else { throw .damaged("the case \(number) is unknown") }
    return try cases[place].form.read(&coder)
  }

  func write(_ whole: Whole, _ coder: inout Coder) throws(StoreError) {
    for each in cases where try each.form.write(whole, each.number, &coder) { return }
    preconditionFailure("a case has no number")
  }
}

/// A case of an enumeration, with the form of its associated values.
struct Case<Whole>: Sendable {
  let number: UInt8
  let form: Form<Whole>

  init<each Field: Stored>(
    _ number: UInt8, _ make: @escaping @Sendable (repeat each Field) -> Whole,
    _ fields: @escaping @Sendable (Whole) -> (repeat each Field)?
  ) {
    self.number = number
    form = Form(make, fields)
  }

  /// A case without associated values.
  init(_ number: UInt8, _ whole: Whole) where Whole: Equatable & Sendable {
    self.init(number, { whole }, { $0 == whole ? () : nil })
  }
}
