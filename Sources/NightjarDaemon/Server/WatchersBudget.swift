internal import NightjarModel
internal import NightjarVarlink

/// The memory that waits for all clients together who watch and do not read. Each has a limit of its own
/// (`Limits.outputBytes`), but thousands of them would add up.
final class WatchersBudget {
  /// How much is left when streams have been cut: so many are cut at a time, or every event would cut one.
  private static let cutToBytes = Limits.watchersBytes / 4 * 3

  /// What waits, in bytes.
  var bytes = 0

  /// Whether streams have to be cut.
  var isExceeded: Bool { bytes > Limits.watchersBytes }

  /// Cuts the streams for which the most waits until there is room again. O(n log n).
  ///
  /// - Parameter cut: ends the stream of a session.
  func enforce(on sessions: [Session], _ cut: (Session) -> Void) {
    let slowest = sessions.filter { $0.backlogBytes > 0 }
      .sorted { $0.backlogBytes > $1.backlogBytes }
    for session in slowest where bytes > Self.cutToBytes { cut(session) }
  }
}
