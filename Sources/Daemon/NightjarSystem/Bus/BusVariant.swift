import CSystemd

extension BusMessage {
  /// Reads a dictionary from names to values of any type (`a{sv}`), and calls `body` for each name.
  /// `body` reads the value with one of the functions below, or ignores it.
  func forEachProperty(_ body: (_ name: String, _ value: BusVariant) -> Void) {
    guard sd_bus_message_enter_container(raw, CChar(UInt8(ascii: "a")), "{sv}") > 0 else { return }
    while sd_bus_message_enter_container(raw, CChar(UInt8(ascii: "e")), "sv") > 0 {
      guard let name = readString() else { return }
      let value = BusVariant(message: self)
      body(name, value)
      if !value.isRead, sd_bus_message_skip(raw, "v") < 0 { return }
      guard sd_bus_message_exit_container(raw) >= 0 else { return }
    }
  }
}

/// A value of any type. It can be read only once.
final class BusVariant {
  private let message: BusMessage
  fileprivate private(set) var isRead = false

  fileprivate init(message: BusMessage) { self.message = message }

  func string() -> String? { read("s") { message.readString() } }

  func int32() -> Int32? {
    var value: Int32 = 0
    return read("i") {
      sd_bus_message_read_basic(message.raw, CChar(UInt8(ascii: "i")), &value) > 0 ? value : nil
    }
  }

  func uint64() -> UInt64? {
    var value: UInt64 = 0
    return read("t") {
      sd_bus_message_read_basic(message.raw, CChar(UInt8(ascii: "t")), &value) > 0 ? value : nil
    }
  }

  /// Reads a systemd job, and returns its number without its path. The number 0 means that there is
  /// no job.
  func job() -> UInt32? {
    let structure = CChar(UInt8(ascii: "r"))
    var number: UInt32 = 0
    return read("(uo)") {
      guard sd_bus_message_enter_container(message.raw, structure, "uo") > 0 else { return nil }
      sd_bus_message_read_basic(message.raw, CChar(UInt8(ascii: "u")), &number)
      sd_bus_message_skip(message.raw, "o")
      sd_bus_message_exit_container(message.raw)
      return number
    }
  }

  private func read<Value>(_ contents: String, _ body: () -> Value?) -> Value? {
    let variant = CChar(UInt8(ascii: "v"))
    guard sd_bus_message_enter_container(message.raw, variant, contents) > 0 else { return nil }
    isRead = true
    defer { sd_bus_message_exit_container(message.raw) }
    return body()
  }
}
