internal import NightjarModel
internal import Varlink

/// The output for one client: bytes that replies wrote, and how many of them were sent.
///
/// An outlet sends nothing itself: the code that owns the connection takes bytes from it.
package final class Outlet {
  // Exclusive access is not checked: the checks took a tenth of the time of a `Get`. They are not
  // needed, because the code that writes a reply is the only code with access until the reply is
  // complete, and it reads the output only through its writer.

  /// The bytes that were written and not yet removed. Writers append to it.
  @exclusivity(unchecked) package var output: [UInt8] = []
  /// How many bytes of `output` were sent, counted from its beginning.
  @exclusivity(unchecked) package var sent = 0
  /// Whether `output` begins in the middle of a reply. The beginning of that reply was sent and
  /// removed.
  private var beginsWithinReply = false
  /// The most bytes that may wait to be sent.
  package let limitBytes: Int
  /// Whether a tick is written although an earlier tick has not been sent yet.
  private let sendsEveryTick: Bool

  /// - Parameters:
  ///   - limitBytes: the most bytes that may wait.
  ///   - sendsEveryTick: whether a tick is written although an earlier one has not been sent yet.
  ///     For simulated time, which passes faster than a client can read.
  package init(limitBytes: Int = Limits.outputBytes, sendsEveryTick: Bool = false) {
    self.limitBytes = limitBytes
    self.sendsEveryTick = sendsEveryTick
  }

  /// Whether more may be written. If not, the client must first read.
  package var hasRoom: Bool { output.count - sent < limitBytes }

  /// The number of bytes that wait to be sent.
  package var backlogBytes: Int { output.count - sent }

  /// Whether all bytes were sent.
  package var isDrained: Bool { sent == output.count }

  /// Whether a tick may be written now.
  package var hasRoomForTick: Bool { sendsEveryTick ? hasRoom : isDrained }

  /// Removes sent bytes from `output`, if all its bytes were sent, or if the sent bytes are more
  /// than half of the limit.
  ///
  /// - Returns: by how many bytes the other bytes moved to the front.
  package func forgetSent() -> Int {
    if sent == output.count {
      // A client that once requested a lot must not keep the memory allocated for ever.
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

  /// The offset of the first reply of which no byte was sent. O(length of a reply).
  package var firstUntaken: Int {
    let isWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    guard isWithinReply, let end = output[sent...].firstIndex(of: 0) else { return sent }
    return end + 1
  }

  /// Removes all bytes from `place` on, and frees memory. A reply must begin at `place`.
  ///
  /// - Returns: by how many bytes the remaining bytes moved to the front.
  package func cut(at place: Int) -> Int {
    defer { sent = 0 }
    beginsWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    output = Array(output[sent..<place])
    return sent
  }
}
