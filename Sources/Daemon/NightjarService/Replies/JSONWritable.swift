internal import NightjarModel
package import Varlink

/// A value that can be written as JSON.
package protocol JSONWritable {
  func write(to writer: inout JSONWriter)
}

extension String: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension StaticString: JSONWritable {
  @inline(__always)
  package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Never: JSONWritable {
  package func write(to writer: inout JSONWriter) {}
}

extension Int64: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.array(of: self) }
}

extension CollectionOfOne: JSONWritable where Element: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.array(of: self) }
}

extension LazyMapSequence: JSONWritable where Element: JSONWritable {
  package func write(to writer: inout JSONWriter) { writer.array(of: self) }
}

extension JSONWriter {
  fileprivate mutating func array(of elements: some Sequence<some JSONWritable>) {
    beginArray()
    for element in elements { element.write(to: &self) }
    endArray()
  }
}

/// Text that is known to be valid UTF-8, given as bytes.
package struct UTF8Text: JSONWritable {
  let bytes: UnsafeRawBufferPointer
  package func write(to writer: inout JSONWriter) { writer.string(utf8: bytes) }
}

/// JSON that is written without changes; if there are no bytes, `{}` is written.
package struct RawJSON: JSONWritable {
  let bytes: [UInt8]

  package func write(to writer: inout JSONWriter) {
    guard bytes.isEmpty else { return writer.raw(bytes) }
    writer.beginObject()
    writer.endObject()
  }
}

/// Labels, written as an object. The order of the labels is kept.
package struct LabelsObject: JSONWritable {
  let labels: [Label]

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for label in labels {
      writer.key(label.key)
      writer.string(label.value)
    }
    writer.endObject()
  }
}
