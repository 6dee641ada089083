internal import NightjarModel
internal import NightjarService
internal import NightjarSystem

/// Has people see that a command failed: a popup for each timer, or for each command of none. It makes no sound.
extension Notifier {
  /// So many are up at once; of more, `nightjar list` tells.
  private static let failuresAtOnce = 4

  /// - Parameter name: the timer's that the command is about; nil: it is about none.
  func warn(of note: ActionNote, _ end: ActionEnd, name: String?) {
    guard settings().notifies else { return }
    let others = board.popups.filter { if case .failure = $0.subject { true } else { false } }
    let earlier = others.first { popup in
      guard case .failure(let otherName, let other, _) = popup.subject else { return false }
      return otherName == name && (name != nil || other.command == note.command)
    }
    // Of a flood, the last.
    let oldest = others.count < Self.failuresAtOnce ? nil : others.first
    if let over = earlier ?? oldest { board.close(over) }
    board.show(Popup(.failure(name: name, note, end)))
    server.need()
  }

  /// What is said: whose command it is, what became of it, and the last lines that it printed.
  static func notice(of note: ActionNote, _ end: ActionEnd, name: String?) -> Notice {
    let what = "\(note.command) \(end.outcome.sentence)."
    let rest = name.map { "nightjar show \($0) says more." } ?? "nightjar events says more."
    return Notice(
      summary: name.map { "\($0): a command failed" } ?? "A command failed",
      body: ([what] + end.lastLines + [rest]).joined(separator: "\n"), icon: "dialog-warning",
      urgency: .normal, category: "x-nightjar.command")
  }
}
