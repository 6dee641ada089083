// Made from org.example.odd-names.varlink by varlink-swift. Do not edit.

import Varlink

/// The methods of org.example.odd-names.
protocol OddNamesService: WireService {
  associatedtype Exchange
  associatedtype Answer
  associatedtype Failure

  func initValue(
    _ call: OddNames.Init, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func readerValue(
    _ call: OddNames.Reader, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func exchange(
    _ call: OddNames.Exchange, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func parameters(
    _ call: OddNames.Parameters, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func method(
    _ call: OddNames.Method, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
}

extension OddNamesService {
  static var interfaceName: StaticString { "org.example.odd-names" }
  static var interfaceDescription: String { OddNamesInterface.description }

  func perform(
    _ method: JSONText, _ parameters: UnsafeRawBufferPointer,
    _ exchange: inout Exchange
  ) throws(Failure) -> Answer? {
    if method.equals("Init") {
      return try self.initValue(read(parameters), &exchange)
    }
    if method.equals("Reader") {
      return try self.readerValue(read(parameters), &exchange)
    }
    if method.equals("Exchange") {
      return try self.exchange(read(parameters), &exchange)
    }
    if method.equals("Parameters") {
      return try self.parameters(read(parameters), &exchange)
    }
    if method.equals("Method") {
      return try self.method(read(parameters), &exchange)
    }
    return nil
  }
}
