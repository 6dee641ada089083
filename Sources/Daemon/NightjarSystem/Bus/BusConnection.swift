import CSystemd
import Glibc

/// One asynchronous connection to a message bus (sd-bus(3)), on the loop.
///
/// If the bus's socket is missing or no process listens on it, sd-bus can wait for the bus with
/// inotify, without polling. A connection that was lost is not restored: the caller creates another
/// one.
package final class BusConnection {
  /// The answer to a method call. The message is valid only during the completion.
  package enum Reply {
    case success(BusMessage)
    case failure(code: Int32, text: String)
  }

  /// Whether the bus has accepted the connection and the connection has not been lost since.
  package private(set) var isConnected = false

  private let loop: EventLoop
  private var bus: BusHandle?
  /// The matches that `follow` created, by the caller's key.
  private var followed: [String: OpaquePointer] = [:]

  /// Begins to connect to a D-Bus address such as `unix:path=/run/dbus/system_bus_socket`.
  ///
  /// - Parameters:
  ///   - waits: whether to wait for a bus that does not exist yet. sd-bus then watches the folders
  ///     above the bus's socket, and every file that is created there wakes the process. If false,
  ///     a missing bus is an error.
  ///   - onConnected: called when the bus has accepted the connection.
  ///   - onLost: called when the connection is lost, after all pending calls have failed.
  package init(
    loop: EventLoop, address: String, waits: Bool = true, onConnected: @escaping () -> Void,
    onLost: @escaping () -> Void
  ) throws(SystemError) {
    self.loop = loop
    var raw: OpaquePointer?
    try checked(sd_bus_new(&raw), "sd_bus_new")
    let handle = BusHandle(raw!)
    bus = handle
    try checked(sd_bus_set_address(raw, address), "sd_bus_set_address \(address)")
    try checked(sd_bus_set_bus_client(raw, 1), "sd_bus_set_bus_client")
    try checked(sd_bus_set_watch_bind(raw, waits ? 1 : 0), "sd_bus_set_watch_bind")
    try checked(sd_bus_set_connected_signal(raw, 1), "sd_bus_set_connected_signal")
    try matchLocal("Connected") { [weak self] in
      self?.isConnected = true
      onConnected()
    }
    try matchLocal("Disconnected") { [weak self] in
      self?.isConnected = false
      onLost()
    }
    try checked(sd_bus_start(raw), "connect to the bus at \(address)")
    // By default, sd-bus flushes its queue when the loop exits. If the bus hangs, that would hang
    // too.
    try checked(sd_bus_set_close_on_exit(raw, 0), "sd_bus_set_close_on_exit")
    try checked(sd_bus_attach_event(raw, loop.handle, 0), "sd_bus_attach_event")
  }

  deinit { close() }

  /// Closes the connection. After that, no handler is called. A handler of the connection may call
  /// this. Because sd-bus uses the bus after the handler returns, the bus is released in a later
  /// iteration.
  package func close() {
    guard let handle = bus else { return }
    bus = nil
    isConnected = false
    for slot in followed.values { sd_bus_slot_unref(slot) }
    followed = [:]
    sd_bus_detach_event(handle.raw)
    loop.later { withExtendedLifetime(handle) {} }
  }

  /// Calls a method. The completion is called once, unless `close` is called first. If there is no
  /// answer within `timeoutUsec`, the completion gets ETIMEDOUT; 0 means sd-bus's default of 25 s.
  package func call(
    destination: String, path: String, interface: String, member: String,
    arguments: [BusArgument] = [], timeoutUsec: UInt64 = 0, completion: @escaping (Reply) -> Void
  ) throws(SystemError) {
    guard let bus else { throw SystemError(operation: "call \(member)", code: ENOTCONN) }
    var message: OpaquePointer?
    try checked(
      sd_bus_message_new_method_call(bus.raw, &message, destination, path, interface, member),
      "sd_bus_message_new_method_call \(member)")
    defer { sd_bus_message_unref(message) }
    for argument in arguments { try argument.append(to: message) }
    let box = MessageHandler { completion(BusConnection.reply($0)) }
    var slot: OpaquePointer?
    try checked(
      sd_bus_call_async(bus.raw, &slot, message, messageReceived, box.userdata, timeoutUsec),
      "sd_bus_call_async \(member)")
    try box.handOver(to: slot)
  }

  /// Calls a handler for each message that matches a D-Bus match rule, as long as the connection is
  /// open. The handler must check the sender: if a rule names the sender by a well-known name,
  /// sd-bus does not check it.
  package func match(_ rule: String, _ handler: @escaping (BusMessage) -> Void) throws(SystemError)
  {
    guard let bus else { throw SystemError(operation: "match \(rule)", code: ENOTCONN) }
    let box = MessageHandler(handler)
    var slot: OpaquePointer?
    try checked(
      sd_bus_add_match_async(bus.raw, &slot, rule, messageReceived, nil, box.userdata),
      "sd_bus_add_match_async")
    try box.handOver(to: slot)
  }

  /// Has an object at `path`, as long as the connection is open.
  package func add(_ object: BusObject, at path: String) throws(SystemError) {
    guard let bus else { throw SystemError(operation: "add \(path)", code: ENOTCONN) }
    let table = BusTable(object)
    var slot: OpaquePointer?
    try checked(
      sd_bus_add_object_vtable(
        bus.raw, &slot, path, object.interface, table.entries, table.userdata),
      "sd_bus_add_object_vtable \(path)")
    try table.handOver(to: slot)
  }

  /// Sends a signal of an object to all who listen.
  package func emit(
    _ signal: String, of interface: String, at path: String, _ arguments: [BusArgument] = []
  ) throws(SystemError) {
    guard let bus else { throw SystemError(operation: "emit \(signal)", code: ENOTCONN) }
    var message: OpaquePointer?
    try checked(
      sd_bus_message_new_signal(bus.raw, &message, path, interface, signal),
      "sd_bus_message_new_signal \(signal)")
    defer { sd_bus_message_unref(message) }
    for argument in arguments { try argument.append(to: message) }
    try checked(sd_bus_send(bus.raw, message, nil), "sd_bus_send \(signal)")
  }

  /// The path of the socket of a D-Bus address, if no file exists at that path; nil otherwise.
  /// sd-bus waits for such a socket, and does not report that it waits.
  static func missingSocket(of address: String) -> String? {
    socket(of: address).flatMap { access($0, F_OK) == 0 ? nil : $0 }
  }

  /// The path of the socket of a D-Bus address; nil if the socket is not in the file system.
  static func socket(of address: String) -> String? {
    let prefix = "unix:path="
    guard address.hasPrefix(prefix) else { return nil }
    return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
  }

  /// Like `match`, but ends when `unfollow` is called with the same key.
  func follow(
    _ key: String, _ rule: String, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    try follow(key, rule) { (_: BusMessage) in handler() }
  }

  /// Like `match`, but ends when `unfollow` is called with the same key.
  func follow(
    _ key: String, _ rule: String, _ handler: @escaping (BusMessage) -> Void
  ) throws(SystemError) {
    guard let bus else { throw SystemError(operation: "match \(rule)", code: ENOTCONN) }
    unfollow(key)
    let box = MessageHandler(handler)
    var slot: OpaquePointer?
    try checked(
      sd_bus_add_match_async(bus.raw, &slot, rule, messageReceived, nil, box.userdata),
      "sd_bus_add_match_async")
    followed[key] = slot
    try box.belong(to: slot)
  }

  /// Ends the match that `follow` created with this key. The match's handler may call this.
  func unfollow(_ key: String) {
    sd_bus_slot_unref(followed.removeValue(forKey: key))
  }

  /// Whether calls can still be answered. False while the connection is being lost.
  var isOpen: Bool { bus.map { sd_bus_is_open($0.raw) > 0 } ?? false }

  /// The name that the bus has given to this connection.
  package var uniqueName: String? {
    var name: UnsafePointer<CChar>?
    guard let bus, isConnected, sd_bus_get_unique_name(bus.raw, &name) >= 0 else { return nil }
    return name.map { String(cString: $0) }
  }

  /// Identifies this run of the bus: after a restart, a bus has another ID. Nil while not
  /// connected.
  var busID: String? {
    var id = sd_id128_t()
    guard let bus, isConnected, sd_bus_get_bus_id(bus.raw, &id) >= 0 else { return nil }
    return withUnsafeBytes(of: id) { bytes in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// Calls a handler for a signal about the connection. sd-bus itself creates these signals; the
  /// bus does not send them.
  private func matchLocal(_ member: String, _ handler: @escaping () -> Void) throws(SystemError) {
    let local = "org.freedesktop.DBus.Local"
    try match("type='signal',sender='\(local)',interface='\(local)',member='\(member)'") {
      if $0.sender == local { handler() }
    }
  }

  private static func reply(_ message: BusMessage) -> Reply {
    guard let error = sd_bus_message_get_error(message.raw) else { return .success(message) }
    let text = error.pointee.message ?? error.pointee.name
    return .failure(
      code: sd_bus_message_get_errno(message.raw),
      text: text.map { String(cString: $0) } ?? "error without a name")
  }
}

/// A received message; valid only within the callback that gets it.
package struct BusMessage {
  private static let string = CChar(UInt8(ascii: "s"))
  private static let array = CChar(UInt8(ascii: "a"))
  private static let natural = CChar(UInt8(ascii: "u"))
  private static let integer = CChar(UInt8(ascii: "i"))
  private static let boolean = CChar(UInt8(ascii: "b"))
  private static let variant = CChar(UInt8(ascii: "v"))
  private static let object = CChar(UInt8(ascii: "o"))
  private static let structure = CChar(UInt8(ascii: "r"))
  private static let entry = CChar(UInt8(ascii: "e"))
  private static let descriptor = CChar(UInt8(ascii: "h"))

  let raw: OpaquePointer

  /// The unique name of the sender, which the bus guarantees.
  package var sender: String? { sd_bus_message_get_sender(raw).map { String(cString: $0) } }

  /// Reads the next argument; nil if it is not a string.
  package func readString() -> String? {
    var value: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(raw, BusMessage.string, &value) > 0 else { return nil }
    return value.map { String(cString: $0) }
  }

  /// Reads the next argument; nil if it is not an array of strings.
  package func readStrings() -> [String]? {
    guard sd_bus_message_enter_container(raw, BusMessage.array, "s") > 0 else { return nil }
    var strings: [String] = []
    while let string = readString() { strings.append(string) }
    return sd_bus_message_exit_container(raw) >= 0 ? strings : nil
  }

  /// Reads the next argument; nil if it is not a UINT32.
  package func readUInt32() -> UInt32? {
    var value: UInt32 = 0
    return sd_bus_message_read_basic(raw, BusMessage.natural, &value) > 0 ? value : nil
  }

  /// Reads the next argument; nil if it is not an INT32.
  package func readInt32() -> Int32? {
    var value: Int32 = 0
    return sd_bus_message_read_basic(raw, BusMessage.integer, &value) > 0 ? value : nil
  }

  /// Reads the next argument, an array; `element` reads one element.
  ///
  /// - Parameter contents: the D-Bus type of an element.
  /// - Returns: nil if the argument is something else.
  package func readArray<Element>(
    of contents: String, _ element: () -> Element?
  ) -> [Element]? {
    guard sd_bus_message_enter_container(raw, BusMessage.array, contents) > 0 else { return nil }
    var elements: [Element] = []
    while let next = element() { elements.append(next) }
    return sd_bus_message_exit_container(raw) >= 0 ? elements : nil
  }

  /// Reads the next argument, a structure; `members` reads its members.
  ///
  /// - Parameter contents: the D-Bus types of all members, without parentheses.
  /// - Returns: nil if there is no further argument, or if it is something else.
  package func readStructure<Value>(of contents: String, _ members: () -> Value?) -> Value? {
    guard sd_bus_message_enter_container(raw, BusMessage.structure, contents) > 0,
      let value = members(), sd_bus_message_exit_container(raw) >= 0
    else { return nil }
    return value
  }

  /// Passes over the next argument, which has this D-Bus type.
  package func skip(_ type: String) { sd_bus_message_skip(raw, type) }

  /// Reads the next argument; nil if it is not a boolean.
  func readBool() -> Bool? {
    var value: Int32 = 0
    guard sd_bus_message_read_basic(raw, BusMessage.boolean, &value) > 0 else { return nil }
    return value != 0
  }

  /// Reads the next argument, a variant that holds a boolean; nil if it is something else.
  func readVariantBool() -> Bool? {
    guard sd_bus_message_enter_container(raw, BusMessage.variant, "b") > 0 else { return nil }
    return readBool()
  }

  /// Reads the next argument, a variant with an array of names and object paths.
  ///
  /// - Returns: the paths; nil if the argument is something else.
  func readVariantPaths() -> [String]? {
    guard sd_bus_message_enter_container(raw, BusMessage.variant, "a(so)") > 0,
      sd_bus_message_enter_container(raw, BusMessage.array, "(so)") > 0
    else { return nil }
    var paths: [String] = []
    while sd_bus_message_enter_container(raw, BusMessage.structure, "so") > 0 {
      var path: UnsafePointer<CChar>?
      guard readString() != nil, sd_bus_message_read_basic(raw, BusMessage.object, &path) > 0,
        let path, sd_bus_message_exit_container(raw) >= 0
      else { return nil }
      paths.append(String(cString: path))
    }
    return paths
  }

  /// The value of a D-Bus property that is a string or a boolean.
  enum Property: Equatable {
    case text(String)
    case flag(Bool)
  }

  /// Reads the next argument: a dictionary with the properties of an object, by name.
  ///
  /// - Returns: the properties that are strings or booleans; nil if the argument is something else.
  func readProperties() -> [String: Property]? {
    guard sd_bus_message_enter_container(raw, BusMessage.array, "{sv}") > 0 else { return nil }
    var properties: [String: Property] = [:]
    while sd_bus_message_enter_container(raw, BusMessage.entry, "sv") > 0 {
      guard let name = readString() else { return nil }
      var (type, contents) = (CChar(0), UnsafePointer<CChar>?.none)
      guard sd_bus_message_peek_type(raw, &type, &contents) > 0, let contents else { return nil }
      switch String(cString: contents) {
      case "s":
        guard sd_bus_message_enter_container(raw, BusMessage.variant, "s") > 0,
          let text = readString(), sd_bus_message_exit_container(raw) >= 0
        else { return nil }
        properties[name] = .text(text)
      case "b":
        guard let flag = readVariantBool(), sd_bus_message_exit_container(raw) >= 0 else {
          return nil
        }
        properties[name] = .flag(flag)
      default: guard sd_bus_message_skip(raw, "v") >= 0 else { return nil }
      }
      guard sd_bus_message_exit_container(raw) >= 0 else { return nil }
    }
    return sd_bus_message_exit_container(raw) >= 0 ? properties : nil
  }

  /// Reads the next argument, a descriptor, and returns a copy: the message closes the original.
  func readDescriptor() throws(SystemError) -> Descriptor {
    var borrowed: Int32 = -1
    let result = sd_bus_message_read_basic(raw, BusMessage.descriptor, &borrowed)
    guard try checked(result, "read a descriptor") > 0 else {
      throw SystemError(operation: "read a descriptor", code: ENODATA)
    }
    // The copy is above 2, because other code takes 0 to 2 for the standard streams and may close
    // them.
    let copy = fcntl(borrowed, F_DUPFD_CLOEXEC, 3)
    return Descriptor(owning: try checkedErrno(copy, "copy a descriptor"))
  }
}

/// Owns the `sd_bus *`.
private final class BusHandle {
  let raw: OpaquePointer
  init(_ raw: OpaquePointer) { self.raw = raw }
  // Closes the connection without flushing it, because a flush would wait for the bus. The slots
  // are released with the bus, and their handlers with the slots.
  deinit { sd_bus_close_unref(raw) }
}

/// A Swift closure that a C callback of sd-bus calls. After `handOver` the slot owns this object.
private final class MessageHandler {
  let body: (BusMessage) -> Void
  init(_ body: @escaping (BusMessage) -> Void) { self.body = body }

  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Gives the slot to the bus, and this handler to the slot. The slot is released with the bus or,
  /// for a call, after its reply.
  func handOver(to slot: OpaquePointer?) throws(SystemError) {
    defer { sd_bus_slot_unref(slot) }
    try belong(to: slot)
    try checked(sd_bus_slot_set_floating(slot, 1), "sd_bus_slot_set_floating")
  }

  /// Gives this handler to the slot, which releases it at its own end.
  func belong(to slot: OpaquePointer?) throws(SystemError) {
    try checked(
      sd_bus_slot_set_destroy_callback(slot, releaseHandler), "sd_bus_slot_set_destroy_callback")
    _ = Unmanaged.passRetained(self)
  }
}

private func messageReceived(
  _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  let handler = Unmanaged<MessageHandler>.fromOpaque(userdata!).takeUnretainedValue()
  withExtendedLifetime(handler) { $0.body(BusMessage(raw: message!)) }
  return 0
}

private func releaseHandler(_ userdata: UnsafeMutableRawPointer?) {
  Unmanaged<MessageHandler>.fromOpaque(userdata!).release()
}
