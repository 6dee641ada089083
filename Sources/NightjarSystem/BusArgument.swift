import CSystemd

/// An argument of a call, or what stands in a variant, with its type on the bus (D-Bus
/// specification, "Type System").
enum BusArgument {
  case string(String)
  case byte(UInt8)
  case boolean(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case strings([String])
  /// `a{sv}`, in the order given.
  case variants([(key: String, value: BusArgument)])

  private var signature: String {
    switch self {
    case .string: "s"
    case .byte: "y"
    case .boolean: "b"
    case .int32: "i"
    case .uint32: "u"
    case .strings: "as"
    case .variants: "a{sv}"
    }
  }

  /// Appends it to a message that is being built.
  func append(to message: OpaquePointer?) throws(SystemError) {
    switch self {
    case .string(let text): try Self.append("s", text, to: message)
    case .byte(var value): try Self.append("y", &value, to: message)
    case .boolean(let value):
      var number: Int32 = value ? 1 : 0
      try Self.append("b", &number, to: message)
    case .int32(var value): try Self.append("i", &value, to: message)
    case .uint32(var value): try Self.append("u", &value, to: message)
    case .strings(let texts):
      try Self.container("a", of: "s", in: message) { () throws(SystemError) in
        for text in texts { try Self.append("s", text, to: message) }
      }
    case .variants(let entries):
      try Self.container("a", of: "{sv}", in: message) { () throws(SystemError) in
        for entry in entries { try Self.append(entry, to: message) }
      }
    }
  }

  private static func append(
    _ entry: (key: String, value: BusArgument), to message: OpaquePointer?
  ) throws(SystemError) {
    try container("e", of: "sv", in: message) { () throws(SystemError) in
      try append("s", entry.key, to: message)
      try container("v", of: entry.value.signature, in: message) { () throws(SystemError) in
        try entry.value.append(to: message)
      }
    }
  }

  private static func append(
    _ type: Unicode.Scalar, _ value: UnsafeRawPointer, to message: OpaquePointer?
  ) throws(SystemError) {
    try checked(
      sd_bus_message_append_basic(message, code(type), value), "sd_bus_message_append_basic")
  }

  private static func container(
    _ type: Unicode.Scalar, of contents: String, in message: OpaquePointer?,
    _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    try checked(
      sd_bus_message_open_container(message, code(type), contents),
      "sd_bus_message_open_container")
    try body()
    try checked(sd_bus_message_close_container(message), "sd_bus_message_close_container")
  }

  private static func code(_ type: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: type)) }
}
