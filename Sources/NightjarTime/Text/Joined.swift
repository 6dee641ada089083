extension [String] {
  /// The strings one behind the other, with `separator` between. O(n) in their bytes.
  ///
  /// The standard library's `joined(separator:)` asks the runtime about its types, and who asks first has
  /// it look through every conformance of the program: a third of all that `nightjar start` executes.
  package func joined(by separator: String) -> String {
    guard var text = first else { return "" }
    for part in dropFirst() {
      text += separator
      text += part
    }
    return text
  }
}
