// Made from org.varlink.certification.varlink by varlink-swift. Do not edit.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Varlink

/// The types of `org.varlink.certification`.
enum Certification {}

extension Certification {
  /// `Interface`
  struct Interface: WireStructure {
    var foo: [WireMap<Certification.InterfaceFoo>?]?
    var anon: Certification.InterfaceAnon

    /// The optional fields are absent.
    init(anon: Certification.InterfaceAnon) {
      self.anon = anon
    }

    static var blank: Self { Self(anon: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("foo", &foo)
      try reader.field("anon", &anon)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("foo", foo)
      writer.field("anon", anon)
    }
  }
}

extension Certification {
  enum InterfaceFoo: WireWord {
    /// `foo`
    case foo
    /// `bar`
    case bar
    /// `baz`
    case baz
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [InterfaceFoo] = [.foo, .bar, .baz]

    init(rawValue: String) {
      switch rawValue {
      case "foo": self = .foo
      case "bar": self = .bar
      case "baz": self = .baz
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .foo: "foo"
      case .bar: "bar"
      case .baz: "baz"
      case .other(let word): word
      }
    }
  }
}

extension Certification {
  /// `InterfaceAnon`
  struct InterfaceAnon: WireStructure {
    var foo: Bool
    var bar: Bool

    /// The optional fields are absent.
    init(foo: Bool, bar: Bool) {
      self.foo = foo
      self.bar = bar
    }

    static var blank: Self { Self(foo: .blank, bar: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("foo", &foo)
      try reader.field("bar", &bar)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("foo", foo)
      writer.field("bar", bar)
    }
  }
}

extension Certification {
  /// One field for each type that the language has.
  struct MyType: WireStructure {
    var object: RawJSON
    var `enum`: Certification.MyTypeEnum
    var `struct`: Certification.MyTypeStruct
    var array: [String]
    var dictionary: WireMap<String>
    var stringset: WireMap<RawJSON>
    var nullable: String?
    var nullableArrayStruct: [Certification.MyTypeNullableArrayStruct]?
    var interface: Certification.Interface

    /// The optional fields are absent.
    init(
      object: RawJSON, enum: Certification.MyTypeEnum, struct: Certification.MyTypeStruct,
      array: [String], dictionary: WireMap<String>, stringset: WireMap<RawJSON>,
      interface: Certification.Interface
    ) {
      self.object = object
      self.enum = `enum`
      self.struct = `struct`
      self.array = array
      self.dictionary = dictionary
      self.stringset = stringset
      self.interface = interface
    }

    static var blank: Self {
      Self(
        object: .blank, enum: .blank, struct: .blank, array: .blank, dictionary: .blank,
        stringset: .blank, interface: .blank
      )
    }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("object", &object)
      try reader.field("enum", &`enum`)
      try reader.field("struct", &`struct`)
      try reader.field("array", &array)
      try reader.field("dictionary", &dictionary)
      try reader.field("stringset", &stringset)
      try reader.field("nullable", &nullable)
      try reader.field("nullable_array_struct", &nullableArrayStruct)
      try reader.field("interface", &interface)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("object", object)
      writer.field("enum", `enum`)
      writer.field("struct", `struct`)
      writer.field("array", array)
      writer.field("dictionary", dictionary)
      writer.field("stringset", stringset)
      writer.field("nullable", nullable)
      writer.field("nullable_array_struct", nullableArrayStruct)
      writer.field("interface", interface)
    }
  }
}

extension Certification {
  enum MyTypeEnum: WireWord {
    /// `one`
    case one
    /// `two`
    case two
    /// `three`
    case three
    /// A word that only a newer service has.
    case other(String)

    static let allCases: [MyTypeEnum] = [.one, .two, .three]

    init(rawValue: String) {
      switch rawValue {
      case "one": self = .one
      case "two": self = .two
      case "three": self = .three
      default: self = .other(rawValue)
      }
    }

