import NightjarClient
import Varlink

enum LabelArguments {
  /// The labels of words of the form `key=value`.
  static func labels(
    _ words: [String]
  ) throws(CommandError) -> WireMap<String> {
    var labels = WireMap<String>()
    for word in words {
      guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
        throw .usage("a label is written key=value, not '\(word)'")
      }
      let key = String(word[..<equals])
      guard !labels.contains(where: { $0.key == key }) else {
        throw .usage("the label '\(key)' is given twice")
      }
      labels.members.append(.init(key: key, value: String(word[word.index(after: equals)...])))
    }
    return labels
  }

  /// The data of a text, which must be a JSON object; nil: there is no text.
  static func data(_ text: String?) throws(CommandError) -> RawJSON? {
    guard let text else { return nil }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(text)
    } catch {
      throw .usage("--data is no JSON: \(error.description)")
    }
    guard value.objectValue != nil else {
      throw .usage("--data must be a JSON object, such as '{\"distance_m\": 1840}'")
    }
    return RawJSON(value)
  }
}
