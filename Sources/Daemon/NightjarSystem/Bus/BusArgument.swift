import CSystemd

/// An argument of a call, or the value of a variant, with its D-Bus type (D-Bus specification,
/// "Type System").
package enum BusArgument {
  case string(String)
  /// An object path.
  case path(String)
  case byte(UInt8)
  case boolean(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case uint64(UInt64)
  case double(Double)
  /// A value of any type.
  indirect case variant(BusArgument)
  /// A file descriptor; the message contains a copy of it.
  case descriptor(Int32)
  case strings([String])
  case structure([BusArgument])
  /// An array with its element type, which must be given because the array may be empty.
  case array(of: String, [BusArgument])
  /// `a{sv}`, in the order given.
  case variants([(key: String, value: BusArgument)])
  /// `a(sv)`: the properties of a unit as systemd expects them.
  case properties([(key: String, value: BusArgument)])

  private var signature: String {
    switch self {
    case .string: "s"
    case .path: "o"
    case .byte: "y"
    case .boolean: "b"
    case .int32: "i"
    case .uint32: "u"
    case .uint64: "t"
    case .double: "d"
    case .variant: "v"
    case .descriptor: "h"
    case .strings: "as"
    case .structure(let members): "(\(members.map(\.signature).joined()))"
    case .array(let contents, _): "a\(contents)"
    case .variants: "a{sv}"
    case .properties: "a(sv)"
    }
  }

  func append(to message: OpaquePointer?) throws(SystemError) {
    switch self {
    case .string(let text): try Self.append("s", text, to: message)
    case .path(let path): try Self.append("o", path, to: message)
    case .byte(var value): try Self.append("y", &value, to: message)
    case .boolean(let value):
      var number: Int32 = value ? 1 : 0
      try Self.append("b", &number, to: message)
    case .int32(var value): try Self.append("i", &value, to: message)
    case .uint32(var value): try Self.append("u", &value, to: message)
    case .uint64(var value): try Self.append("t", &value, to: message)
    case .double(var value): try Self.append("d", &value, to: message)
    case .variant(let value): try value.appendAsVariant(to: message)
    case .descriptor(var value): try Self.append("h", &value, to: message)
    case .strings(let texts):
      try Self.container("a", of: "s", in: message) { () throws(SystemError) in
        for text in texts { try Self.append("s", text, to: message) }
      }
    case .structure(let members): try Self.append(members, to: message)
    case .array(let contents, let elements):
      try Self.container("a", of: contents, in: message) { () throws(SystemError) in
        for element in elements { try element.append(to: message) }
      }
    case .variants(let entries): try Self.append(entries, "e", of: "{sv}", to: message)
    case .properties(let entries): try Self.append(entries, "r", of: "(sv)", to: message)
    }
  }

  private func appendAsVariant(to message: OpaquePointer?) throws(SystemError) {
    try Self.container("v", of: signature, in: message) { () throws(SystemError) in
      try append(to: message)
    }
  }

  private static func append(
    _ members: [BusArgument], to message: OpaquePointer?
  ) throws(SystemError) {
    let contents = members.map(\.signature).joined()
    try container("r", of: contents, in: message) { () throws(SystemError) in
      for member in members { try member.append(to: message) }
    }
  }

  /// Appends names with values of any type. Each name and its value are in a container of the D-Bus
  /// type `pair`.
  private static func append(
    _ entries: [(key: String, value: BusArgument)], _ pair: Unicode.Scalar, of contents: String,
    to message: OpaquePointer?
  ) throws(SystemError) {
    try container("a", of: contents, in: message) { () throws(SystemError) in
      for entry in entries {
        try container(pair, of: "sv", in: message) { () throws(SystemError) in
          try append("s", entry.key, to: message)
          try entry.value.appendAsVariant(to: message)
        }
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
