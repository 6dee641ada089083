internal import Varlink

/// Reads the parameters of a call by name. `finish` throws an error if there is a parameter that
/// was not read.
struct CallParameters {
  private let members: [JSONValue.Member]
  private var known: Set<String> = []

  init(_ call: ReceivedCall) { members = call.parameters.objectValue ?? [] }

  private mutating func value(_ name: String) -> JSONValue? {
    known.insert(name)
    guard let value = members.last(where: { $0.key == name })?.value, !value.isNull else {
      return nil
    }
    return value
  }

  mutating func text(_ name: String) throws(VarlinkError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw .invalidParameter(parameter: name) }
    return text
  }

  mutating func texts(_ name: String) throws(VarlinkError) -> [String]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.arrayValue else { throw .invalidParameter(parameter: name) }
    let texts = elements.compactMap(\.stringValue)
    guard texts.count == elements.count else { throw .invalidParameter(parameter: name) }
    return texts
  }

  mutating func integer(
    _ name: String, in range: ClosedRange<Int64>
  ) throws(VarlinkError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integerValue, range.contains(number) else {
      throw .invalidParameter(parameter: name)
    }
    return number
  }

  func required<Value>(_ value: Value?, _ name: String) throws(VarlinkError) -> Value {
    guard let value else { throw .invalidParameter(parameter: name) }
    return value
  }

  func finish() throws(VarlinkError) {
    guard let other = members.first(where: { !known.contains($0.key) }) else { return }
    throw .invalidParameter(parameter: other.key)
  }
}
