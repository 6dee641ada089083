import NightjarWire

/// What each type of event means, in the sentence that the interface has above it.
enum EventList {
  /// As a list of a manual page, in the interface's order.
  static func text(_ types: [String]) -> String {
    types.map { "`\($0)`  \(meanings[$0] ?? "")" }.joined(separator: "\n")
  }

  static let meanings: [String: String] = {
    let interface = InterfaceText(TimersInterface.description)
    let words = ["TimerEvent", "MachineEvent", "ActionEvent"].flatMap(interface.words(of:))
    return Dictionary(words.map { ($0.name, $0.comment) }) { $1 }
  }()
}
