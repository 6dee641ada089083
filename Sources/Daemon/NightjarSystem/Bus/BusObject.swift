import CSystemd
import Glibc

/// What an object of this program has on a bus, under one interface. sd-bus checks the types of
/// calls, and answers Introspect, Get and GetAll.
package struct BusObject {
  package struct Method {
    let name: String
    let takes: String
    let gives: String
    let body: (BusCall) -> Void

    /// - Parameters:
    ///   - takes: the D-Bus types of the arguments.
    ///   - gives: the D-Bus types of the answer.
    ///   - body: reads the arguments and answers, at once or later.
    package init(
      _ name: String, takes: String = "", gives: String = "", _ body: @escaping (BusCall) -> Void
    ) {
      (self.name, self.takes, self.gives, self.body) = (name, takes, gives, body)
    }
  }

  package struct Property {
    let name: String
    let type: String
    let value: () -> BusArgument

    /// - Parameters:
    ///   - type: the D-Bus type of the value.
    ///   - value: returns the present value.
    package init(_ name: String, _ type: String, _ value: @escaping () -> BusArgument) {
      (self.name, self.type, self.value) = (name, type, value)
    }
  }

  let interface: String
  let methods: [Method]
  let properties: [Property]
  let signals: KeyValuePairs<String, String>

  /// - Parameter signals: the D-Bus types of the arguments of each signal, by its name.
  package init(
    _ interface: String, methods: [Method], properties: [Property] = [],
    signals: KeyValuePairs<String, String> = [:]
  ) {
    (self.interface, self.methods) = (interface, methods)
    (self.properties, self.signals) = (properties, signals)
  }
}

/// A call of a method of an object. It is answered once.
package final class BusCall {
  /// The arguments.
  package let message: BusMessage

  fileprivate init(_ raw: OpaquePointer) { message = BusMessage(raw: sd_bus_message_ref(raw)) }

  deinit { sd_bus_message_unref(message.raw) }

  /// Answers with the method's results.
  package func answer(_ results: BusArgument...) {
    guard sd_bus_message_get_expect_reply(message.raw) > 0 else { return }
    do {
      var reply: OpaquePointer?
      try checked(
        sd_bus_message_new_method_return(message.raw, &reply), "sd_bus_message_new_method_return")
      defer { sd_bus_message_unref(reply) }
      for result in results { try result.append(to: reply) }
      let bus = sd_bus_message_get_bus(message.raw)
      try checked(sd_bus_send(bus, reply, nil), "sd_bus_send")
    } catch {
      refuse("\(error)")
    }
  }

  /// Answers with an error.
  package func refuse(_ reason: String) {
    var error = sd_bus_error()
    sd_bus_error_set(&error, "org.freedesktop.DBus.Error.Failed", reason)
    defer { sd_bus_error_free(&error) }
    // This fails only if the connection is lost, and then nobody waits.
    sd_bus_reply_method_error(message.raw, &error)
  }
}

/// An object as sd-bus expects it: a table of C functions and strings. The slot of the object owns
/// it.
final class BusTable {
  let entries: UnsafeMutablePointer<sd_bus_vtable>
  private let methods: [String: BusObject.Method]
  private let properties: [String: BusObject.Property]
  private var strings: [UnsafeMutablePointer<CChar>?] = []

  init(_ object: BusObject) {
    methods = Dictionary(uniqueKeysWithValues: object.methods.map { ($0.name, $0) })
    properties = Dictionary(uniqueKeysWithValues: object.properties.map { ($0.name, $0) })
    let count = object.methods.count + object.properties.count + object.signals.count + 2
    entries = .allocate(capacity: count)
    nj_bus_table_start(entries)
    var entry = entries + 1
    for method in object.methods {
      nj_bus_table_method(
        entry, kept(method.name), kept(method.takes), kept(method.gives), methodCalled)
      entry += 1
    }
    for property in object.properties {
      nj_bus_table_property(entry, kept(property.name), kept(property.type), propertyRead)
      entry += 1
    }
    for (name, arguments) in object.signals {
      nj_bus_table_signal(entry, kept(name), kept(arguments))
      entry += 1
    }
    nj_bus_table_end(entry)
  }

  deinit {
    entries.deallocate()
    for string in strings { free(string) }
  }

  /// A copy of a text that lives as long as the table.
  private func kept(_ text: String) -> UnsafePointer<CChar>? {
    strings.append(strdup(text))
    return UnsafePointer(strings[strings.count - 1])
  }

  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Gives the slot to the bus, and this table to the slot.
  func handOver(to slot: OpaquePointer?) throws(SystemError) {
    defer { sd_bus_slot_unref(slot) }
    try checked(
      sd_bus_slot_set_destroy_callback(slot, releaseTable), "sd_bus_slot_set_destroy_callback")
    _ = Unmanaged.passRetained(self)
    try checked(sd_bus_slot_set_floating(slot, 1), "sd_bus_slot_set_floating")
  }

  fileprivate func call(_ message: OpaquePointer) {
    // sd-bus calls this only for the methods of the table.
    guard let name = sd_bus_message_get_member(message) else { return }
    methods[String(cString: name)]?.body(BusCall(message))
  }

  fileprivate func read(_ property: String, into reply: OpaquePointer?) -> Int32 {
    do throws(SystemError) {
      try properties[property]?.value().append(to: reply)
      return 0
    } catch {
      return -error.code
    }
  }
}

private func methodCalled(
  _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  let table = Unmanaged<BusTable>.fromOpaque(userdata!).takeUnretainedValue()
  withExtendedLifetime(table) { $0.call(message!) }
  return 1
}

private func propertyRead(
  _: OpaquePointer?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _ property: UnsafePointer<CChar>?, _ reply: OpaquePointer?,
  _ userdata: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  let table = Unmanaged<BusTable>.fromOpaque(userdata!).takeUnretainedValue()
  return withExtendedLifetime(table) { $0.read(String(cString: property!), into: reply) }
}

private func releaseTable(_ userdata: UnsafeMutableRawPointer?) {
  Unmanaged<BusTable>.fromOpaque(userdata!).release()
}
