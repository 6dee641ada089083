import NightjarInterface
package import Varlink

/// The members of an object to send, in the order in which they are added.
struct WrittenFields {
  private var members: [JSONValue.Member] = []

  var json: JSONValue { .object(members) }

  /// Adds a member. If the value is nil, adds nothing.
  mutating func add(_ key: String, _ value: (some WritableValue)?) {
    if let value { members.append(JSONValue.Member(key, value.json)) }
  }

  /// Adds a map of strings. If the value is nil, adds nothing.
  mutating func add(_ key: String, _ labels: [NightjarTimer.Label]?) {
    guard let labels else { return }
    let members = labels.map { JSONValue.Member($0.key, .string($0.value)) }
    add(key, JSONValue.object(members))
  }
}

/// A value that can be a member of an object.
package protocol WritableValue {
  /// The value as JSON.
  var json: JSONValue { get }
}

extension WritableValue where Self: RawRepresentable, RawValue == String {
  package var json: JSONValue { .string(rawValue) }
}

extension Bool: WritableValue {
  package var json: JSONValue { .bool(self) }
}

extension Int64: WritableValue {
  package var json: JSONValue { .integer(self) }
}

extension Double: WritableValue {
  package var json: JSONValue { .double(self) }
}

extension String: WritableValue {
  package var json: JSONValue { .string(self) }
}

extension JSONValue: WritableValue {
  package var json: JSONValue { self }
}

extension Array: WritableValue where Element: WritableValue {
  package var json: JSONValue { .array(map(\.json)) }
}

extension EventType: WritableValue {}
extension ActionOutcome: WritableValue {}
extension Cause: WritableValue {}
extension MissedPolicy: WritableValue {}
extension AfterSleep: WritableValue {}
extension NightjarTimer.Kind: WritableValue {}
extension NightjarTimer.State: WritableValue {}
extension NightjarTimer.Clock: WritableValue {}
extension Wire.Late: WritableValue {}
