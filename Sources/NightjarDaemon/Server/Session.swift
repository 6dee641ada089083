internal import CLinux
internal import Glibc
internal import NightjarService
internal import NightjarSystem
internal import NightjarVarlink

/// One connection: what came in and is not read yet, what goes out and is not sent yet.
///
/// Replies go out strictly in the order of the calls. The reply to a change waits for the commit
/// that covers it, and whatever stands behind it waits too; that is a **gate**.
final class Session {
  /// Bytes of `output` that may not be sent before a commit: the replies to changes.
  struct Gate {
    var start: Int
    var end: Int
    var ticket: Int64
    /// How many replies stand there.
    var replies: Int
  }

  let descriptor: Descriptor
  /// The registration's number above the descriptor: tells a stale event from one of ours.
  let token: UInt64
  let peer: PeerCredentials
  var input = FrameBuffer()
  let outlet = Outlet()
  private(set) var gates: [Gate] = []
  /// A call that has more replies to come; calls behind it wait.
  private(set) var stream: (any ReplyStream)?
  /// Where its replies begin in the output; before that are those to other calls.
  private var streamStart = 0
  /// What the budget of all who watch counts for it.
  private var countedBytes = 0
  /// It is in the server's list of those that wait for a commit.
  var isListedAsGated = false
  /// It is in the server's list of those whose stream has more to write.
  var isListedAsUnfinished = false
  /// It is gone on with at the end of a pass, whatever it waits for.
  var isPostponed = false
  /// The client asked for much in its last turn.
  var isHeavy = false
  /// The number of its last turn.
  var lastTurn = 0
  /// The client will send no more.
  var hasInputEnded = false
  /// The client broke the protocol, or is gone: nothing is read or sent any more.
  var isBroken = false
  /// What the epoll set watches at present.
  var watched = (readable: true, writable: false)

  private let keeper: StreamKeeper?
  private let budget: WatchersBudget
  /// Where its stream is kept in case the daemon ends.
  private var keptSlot: Int?

  /// - Parameter keptSlot: where a stream of the last process was kept, which this is to go on with.
  init(
    descriptor: consuming Descriptor, token: UInt64, peer: PeerCredentials,
    budget: WatchersBudget, keeper: StreamKeeper? = nil, keptSlot: Int? = nil
  ) {
    self.budget = budget
    self.keeper = keeper
    self.keptSlot = keptSlot
    self.descriptor = descriptor
    self.token = token
    self.peer = peer
  }

  /// Whether a reply waits for a commit.
  var isGated: Bool { !gates.isEmpty }

  /// Whether something could be sent if the client read.
  var hasSendable: Bool { outlet.sent < (gates.first?.start ?? outlet.output.count) }

  /// Lets the bytes from `start` on, one reply, wait for commit `ticket`.
  func gate(from start: Int, ticket: Int64) {
    let isFirstOfStream = stream != nil && start == streamStart
    if let last = gates.last, last.ticket == ticket, last.end == start, !isFirstOfStream {
      gates[gates.count - 1].end = outlet.output.count
      gates[gates.count - 1].replies += 1
    } else {
      gates.append(Gate(start: start, end: outlet.output.count, ticket: ticket, replies: 1))
    }
  }

  /// Opens the gates up to commit `ticket`.
  func release(through ticket: Int64) {
    gates.removeAll { $0.ticket <= ticket }
  }

  /// Puts an error in the place of every reply that waits: what they say did not happen.
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

  /// Sends what may be sent, as far as the kernel takes it.
  ///
  /// - Parameter isWritable: the kernel has said that it takes more; it is not asked while it took nothing
  ///   the last time and has not said so since.
  func flush(isWritable: Bool = false) {
    guard isWritable || !watched.writable else { return count() }
    let end = gates.first?.start ?? outlet.output.count
    if outlet.sent < end, let keptSlot { keeper?.doubt(keptSlot) }
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
    keepStream()
    count()
  }

  private func move(by moved: Int) {
    // A stream's own replies may have been forgotten, with nothing left or not.
    streamStart = outlet.isDrained ? 0 : max(0, streamStart - moved)
    guard moved > 0 else { return }
    for index in gates.indices {
      gates[index].start -= moved
      gates[index].end -= moved
    }
  }

  /// Has the budget know what waits for this client, if its stream can be cut.
  private func count() {
    var bytes = 0
    if let stream, stream.canBeCut { bytes = outlet.backlogBytes + stream.heldBytes }
    guard bytes != countedBytes else { return }
    budget.bytes += bytes - countedBytes
    countedBytes = bytes
  }

  /// How many bytes wait for its stream, as the budget has them.
  var backlogBytes: Int { countedBytes }

  /// Answers a call by what `stream` has, from `start` of the output on.
  func begin(_ stream: any ReplyStream, from start: Int) {
    self.stream = stream
    streamStart = start
  }

  /// Notes how the stream would go on, if that can be told: calls that wait behind it could not.
  private func keepStream() {
    guard let keeper, let stream else { return }
    guard input.pendingBytes == 0 else {
      if let keptSlot { keeper.doubt(keptSlot) }
      return
    }
    guard outlet.isDrained, !isBroken, let position = stream.position else { return }
    if keptSlot == nil { keptSlot = keeper.take(descriptor.raw) }
    guard let keptSlot else { return }
    keeper.settle(keptSlot, at: position) {
      var call: [UInt8] = []
      JSONWriter.append(to: &call) { stream.writeContinuation(behind: position, to: &$0) }
      return call
    }
  }

  /// Where the stream's replies can be cut off without cutting one of which the client has a part, and
  /// the number behind which another stream goes on then; nil where no number stands for that.
  private func cut(of stream: any ReplyStream) -> (place: Int, position: Int64?) {
    let place = max(outlet.firstUntaken, streamStart)
    return (place, stream.position(without: outlet.output[place...]))
  }

  /// Ends the stream with the error that says so, without what it has written and not sent.
  func cutStream() {
    guard let stream else { return }
    let (place, position) = cut(of: stream)
    gates.removeAll { $0.start >= place }
    move(by: outlet.cut(at: place))
    JSONWriter.append(to: &outlet.output) { CallError.tooSlow(after: position).write(to: &$0) }
    releaseStream()
  }

  /// The process ends: hands the stream over to the next one with what is still to be sent. One that is
  /// drained has been since.
  func leave() {
    guard let keeper, let stream, !outlet.isDrained, !isBroken, input.pendingBytes == 0 else {
      return
    }
    let (place, position) = cut(of: stream)
    // What waits for a commit is this process's to send.
    guard let position, gates.allSatisfy({ $0.start >= place }) else { return }
    if keptSlot == nil { keptSlot = keeper.take(descriptor.raw) }
    guard let keptSlot else { return }
    keeper.leave(keptSlot, at: position, rest: outlet.output[outlet.sent..<place]) {
      var call: [UInt8] = []
      JSONWriter.append(to: &call) { stream.writeContinuation(behind: position, to: &$0) }
      return call
    }
  }

  /// The stream is over, or the connection is.
  func releaseStream() {
    stream = nil
    count()
    if let keptSlot { keeper?.release(keptSlot) }
    keptSlot = nil
  }
}
