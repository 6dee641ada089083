import CSystemd
import Glibc

/// A method call with arguments of any type, built argument by argument as sd-bus(3) has it. The first
/// argument that does not fit is remembered, and the call is not sent.
final class BusCall {
  private var message: OpaquePointer?
  private var failure: SystemError?
  private let connection: BusConnection
  private let member: String

  init(
    _ connection: BusConnection, destination: String, path: String, interface: String,
    member: String
  ) {
    self.connection = connection
    self.member = member
    guard let bus = connection.raw else {
      failure = SystemError(operation: "call \(member)", code: ENOTCONN)
      return
    }
    note(sd_bus_message_new_method_call(bus, &message, destination, path, interface, member))
  }

  deinit { sd_bus_message_unref(message) }

  private func note(_ result: Int32) {
    guard result < 0, failure == nil else { return }
    failure = SystemError(operation: "build \(member)", code: -result)
  }

  /// Sends it; as `BusConnection.call`.
  func send(
    patienceUsec: UInt64 = 0, completion: @escaping (BusConnection.Reply) -> Void
  ) throws(SystemError) {
    if let failure { throw failure }
    try connection.send(message, patienceUsec: patienceUsec, completion: completion)
  }

  // MARK: Arguments

  func string(_ value: String) {
    if failure == nil { note(sd_bus_message_append_basic(message, BusMessage.string, value)) }
  }

  func bool(_ value: Bool) { basic("b", Int32(value ? 1 : 0)) }

  func int32(_ value: Int32) { basic("i", value) }

  func uint64(_ value: UInt64) { basic("t", value) }

  /// A copy of a descriptor, which goes with the message.
  func descriptor(_ value: Int32) { basic("h", value) }

  private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) {
    var value = value
    if failure == nil { note(sd_bus_message_append_basic(message, CChar(type.value), &value)) }
  }

  func strings(_ values: [String]) { array(of: "s") { for value in values { string(value) } } }

  func array(of contents: String, _ body: () -> Void) { container("a", contents, body) }

  func structure(_ contents: String, _ body: () -> Void) { container("r", contents, body) }

  /// A name, and a value of any type: what an `a(sv)` is made of.
  func property(_ name: String, _ contents: String, _ body: () -> Void) {
    structure("sv") {
      string(name)
      container("v", contents, body)
    }
  }

  private func container(_ type: Unicode.Scalar, _ contents: String, _ body: () -> Void) {
    guard failure == nil else { return }
    note(sd_bus_message_open_container(message, CChar(type.value), contents))
    body()
    if failure == nil { note(sd_bus_message_close_container(message)) }
  }
}

extension BusMessage {
  /// Goes through a message that is a dictionary from names to values of any type, an `a{sv}`: `body`
  /// reads a value by one of the functions below, or leaves it.
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

/// A value of any type, to be read once.
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

  /// The number of a job of systemd's, which comes with its path; 0 is none.
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
