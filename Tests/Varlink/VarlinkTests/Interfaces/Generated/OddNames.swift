// Made from org.example.odd-names.varlink by varlink-swift. Do not edit.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Varlink

/// The types of `org.example.odd-names`.
enum OddNames {}

extension OddNames {
  /// `OddNames_`
  struct OddNames_: WireStructure {
    var initValue: Int64
    var inoutValue: Bool
    var selfValue: String?
    var readerValue: Double
    var blank: OddNames.Protocol_?
    var any: OddNames.Any_

    /// The optional fields are absent.
    init(initValue: Int64, inoutValue: Bool, readerValue: Double, any: OddNames.Any_) {
      self.initValue = initValue
      self.inoutValue = inoutValue
      self.readerValue = readerValue
      self.any = any
    }

    static var blank: Self {
      Self(initValue: .blank, inoutValue: .blank, readerValue: .blank, any: .blank)
    }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("init", &initValue)
      try reader.field("inout", &inoutValue)
      try reader.field("self", &selfValue)
      try reader.field("reader", &readerValue)
      try reader.field("blank", &blank)
      try reader.field("Any", &any)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("init", initValue)
      writer.field("inout", inoutValue)
      writer.field("self", selfValue)
      writer.field("reader", readerValue)
      writer.field("blank", blank)
      writer.field("Any", any)
    }
  }
}

extension OddNames {
  enum Protocol_: WireWord {
    /// `in`
    case `in`
    /// `init`
    case initValue
    /// `blank`
    case blankValue
    /// `rawValue`
    case rawValueValue
    /// `allCases`
    case allCasesValue
    /// `hashValue`
    case hashValueValue
    /// `isKnown`
    case isKnownValue
    /// `other`
    case otherValue
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [Protocol_] = [
      .`in`, .initValue, .blankValue, .rawValueValue, .allCasesValue, .hashValueValue,
      .isKnownValue, .otherValue,
    ]

    init(rawValue: String) {
      switch rawValue {
      case "in": self = .`in`
      case "init": self = .initValue
      case "blank": self = .blankValue
      case "rawValue": self = .rawValueValue
      case "allCases": self = .allCasesValue
      case "hashValue": self = .hashValueValue
      case "isKnown": self = .isKnownValue
      case "other": self = .otherValue
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .`in`: "in"
      case .initValue: "init"
      case .blankValue: "blank"
      case .rawValueValue: "rawValue"
      case .allCasesValue: "allCases"
      case .hashValueValue: "hashValue"
      case .isKnownValue: "isKnown"
      case .otherValue: "other"
      case .other(let word): word
      }
    }
  }
}

extension OddNames {
  /// `String_`
  struct String_: WireStructure {
    var text: String
    var lines: [String?]
    var numbers: WireMap<Int64?>

    /// The optional fields are absent.
    init(text: String, lines: [String?], numbers: WireMap<Int64?>) {
      self.text = text
      self.lines = lines
      self.numbers = numbers
    }

    static var blank: Self { Self(text: .blank, lines: .blank, numbers: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("text", &text)
      try reader.field("lines", &lines)
      try reader.field("numbers", &numbers)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("text", text)
      writer.field("lines", lines)
      writer.field("numbers", numbers)
    }
  }
}

extension OddNames {
  /// `Any_`
  struct Any_: WireStructure {
    var `repeat`: OddNames.String_?
    var more: [OddNames.Any_]

    /// The optional fields are absent.
    init(more: [OddNames.Any_]) {
      self.more = more
    }

    static var blank: Self { Self(more: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("repeat", &`repeat`)
      try reader.field("more", &more)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("repeat", `repeat`)
      writer.field("more", more)
    }
  }
}

extension OddNames {
  /// `Each`
  struct Each: WireStructure {
    var object: RawJSON
    var set: WireMap<RawJSON>
    var `struct`: OddNames.EachStruct

    /// The optional fields are absent.
    init(object: RawJSON, set: WireMap<RawJSON>, struct: OddNames.EachStruct) {
      self.object = object
      self.set = set
      self.struct = `struct`
    }

    static var blank: Self { Self(object: .blank, set: .blank, struct: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("object", &object)
      try reader.field("set", &set)
      try reader.field("struct", &`struct`)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("object", object)
      writer.field("set", set)
      writer.field("struct", `struct`)
    }
  }
}

extension OddNames {
  enum EachStructEnum: WireWord {
    /// `one`
    case one
    /// `two`
    case two
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [EachStructEnum] = [.one, .two]

