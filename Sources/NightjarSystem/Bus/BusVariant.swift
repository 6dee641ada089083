import CSystemd

extension BusMessage {
  /// Iterates over a message that is a dictionary from names to values of any type, an `a{sv}`.
  /// `body` reads a value with one of the functions below, or skips it.
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

/// A value of any type; it can be read once.
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

  /// The number of a systemd job, without the job's path; 0 means no job.
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