    var rawValue: String {
      switch self {
      case .one: "one"
      case .two: "two"
      case .three: "three"
      case .other(let word): word
      }
    }
  }
}

extension Certification {
  /// `MyTypeStruct`
  struct MyTypeStruct: WireStructure {
    var first: Int64
    var second: String

    /// The optional fields are absent.
    init(first: Int64, second: String) {
      self.first = first
      self.second = second
    }

    static var blank: Self { Self(first: .blank, second: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("first", &first)
      try reader.field("second", &second)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("first", first)
      writer.field("second", second)
    }
  }
}

extension Certification {
  /// `MyTypeNullableArrayStruct`
  struct MyTypeNullableArrayStruct: WireStructure {
    var first: Int64
    var second: String

    /// The optional fields are absent.
    init(first: Int64, second: String) {
      self.first = first
      self.second = second
    }

    static var blank: Self { Self(first: .blank, second: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("first", &first)
      try reader.field("second", &second)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("first", first)
      writer.field("second", second)
    }
  }
}

extension Certification {
  /// `Start`
  struct Start: WireMethod {
    /// All fields are absent.
    init() {}

    static var blank: Self { Self() }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    func writeMembers(to writer: inout JSONWriter) {
    }

    static let method: StaticString = "org.varlink.certification.Start"

    /// The reply of Start.
    struct Reply: WireStructure {
      var clientId: String

      /// The optional fields are absent.
      init(clientId: String) {
        self.clientId = clientId
      }

      static var blank: Self { Self(clientId: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("client_id", &clientId)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("client_id", clientId)
      }
    }
  }
}

extension Certification {
  /// `Test01`
  struct Test01: WireMethod {
    var clientId: String

    /// The optional fields are absent.
    init(clientId: String) {
      self.clientId = clientId
    }

    static var blank: Self { Self(clientId: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
    }

    static let method: StaticString = "org.varlink.certification.Test01"

    /// The reply of Test01.
    struct Reply: WireStructure {
      var bool: Bool

      /// The optional fields are absent.
      init(bool: Bool) {
        self.bool = bool
      }

      static var blank: Self { Self(bool: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("bool", &bool)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("bool", bool)
      }
    }
  }
}

extension Certification {
  /// `Test02`
  struct Test02: WireMethod {
    var clientId: String
    var bool: Bool

    /// The optional fields are absent.
    init(clientId: String, bool: Bool) {
      self.clientId = clientId
      self.bool = bool
    }

    static var blank: Self { Self(clientId: .blank, bool: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("bool", &bool)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("bool", bool)
    }

    static let method: StaticString = "org.varlink.certification.Test02"

    /// The reply of Test02.
    struct Reply: WireStructure {
      var int: Int64

      /// The optional fields are absent.
      init(int: Int64) {
        self.int = int
      }

      static var blank: Self { Self(int: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("int", &int)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("int", int)
      }
    }
  }
}

extension Certification {
  /// `Test03`
  struct Test03: WireMethod {
    var clientId: String
    var int: Int64

    /// The optional fields are absent.
    init(clientId: String, int: Int64) {
      self.clientId = clientId
      self.int = int
    }

    static var blank: Self { Self(clientId: .blank, int: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("int", &int)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("int", int)
    }

    static let method: StaticString = "org.varlink.certification.Test03"

    /// The reply of Test03.
    struct Reply: WireStructure {
      var float: Double

      /// The optional fields are absent.
      init(float: Double) {
        self.float = float
      }

      static var blank: Self { Self(float: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("float", &float)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("float", float)
      }
    }
  }
}

extension Certification {
  /// `Test04`
  struct Test04: WireMethod {
    var clientId: String
    var float: Double

    /// The optional fields are absent.
    init(clientId: String, float: Double) {
      self.clientId = clientId
      self.float = float
    }

    static var blank: Self { Self(clientId: .blank, float: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("float", &float)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("float", float)
    }

    static let method: StaticString = "org.varlink.certification.Test04"

    /// The reply of Test04.
    struct Reply: WireStructure {
      var string: String

      /// The optional fields are absent.
      init(string: String) {
        self.string = string
      }

      static var blank: Self { Self(string: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("string", &string)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("string", string)
      }
    }
  }
}

extension Certification {
  /// `Test05`
  struct Test05: WireMethod {
    var clientId: String
    var string: String