    init(rawValue: String) {
      switch rawValue {
      case "one": self = .one
      case "two": self = .two
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .one: "one"
      case .two: "two"
      case .other(let word): word
      }
    }
  }
}

extension OddNames {
  /// `EachStruct`
  struct EachStruct: WireStructure {
    var `enum`: OddNames.EachStructEnum
    var array: [String]

    /// The optional fields are absent.
    init(enum: OddNames.EachStructEnum, array: [String]) {
      self.enum = `enum`
      self.array = array
    }

    static var blank: Self { Self(enum: .blank, array: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("enum", &`enum`)
      try reader.field("array", &array)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("enum", `enum`)
      writer.field("array", array)
    }
  }
}

extension OddNames {
  /// `Init`
  struct Init: WireMethod {
    var state: OddNames.InitState
    var `where`: OddNames.InitWhere?

    /// The optional fields are absent.
    init(state: OddNames.InitState) {
      self.state = state
    }

    static var blank: Self { Self(state: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("state", &state)
      try reader.field("where", &`where`)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("state", state)
      writer.field("where", `where`)
    }

    static let method: StaticString = "org.example.odd-names.Init"

    /// The reply of Init.
    struct Reply: WireStructure {
      var initValue: OddNames.String_
      var state: [WireMap<OddNames.InitReplyState>?]?

      /// The optional fields are absent.
      init(initValue: OddNames.String_) {
        self.initValue = initValue
      }

      static var blank: Self { Self(initValue: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("init", &initValue)
        try reader.field("state", &state)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("init", initValue)
        writer.field("state", state)
      }
    }
  }
}

extension OddNames {
  enum InitState: WireWord {
    /// `on`
    case on
    /// `off`
    case off
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [InitState] = [.on, .off]

    init(rawValue: String) {
      switch rawValue {
      case "on": self = .on
      case "off": self = .off
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .on: "on"
      case .off: "off"
      case .other(let word): word
      }
    }
  }
}

extension OddNames {
  /// `InitWhereOf`
  struct InitWhereOf: WireStructure {
    var name: String

    /// The optional fields are absent.
    init(name: String) {
      self.name = name
    }

    static var blank: Self { Self(name: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("name", &name)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("name", name)
    }
  }
}

extension OddNames {
  /// `InitWhere`
  struct InitWhere: WireStructure {
    var x: Int64
    var of: [OddNames.InitWhereOf?]

    /// The optional fields are absent.
    init(x: Int64, of: [OddNames.InitWhereOf?]) {
      self.x = x
      self.of = of
    }

    static var blank: Self { Self(x: .blank, of: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("x", &x)
      try reader.field("of", &of)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("x", x)
      writer.field("of", of)
    }
  }
}

extension OddNames {
  enum InitReplyState: WireWord {
    /// `high`
    case high
    /// `low`
    case low
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [InitReplyState] = [.high, .low]

    init(rawValue: String) {
      switch rawValue {
      case "high": self = .high
      case "low": self = .low
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .high: "high"
      case .low: "low"
      case .other(let word): word
      }
    }
  }
}

extension OddNames {
  /// `Reader`
  struct Reader: WireMethod {
    var int64: Int64?

    /// All fields are absent.
    init() {}

    static var blank: Self { Self() }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("Int64", &int64)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("Int64", int64)
    }

    static let method: StaticString = "org.example.odd-names.Reader"

    /// The reply of Reader.
    struct Reply: WireStructure {
      var names: OddNames.OddNames_

      /// The optional fields are absent.
      init(names: OddNames.OddNames_) {
        self.names = names
      }

      static var blank: Self { Self(names: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("names", &names)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("names", names)
      }
    }
  }
}

extension OddNames {
  enum SelfState: WireWord {
    /// `hot`
    case hot
    /// `cold`
    case cold
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [SelfState] = [.hot, .cold]

    init(rawValue: String) {
      switch rawValue {
      case "hot": self = .hot
      case "cold": self = .cold
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .hot: "hot"
      case .cold: "cold"
      case .other(let word): word
      }
    }
  }
}

extension OddNames {
  /// `SelfParts`
  struct SelfParts: WireStructure {
    var n: Int64

    /// The optional fields are absent.
    init(n: Int64) {
      self.n = n
    }

    static var blank: Self { Self(n: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("n", &n)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("n", n)
    }
  }
}
