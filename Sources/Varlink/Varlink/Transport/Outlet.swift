/// The output of a connection: the bytes that were written, how many of them were sent, and which
/// of them have to wait.
///
/// An outlet sends nothing itself: the connection takes bytes from it.
///
/// Replies are sent strictly in the order of the calls. The reply to a change waits for the commit
/// that covers the change, and all later output waits too. The waiting reply is a **gate**.
public final class Outlet {
  /// A range of bytes of `output` that may not be sent before a commit: replies to changes.
  private struct Gate {
    var start: Int
    var end: Int
    var commit: Int64
    /// The number of replies in the range.
    var replies: Int
  }

  // Exclusive access is not checked: the checks took a tenth of the time of a `Get`. They are not
  // needed, because the code that writes a reply is the only code with access until the reply is
  // complete, and it reads the output only through its writer.

  /// The bytes that were written and not yet removed. Writers append to it.
  @exclusivity(unchecked) public var output: [UInt8] = []
  /// How many bytes of `output` were sent, counted from its beginning.
  @exclusivity(unchecked) public var sent = 0
  /// Whether `output` begins in the middle of a reply. The beginning of that reply was sent and
  /// removed.
  private var beginsWithinReply = false
  private var gates: [Gate] = []
  /// The offset in the output at which the replies of the present stream begin; nil: there is no
  /// stream. The bytes before that are replies to other calls.
  private var streamStart: Int?
  /// The most bytes that may wait to be sent.
  public let limitBytes: Int
  /// Whether a reply that a slow reader can do without is written although earlier output has not
  /// been sent yet.
  private let sendsEverything: Bool

  /// - Parameters:
  ///   - limitBytes: the most bytes that may wait.
  ///   - sendsEverything: whether a reply that a slow reader can do without is written although
  ///     earlier output has not been sent yet.
  public init(limitBytes: Int = WireLimits.outputBytes, sendsEverything: Bool = false) {
    self.limitBytes = limitBytes
    self.sendsEverything = sendsEverything
  }

  /// Whether more may be written. If not, the client must first read.
  @inlinable public var hasRoom: Bool { output.count - sent < limitBytes }

  /// The number of bytes that wait to be sent.
  @inlinable public var backlogBytes: Int { output.count - sent }

  /// Whether all bytes were sent.
  @inlinable public var isDrained: Bool { sent == output.count }

  /// Whether a reply that a slow reader can do without may be written now.
  public var hasRoomForExtra: Bool { sendsEverything ? hasRoom : isDrained }

  /// The offset of the first byte that may not be sent yet.
  var sendableEnd: Int { gates.first?.start ?? output.count }

  /// Whether there is output that could be sent if the client read.
  public var hasSendable: Bool { sent < sendableEnd }

  /// Removes sent bytes from `output`, if all its bytes were sent, or if the sent bytes are more
  /// than half of the limit.
  func forgetSent() {
    if sent == output.count {
      // A client that once requested a lot must not keep the memory allocated for ever.
      output.removeAll(keepingCapacity: output.capacity <= WireLimits.outputBytes / 4)
      sent = 0
      beginsWithinReply = false
      if streamStart != nil { streamStart = 0 }
    } else if sent > limitBytes / 2 {
      beginsWithinReply = output[sent - 1] != 0
      output.removeSubrange(..<sent)
      move(by: sent)
    }
  }

  private func move(by moved: Int) {
    sent = 0
    // The bytes that were dropped may include replies of the stream.
    streamStart = streamStart.map { max(0, $0 - moved) }
    for index in gates.indices {
      gates[index].start -= moved
      gates[index].end -= moved
    }
  }

  // MARK: Gates

  /// Whether a reply waits for a commit.
  public var isGated: Bool { !gates.isEmpty }

  /// Keeps the reply that begins at `start` from being sent before `commit` is on disk.
  public func gate(from start: Int, commit: Int64) {
    if let last = gates.last, last.commit == commit, last.end == start, start != streamStart {
      gates[gates.count - 1].end = output.count
      gates[gates.count - 1].replies += 1
    } else {
      gates.append(Gate(start: start, end: output.count, commit: commit, replies: 1))
    }
  }

  /// Allows the replies that wait for `commit` or an earlier one to be sent.
  public func release(through commit: Int64) {
    gates.removeAll { $0.commit <= commit }
  }

  /// Replaces every reply that waits for a commit with another one, because the commit failed and
  /// the changes were undone.
  public func replaceGated(_ write: (inout JSONWriter) -> Void) {
    var rebuilt = Array(output[..<sendableEnd])
    for (index, gate) in gates.enumerated() {
      JSONWriter.append(to: &rebuilt) { writer in
        for _ in 0..<gate.replies { write(&writer) }
      }
      let next = index + 1 < gates.count ? gates[index + 1].start : output.count
      rebuilt += output[gate.end..<next]
    }
    output = rebuilt
    gates = []
  }

  // MARK: Streams

  /// Notes that the output from `start` on belongs to a stream of replies.
  public func beginStream(at start: Int) { streamStart = start }

  /// Notes that the stream has written its last reply.
  public func endStream() { streamStart = nil }

  /// Removes the replies of the stream of which no byte was sent, because the client reads too
  /// slowly, and frees memory. O(bytes that wait).
  ///
  /// - Returns: the removed replies.
  public func cutStream() -> ArraySlice<UInt8> {
    let place = max(firstUntaken, streamStart ?? output.count)
    let unsent = output[place...]
    gates.removeAll { $0.start >= place }
    beginsWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    output = Array(output[sent..<place])
    move(by: sent)
    return unsent
  }

  /// The offset of the first reply of which no byte was sent. O(length of a reply).
  private var firstUntaken: Int {
    let isWithinReply = sent > 0 ? output[sent - 1] != 0 : beginsWithinReply
    guard isWithinReply, let end = output[sent...].firstIndex(of: 0) else { return sent }
    return end + 1
  }
}