    /// The optional fields are absent.
    init(clientId: String, string: String) {
      self.clientId = clientId
      self.string = string
    }

    static var blank: Self { Self(clientId: .blank, string: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("string", &string)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("string", string)
    }

    static let method: StaticString = "org.varlink.certification.Test05"

    /// The reply of Test05.
    struct Reply: WireStructure {
      var bool: Bool
      var int: Int64
      var float: Double
      var string: String

      /// The optional fields are absent.
      init(bool: Bool, int: Int64, float: Double, string: String) {
        self.bool = bool
        self.int = int
        self.float = float
        self.string = string
      }

      static var blank: Self { Self(bool: .blank, int: .blank, float: .blank, string: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("bool", &bool)
        try reader.field("int", &int)
        try reader.field("float", &float)
        try reader.field("string", &string)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("bool", bool)
        writer.field("int", int)
        writer.field("float", float)
        writer.field("string", string)
      }
    }
  }
}

extension Certification {
  /// `Test06`
  struct Test06: WireMethod {
    var clientId: String
    var bool: Bool
    var int: Int64
    var float: Double
    var string: String

    /// The optional fields are absent.
    init(clientId: String, bool: Bool, int: Int64, float: Double, string: String) {
      self.clientId = clientId
      self.bool = bool
      self.int = int
      self.float = float
      self.string = string
    }

    static var blank: Self {
      Self(clientId: .blank, bool: .blank, int: .blank, float: .blank, string: .blank)
    }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("bool", &bool)
      try reader.field("int", &int)
      try reader.field("float", &float)
      try reader.field("string", &string)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("bool", bool)
      writer.field("int", int)
      writer.field("float", float)
      writer.field("string", string)
    }

    static let method: StaticString = "org.varlink.certification.Test06"

    /// The reply of Test06.
    struct Reply: WireStructure {
      var `struct`: Certification.Test06ReplyStruct

      /// The optional fields are absent.
      init(struct: Certification.Test06ReplyStruct) {
        self.struct = `struct`
      }

      static var blank: Self { Self(struct: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("struct", &`struct`)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("struct", `struct`)
      }
    }
  }
}

extension Certification {
  /// `Test06ReplyStruct`
  struct Test06ReplyStruct: WireStructure {
    var bool: Bool
    var int: Int64
    var float: Double
    var string: String

    /// The optional fields are absent.
    init(bool: Bool, int: Int64, float: Double, string: String) {
      self.bool = bool
      self.int = int
      self.float = float
      self.string = string
    }

    static var blank: Self { Self(bool: .blank, int: .blank, float: .blank, string: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("bool", &bool)
      try reader.field("int", &int)
      try reader.field("float", &float)
      try reader.field("string", &string)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("bool", bool)
      writer.field("int", int)
      writer.field("float", float)
      writer.field("string", string)
    }
  }
}

extension Certification {
  /// `Test07`
  struct Test07: WireMethod {
    var clientId: String
    var `struct`: Certification.Test07Struct

    /// The optional fields are absent.
    init(clientId: String, struct: Certification.Test07Struct) {
      self.clientId = clientId
      self.struct = `struct`
    }

    static var blank: Self { Self(clientId: .blank, struct: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("struct", &`struct`)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("struct", `struct`)
    }

    static let method: StaticString = "org.varlink.certification.Test07"

    /// The reply of Test07.
    struct Reply: WireStructure {
      var map: WireMap<String>

      /// The optional fields are absent.
      init(map: WireMap<String>) {
        self.map = map
      }

      static var blank: Self { Self(map: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("map", &map)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("map", map)
      }
    }
  }
}

extension Certification {
  /// `Test07Struct`
  struct Test07Struct: WireStructure {
    var bool: Bool
    var int: Int64
    var float: Double
    var string: String

