// Made from org.example.Lamp.varlink by varlink-swift. Do not edit.

import Varlink

/// The methods of org.example.Lamp.
protocol LampService: WireService {
  associatedtype Exchange
  associatedtype Answer
  associatedtype Failure

  func set(
    _ call: Lamp.Set, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func watch(
    _ call: Lamp.Watch, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
}

extension LampService {
  static var interfaceName: StaticString { "org.example.Lamp" }
  static var interfaceDescription: String { LampInterface.description }

  func perform(
    _ method: JSONText, _ parameters: UnsafeRawBufferPointer,
    _ exchange: inout Exchange
  ) throws(Failure) -> Answer? {
    if method.equals("Set") {
      return try self.set(read(parameters), &exchange)
    }
    if method.equals("Watch") {
      return try self.watch(read(parameters), &exchange)
    }
    return nil
  }
}
