internal import NightjarModel
internal import Varlink

/// Limits the memory that the unread output of all watching clients takes together. Each client has
/// a limit of its own (`WireLimits.outputBytes`), but thousands of clients would add up.
final class WatchersBudget {
  /// How much unread output is left after the server has cut streams, at most, in bytes. This is
  /// less than the limit; otherwise the server would cut a stream at every event.
  private static let cutToBytes = Limits.watchersBytes / 4 * 3

  /// The unread output of all watching clients, in bytes.
  var bytes = 0

  /// Whether the server has to cut streams.
  var isExceeded: Bool { bytes > Limits.watchersBytes }

  /// Cuts the streams with the most unread output until at most `cutToBytes` are left. O(n log n).
  ///
  /// - Parameter cut: ends the stream of a session.
  func enforce(on sessions: [Session], _ cut: (Session) -> Void) {
    let slowest = sessions.filter { $0.backlogBytes > 0 }
      .sorted { $0.backlogBytes > $1.backlogBytes }
    for session in slowest where bytes > Self.cutToBytes { cut(session) }
  }
}
