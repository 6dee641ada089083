import NightjarModel
import NightjarTestSupport

@testable import NightjarLedger

extension EventSamples {
  static var row: [UInt8] { row(of: events) }

  static func row(of events: some Sequence<Event>) -> [UInt8] {
    var encoder = BatchEncoder()
    for event in events { encoder.append(event) }
    return encoder.finish()
  }

  static func decode(_ bytes: [UInt8], firstSeq: Int64 = 1000) throws(StoreError) -> [Event] {
    var events: [Event] = []
    try bytes.withBytes { bytes throws(StoreError) in
      _ = try BatchDecoder.decode(bytes, firstSeq: firstSeq) { events.append($0) }
    }
    return events
  }

  /// The same bytes with a right checksum.
  static func withChecksum(_ body: some Collection<UInt8>) -> [UInt8] {
    let sum = Array(body).withUnsafeBytes { Checksum.crc32($0) }
    return Array(body) + withUnsafeBytes(of: sum.bigEndian, Array.init)
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with a typed error.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outcome = withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}
