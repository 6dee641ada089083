// Made from org.varlink.certification.varlink by varlink-swift. Do not edit.

import Varlink

/// The methods of org.varlink.certification.
protocol CertificationService: WireService {
  associatedtype Exchange
  associatedtype Answer
  associatedtype Failure

  func start(
    _ call: Certification.Start, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test01(
    _ call: Certification.Test01, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test02(
    _ call: Certification.Test02, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test03(
    _ call: Certification.Test03, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test04(
    _ call: Certification.Test04, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test05(
    _ call: Certification.Test05, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test06(
    _ call: Certification.Test06, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test07(
    _ call: Certification.Test07, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test08(
    _ call: Certification.Test08, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test09(
    _ call: Certification.Test09, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test10(
    _ call: Certification.Test10, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func test11(
    _ call: Certification.Test11, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func end(
    _ call: Certification.End, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
}

extension CertificationService {
  static var interfaceName: StaticString { "org.varlink.certification" }
  static var interfaceDescription: String { CertificationInterface.description }

  func perform(
    _ method: JSONText, _ parameters: UnsafeRawBufferPointer,
    _ exchange: inout Exchange
  ) throws(Failure) -> Answer? {
    if method.equals("Start") {
      return try self.start(read(parameters), &exchange)
    }
    if method.equals("Test01") {
      return try self.test01(read(parameters), &exchange)
    }
    if method.equals("Test02") {
      return try self.test02(read(parameters), &exchange)
    }
    if method.equals("Test03") {
      return try self.test03(read(parameters), &exchange)
    }
    if method.equals("Test04") {
      return try self.test04(read(parameters), &exchange)
    }
    if method.equals("Test05") {
      return try self.test05(read(parameters), &exchange)
    }
    if method.equals("Test06") {
      return try self.test06(read(parameters), &exchange)
    }
    if method.equals("Test07") {
      return try self.test07(read(parameters), &exchange)
    }
    if method.equals("Test08") {
      return try self.test08(read(parameters), &exchange)
    }
    if method.equals("Test09") {
      return try self.test09(read(parameters), &exchange)
    }
    if method.equals("Test10") {
      return try self.test10(read(parameters), &exchange)
    }
    if method.equals("Test11") {
      return try self.test11(read(parameters), &exchange)
    }
    if method.equals("End") {
      return try self.end(read(parameters), &exchange)
    }
    return nil
  }
}
