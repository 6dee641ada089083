internal import NightjarModel
internal import NightjarSystem

/// Popups about failed commands: at most one for each timer, or for each command that belongs to no
/// timer. They make no sound.
extension Notifier {
  /// The most popups about failed commands at the same time; `nightjar list` shows the other
  /// failures.
  private static let failuresAtOnce = 4

  /// - Parameter name: the name of the command's timer; nil if the command has none.
  func warn(of note: ActionNote, _ end: ActionEnd, name: String?) {
    guard settings().notifies else { return }
    let others = board.popups.filter { if case .failure = $0.subject { true } else { false } }
    let earlier = others.first { popup in
      guard case .failure(let otherName, let other, _) = popup.subject else { return false }
      return otherName == name && (name != nil || other.command == note.command)
    }
    // If there are too many popups about failures, the oldest one is closed.
    let oldest = others.count < Self.failuresAtOnce ? nil : others.first
    if let over = earlier ?? oldest { board.close(over) }
    board.show(Popup(.failure(name: name, note, end)))
    server.need()
  }

  /// The text of the popup: the command and its timer, how it ended, and the last lines that it
  /// printed.
  static func notice(of note: ActionNote, _ end: ActionEnd, name: String?) -> Notice {
    let what = "\(note.command) \(end.outcome.sentence)."
    let rest = name.map { "nightjar show \($0) says more." } ?? "nightjar events says more."
    return Notice(
      summary: name.map { "\($0): a command failed" } ?? "A command failed",
      body: ([what] + end.lastLines + [rest]).joined(separator: "\n"), icon: "dialog-warning",
      urgency: .normal, category: "x-nightjar.command")
  }
}