    /// The optional fields are absent.
    init(bool: Bool, int: Int64, float: Double, string: String) {
      self.bool = bool
      self.int = int
      self.float = float
      self.string = string
    }

    static var blank: Self { Self(bool: .blank, int: .blank, float: .blank, string: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("bool", &bool)
      try reader.field("int", &int)
      try reader.field("float", &float)
      try reader.field("string", &string)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("bool", bool)
      writer.field("int", int)
      writer.field("float", float)
      writer.field("string", string)
    }
  }
}

extension Certification {
  /// `Test08`
  struct Test08: WireMethod {
    var clientId: String
    var map: WireMap<String>

    /// The optional fields are absent.
    init(clientId: String, map: WireMap<String>) {
      self.clientId = clientId
      self.map = map
    }

    static var blank: Self { Self(clientId: .blank, map: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("map", &map)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("map", map)
    }

    static let method: StaticString = "org.varlink.certification.Test08"

    /// The reply of Test08.
    struct Reply: WireStructure {
      var set: WireMap<RawJSON>

      /// The optional fields are absent.
      init(set: WireMap<RawJSON>) {
        self.set = set
      }

      static var blank: Self { Self(set: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("set", &set)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("set", set)
      }
    }
  }
}

extension Certification {
  /// `Test09`
  struct Test09: WireMethod {
    var clientId: String
    var set: WireMap<RawJSON>

    /// The optional fields are absent.
    init(clientId: String, set: WireMap<RawJSON>) {
      self.clientId = clientId
      self.set = set
    }

    static var blank: Self { Self(clientId: .blank, set: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("set", &set)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("set", set)
    }

    static let method: StaticString = "org.varlink.certification.Test09"

    /// The reply of Test09.
    struct Reply: WireStructure {
      var mytype: Certification.MyType

      /// The optional fields are absent.
      init(mytype: Certification.MyType) {
        self.mytype = mytype
      }

      static var blank: Self { Self(mytype: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("mytype", &mytype)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("mytype", mytype)
      }
    }
  }
}

extension Certification {
  /// A call with more gets ten replies.
  struct Test10: WireMethod {
    var clientId: String
    var mytype: Certification.MyType

    /// The optional fields are absent.
    init(clientId: String, mytype: Certification.MyType) {
      self.clientId = clientId
      self.mytype = mytype
    }

    static var blank: Self { Self(clientId: .blank, mytype: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("mytype", &mytype)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("mytype", mytype)
    }

    static let method: StaticString = "org.varlink.certification.Test10"
    typealias Reply = Certification.Test04.Reply
  }
}

extension Certification {
  /// A call without a reply.
  struct Test11: WireMethod {
    var clientId: String
    var lastMoreReplies: [String]

    /// The optional fields are absent.
    init(clientId: String, lastMoreReplies: [String]) {
      self.clientId = clientId
      self.lastMoreReplies = lastMoreReplies
    }

    static var blank: Self { Self(clientId: .blank, lastMoreReplies: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
      try reader.field("last_more_replies", &lastMoreReplies)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
      writer.field("last_more_replies", lastMoreReplies)
    }

    static let method: StaticString = "org.varlink.certification.Test11"

    /// The reply of Test11.
    struct Reply: WireStructure {
      /// All fields are absent.
      init() {}

      static var blank: Self { Self() }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
      }

      func writeMembers(to writer: inout JSONWriter) {
      }
    }
  }
}

extension Certification {
  /// `End`
  struct End: WireMethod {
    var clientId: String

    /// The optional fields are absent.
    init(clientId: String) {
      self.clientId = clientId
    }

    static var blank: Self { Self(clientId: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("client_id", &clientId)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("client_id", clientId)
    }

    static let method: StaticString = "org.varlink.certification.End"

    /// The reply of End.
    struct Reply: WireStructure {
      var allOk: Bool

      /// The optional fields are absent.
      init(allOk: Bool) {
        self.allOk = allOk
      }

      static var blank: Self { Self(allOk: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("all_ok", &allOk)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("all_ok", allOk)
      }
    }
  }
}
