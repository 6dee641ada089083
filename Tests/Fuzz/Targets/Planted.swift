@testable import NightjarTime
@testable import Varlink

/// Faults that are found, or the fuzzer is out of order: `make fuzz` begins with them. Each starts
/// from nothing, without seeds or words.
enum Planted {
  static let targets: [String: FuzzProgram.Target] = [
    "planted-property": property,
    "planted-overread": overread,
    "planted-hang": hang,
    "planted-allocation": allocation,
  ]

  /// A property that does not hold. To get there, the fuzzer has to find its way into the parser,
  /// which it does only where the parser's own code tells how far it came.
  private static func property(_ input: Input) {
    let expression = try? CalendarExpression(input.text, local: .utc, isZone: { _ in false })
    require(expression?.countsFromEnd != true, "planted: a day that counts from the month's end")
  }

  /// A scanner that is told of one byte more than there is.
  private static func overread(_ input: Input) {
    guard !input.rest.isEmpty else { return }
    let bytes = UnsafeRawBufferPointer(start: input.rest.baseAddress, count: input.rest.count + 1)
    _ = try? JSONValue.parse(bytes)
  }

  /// An input that comes to no end.
  private static func hang(_ input: Input) {
    // With a system call, or the compiler would see that nothing is done.
    while !input.rest.isEmpty, UInt64.random(in: 0 ... .max) != 0 {}
  }

  /// A count that is believed.
  private static func allocation(_ input: Input) {
    guard input.rest.count > 1 else { return }
    let bytes = [UInt8](repeating: 1, count: 1 << 30)
    require(bytes.count > input.rest.count, "an input of \(bytes.count) bytes")
  }
}
