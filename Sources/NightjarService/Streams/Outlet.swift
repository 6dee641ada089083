internal import NightjarModel
internal import NightjarVarlink

/// What goes out to one client: what is written, and how much of that has been taken.
///
/// It sends nothing by itself: whoever has the connection takes from it.
package final class Outlet {
  // As in `DeadlineQueue`: checks of exclusive access were a tenth of a `Get`. Whoever writes a reply has
  // the output to itself until that is there, and reads it by its writer.

  /// What is written and not forgotten yet; open at its end.
  @exclusivity(unchecked) package var output: [UInt8] = []
  /// How many bytes of `output`, from its beginning, have been taken.
  @exclusivity(unchecked) package var sent = 0
  /// `output` begins in the middle of a reply, the beginning of which was taken and forgotten.
  private var beginsWithinReply = false
  /// So many bytes may wait for a client that does not read.
  package let limitBytes: Int
  /// Ticks are told whether the last was read or not.
  private let keepsTicks: Bool

  /// - Parameters:
  ///   - limitBytes: so many bytes may wait.
  ///   - keepsTicks: tell ticks to one, too, that has not read the last: for a time that passes faster
  ///     than anybody can read.
  package init(limitBytes: Int = Limits.outputBytes, keepsTicks: Bool = false) {
    self.limitBytes = limitBytes
    self.keepsTicks = keepsTicks
  }

  /// Whether more may be written for this client, or it has to read first.
  package var hasRoom: Bool { output.count - sent < limitBytes }

  /// How many bytes wait to be sent.
  package var backlogBytes: Int { output.count - sent }

  /// Whether nothing waits to be sent.
  package var isDrained: Bool { sent == output.count }

  /// Whether a tick may be told now.
  package var hasRoomForTick: Bool { keepsTicks ? hasRoom : isDrained }

  /// Bytes that were taken are dropped when they are all there is, or most of what may wait.
  ///
  /// - Returns: by how many bytes those that are left moved to the front.
  package func forgetSent() -> Int {
    if sent == output.count {
      // A client that once asked for much does not keep the memory for ever.
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

  // MARK: Where it is cut

  /// Where the first reply begins of which nothing has been taken. O(length of a reply).
  package var firstUntaken: Int {
    let isWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    guard isWithinReply, let end = output[sent...].firstIndex(of: 0) else { return sent }
    return end + 1
  }

  /// Forgets the replies from `place` on, the beginning of one, and gives their memory back.
  ///
  /// - Returns: by how many bytes those that are left moved to the front.
  package func cut(at place: Int) -> Int {
    defer { sent = 0 }
    beginsWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    output = Array(output[sent..<place])
    return sent
  }

  /// Begins with the rest of a reply that another process has sent the beginning of.
  package func begin(withRest rest: [UInt8]) {
    precondition(output.isEmpty)
    output = rest
    beginsWithinReply = !rest.isEmpty
  }
}
