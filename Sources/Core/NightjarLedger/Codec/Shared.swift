internal import NightjarModel

/// A value that many timers share. A row has each value once. After that, the row has only the
/// number of the value, so that many similar timers take little room.
protocol Shared: AnyObject, Hashable {
  func write(to writer: inout ByteWriter)
  static func read(from reader: inout ByteReader) throws(StoreError) -> Self
}

/// Packs the shared values of one row: each value once, and after that only its number.
struct SharedWriter<Value: Shared> {
  private var numbers: [Value: Int] = [:]
  private var recent: (value: Value, number: Int)?

  mutating func write(_ value: Value, to writer: inout ByteWriter) {
    if let recent, recent.value === value { return writer.natural(recent.number) }
    let number = numbers[value] ?? numbers.count
    recent = (value, number)
    writer.natural(number)
    guard number == numbers.count else { return }
    numbers[value] = number
    value.write(to: &writer)
  }
}

/// Unpacks the values that `SharedWriter` packed.
struct SharedReader<Value: Shared> {
  private var values: [Value] = []

  mutating func read(
    _ reader: inout ByteReader, from pool: inout Set<Value>
  ) throws(StoreError) -> Value {
    let number = try reader.natural(upTo: values.count)
    if number == values.count {
      values.append(pool.insert(try Value.read(from: &reader)).memberAfterInsert)
    }
    return values[number]
  }
}

/// Packs the shared values of one row: specifications and rings.
struct RowWriter {
  private var specs = SharedWriter<SharedSpec>()
  private var rings = SharedWriter<EncodedRing>()

  mutating func write(_ spec: SharedSpec, to writer: inout ByteWriter) {
    specs.write(spec, to: &writer)
  }

  mutating func write(_ ring: EncodedRing, to writer: inout ByteWriter) {
    rings.write(ring, to: &writer)
  }
}

/// Makes equal values of all rows one object, so that code can compare them by their addresses.
final class RowPool {
  fileprivate var specs: Set<SharedSpec> = []
  fileprivate var rings: Set<EncodedRing> = []
}

/// Unpacks the values that `RowWriter` packed.
struct RowReader {
  private var specs = SharedReader<SharedSpec>()
  private var rings = SharedReader<EncodedRing>()
  private let pool: RowPool

  init(pool: RowPool) { self.pool = pool }

  mutating func spec(_ reader: inout ByteReader) throws(StoreError) -> SharedSpec {
    try specs.read(&reader, from: &pool.specs)
  }

  mutating func ring(_ reader: inout ByteReader) throws(StoreError) -> EncodedRing {
    try rings.read(&reader, from: &pool.rings)
  }
}

extension EncodedRing: Shared {
  func write(to writer: inout ByteWriter) {
    writer.blob(publicJSON)
    writer.blob(secretJSON)
  }

  static func read(from reader: inout ByteReader) throws(StoreError) -> EncodedRing {
    EncodedRing(publicJSON: try reader.blob(), secretJSON: try reader.blob())
  }
}
