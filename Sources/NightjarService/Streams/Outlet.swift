internal import NightjarModel
internal import NightjarVarlink

/// The output for one client: the bytes that were written, and how many of them were sent.
///
/// It sends nothing itself: the code that owns the connection takes bytes from it.
package final class Outlet {
  // Unchecked for the same reason as in `DeadlineQueue`: the checks of exclusive access took a
  // tenth of a `Get`. Code that writes a reply has the output to itself until the reply is
  // complete, and reads it only through its writer.

  /// The bytes that were written and not yet forgotten. Writers append to it.
  @exclusivity(unchecked) package var output: [UInt8] = []
  /// How many of the first bytes of `output` were sent.
  @exclusivity(unchecked) package var sent = 0
  /// Whether `output` begins in the middle of a reply whose first bytes were sent and forgotten.
  private var beginsWithinReply = false
  /// The most bytes that may wait for a client that does not read.
  package let limitBytes: Int
  /// Whether ticks are sent even if the client has not read the last one.
  private let keepsTicks: Bool

  /// - Parameters:
  ///   - limitBytes: the most bytes that may wait.
  ///   - keepsTicks: whether ticks are sent even if the client has not read the last one. For
  ///     simulated time, which passes faster than a client can read.
  package init(limitBytes: Int = Limits.outputBytes, keepsTicks: Bool = false) {
    self.limitBytes = limitBytes
    self.keepsTicks = keepsTicks
  }

  /// Whether more may be written; if not, the client must read first.
  package var hasRoom: Bool { output.count - sent < limitBytes }

  /// The number of bytes that wait to be sent.
  package var backlogBytes: Int { output.count - sent }

  /// Whether nothing waits to be sent.
  package var isDrained: Bool { sent == output.count }

  /// Whether a tick may be written now.
  package var hasRoomForTick: Bool { keepsTicks ? hasRoom : isDrained }

  /// Removes sent bytes from `output`, if they are all of it or more than half of the limit.
  ///
  /// - Returns: by how many bytes the rest moved to the front.
  package func forgetSent() -> Int {
    if sent == output.count {
      // A client that once asked for much must not keep the memory for ever.
      output.removeAll(keepingCapacity: output.capacity <= Limits.outputBytes / 4)
      sent = 0
      beginsWithinReply = false
    } else if sent > limitBytes / 2 {
      defer { sent = 0 }
      beginsWithinReply = output[sent - 1] != 0
      output.removeSubrange(..<sent)
      return sent
    }
    return 0
  }

  // MARK: Cutting the output of a slow client

  /// The offset of the first reply of which nothing was sent. O(length of a reply).
  package var firstUntaken: Int {
    let isWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    guard isWithinReply, let end = output[sent...].firstIndex(of: 0) else { return sent }
    return end + 1
  }

  /// Removes the replies from `place` on, which must be the beginning of one, and frees their
  /// memory.
  ///
  /// - Returns: by how many bytes the rest moved to the front.
  package func cut(at place: Int) -> Int {
    defer { sent = 0 }
    beginsWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    output = Array(output[sent..<place])
    return sent
  }

  /// Starts with the rest of a reply whose beginning another process has sent.
  package func begin(withRest rest: [UInt8]) {
    precondition(output.isEmpty)
    output = rest
    beginsWithinReply = !rest.isEmpty
  }
}
