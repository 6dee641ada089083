internal import CLinux
internal import Glibc
internal import NightjarParameters
internal import NightjarService
internal import NightjarSystem
internal import Varlink

/// One connection: its unread input and its unsent output.
///
/// Replies are sent strictly in the order of the calls. The reply to a change waits for the commit
/// that covers the change, and all later output waits too. The waiting reply is a **gate**.
final class Session {
  /// A range of bytes of `output` that may not be sent before a commit: replies to changes.
  struct Gate {
    var start: Int
    var end: Int
    var commit: Int64
    /// The number of replies in the range.
    var replies: Int
  }

  let descriptor: Descriptor
  /// Identifies the connection in epoll events: a registration number in the high half, and the
  /// descriptor in the low half. The number shows whether an event belongs to an earlier connection
  /// that had the same descriptor.
  let token: UInt64
  let peer: PeerCredentials
  var input = FrameBuffer()
  let outlet = Outlet()
  private(set) var gates: [Gate] = []
  /// Writes the further replies to a call; nil: no call has further replies. Later calls of the
  /// client wait until the stream ends.
  private(set) var stream: (any ReplyStream)?
  /// The offset in the output at which the stream's replies begin. The bytes before that are
  /// replies to other calls.
  private var streamStart = 0
  /// The number of bytes that `budget` counts for this session.
  private var countedBytes = 0
  /// Whether the session is in the server's list of sessions that wait for a commit.
  var isListedAsGated = false
  /// Whether the session is in the server's list of sessions whose stream has more to write.
  var isListedAsUnfinished = false
  /// Whether the session is in the server's list `postponed`. The server continues with such a
  /// session at the end of an iteration and not before.
  var isPostponed = false
  /// Whether the client's last turn was long: many calls, many bytes or much time.
  var isHeavy = false
  /// The sequence number of the client's last turn; the server counts all turns.
  var lastTurn = 0
  /// Whether the client will send no more.
  var hasInputEnded = false
  /// Whether the client broke the protocol or is disconnected. The server then neither reads from
  /// it nor sends to it.
  var isBroken = false
  /// The events for which the epoll set watches the connection at present.
  var watched = (readable: true, writable: false)

  private let budget: WatchersBudget

  init(
    descriptor: consuming Descriptor, token: UInt64, peer: PeerCredentials,
    budget: WatchersBudget
  ) {
    self.budget = budget
    self.descriptor = descriptor
    self.token = token
    self.peer = peer
  }

  /// Whether a reply waits for a commit.
  var isGated: Bool { !gates.isEmpty }

  /// Whether there is output that could be sent if the client read.
  var hasSendable: Bool { outlet.sent < (gates.first?.start ?? outlet.output.count) }

  /// Keeps the reply that begins at `start` from being sent before `commit` is on disk.
  func gate(from start: Int, commit: Int64) {
    let isFirstOfStream = stream != nil && start == streamStart
    if let last = gates.last, last.commit == commit, last.end == start, !isFirstOfStream {
      gates[gates.count - 1].end = outlet.output.count
      gates[gates.count - 1].replies += 1
    } else {
      gates.append(Gate(start: start, end: outlet.output.count, commit: commit, replies: 1))
    }
  }

  /// Allows the replies that wait for `commit` or an earlier one to be sent.
  func release(through commit: Int64) {
    gates.removeAll { $0.commit <= commit }
  }

  /// Replaces every reply that waits for a commit with an error, because the commit failed and the
  /// changes were undone.
  func refuseGated(_ error: CallError) {
    let output = outlet.output
    var rebuilt = Array(output[..<(gates.first?.start ?? output.count)])
    for (index, gate) in gates.enumerated() {
      JSONWriter.append(to: &rebuilt) { writer in
        for _ in 0..<gate.replies { error.write(to: &writer) }
      }
      let next = index + 1 < gates.count ? gates[index + 1].start : output.count
      rebuilt += output[gate.end..<next]
    }
    outlet.output = rebuilt
    gates = []
  }

  /// Sends the output up to the first reply that waits for a commit, as far as the kernel accepts
  /// it.
  ///
  /// - Parameter isWritable: the kernel has reported that the socket accepts more. After a send(2)
  ///   that had no room, the session does not try again before that report.
  func flush(isWritable: Bool = false) {
    guard isWritable || !watched.writable else { return count() }
    let end = gates.first?.start ?? outlet.output.count
    while outlet.sent < end, !isBroken {
      let count = outlet.output.withUnsafeBytes { bytes in
        send(
          descriptor.raw, bytes.baseAddress! + outlet.sent, end - outlet.sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        outlet.sent += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        isBroken = true
      }
    }
    move(by: outlet.forgetSent())
    count()
  }

  private func move(by moved: Int) {
    // The bytes that were dropped from the output may include replies of the stream.
    streamStart = outlet.isDrained ? 0 : max(0, streamStart - moved)
    guard moved > 0 else { return }
    for index in gates.indices {
      gates[index].start -= moved
      gates[index].end -= moved
    }
  }

  /// Reports to the budget how much output this client has not read. Counts nothing if the daemon
  /// may not end the client's stream.
  private func count() {
    var bytes = 0
    if let stream, stream.canBeCut { bytes = outlet.backlogBytes + stream.deferredBytes }
    guard bytes != countedBytes else { return }
    budget.bytes += bytes - countedBytes
    countedBytes = bytes
  }

  /// The unread output of the session's stream in bytes, as last reported to the budget.
  var backlogBytes: Int { countedBytes }

  /// Answers a call with the replies of `stream`, which begin at `start` of the output.
  func begin(_ stream: any ReplyStream, from start: Int) {
    self.stream = stream
    streamStart = start
  }

  /// Ends the stream with the error `TooSlow`, and drops its unsent replies.
  func cutStream() {
    guard let stream else { return }
    // The first reply of the stream of which the client has no byte.
    let place = max(outlet.firstUntaken, streamStart)
    let position = stream.position(without: outlet.output[place...])
    gates.removeAll { $0.start >= place }
    move(by: outlet.cut(at: place))
    JSONWriter.append(to: &outlet.output) { CallError.tooSlow(after: position).write(to: &$0) }
    releaseStream()
  }

  /// Frees the stream because the stream or the connection has ended.
  func releaseStream() {
    stream = nil
    count()
  }
}
