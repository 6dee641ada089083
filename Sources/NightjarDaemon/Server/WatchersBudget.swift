internal import NightjarModel
internal import NightjarVarlink

/// The memory for output that watching clients have not read yet, for all of them together. Each
/// client has a limit of its own (`Limits.outputBytes`), but thousands of them would add up.
final class WatchersBudget {
  /// The server cuts streams until this much is left. Without the margin, every event would cut
  /// one.
  private static let cutToBytes = Limits.watchersBytes / 4 * 3

  /// The unread output, in bytes.
  var bytes = 0

  /// Whether the server has to cut streams.
  var isExceeded: Bool { bytes > Limits.watchersBytes }

  /// Cuts the streams with the most unread output until there is room again. O(n log n).
  ///
  /// - Parameter cut: ends the stream of a session.
  func enforce(on sessions: [Session], _ cut: (Session) -> Void) {
    let slowest = sessions.filter { $0.backlogBytes > 0 }
      .sorted { $0.backlogBytes > $1.backlogBytes }
    for session in slowest where bytes > Self.cutToBytes { cut(session) }
  }
}
