internal import CLinux
internal import Glibc
internal import NightjarMethods
internal import NightjarSystem
internal import NightjarWire

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
  var output: [UInt8] = []
  private(set) var gates: [Gate] = []
  /// A call that has more replies to come; calls behind it wait.
  var stream: (any ReplyStream)?
  /// It is gone on with at the end of a pass, whatever it waits for.
  var isPostponed = false
  /// The client will send no more.
  var hasInputEnded = false
  /// The client broke the protocol, or is gone: nothing is read or sent any more.
  var isBroken = false
  /// What the epoll set watches at present.
  var watched = (readable: true, writable: false)

  private var sent = 0
  private let keeper: StreamKeeper?
  /// Where its stream is kept in case the daemon ends.
  private var keptSlot: Int?

  /// - Parameter keptSlot: where a stream of the last process was kept, which this is to go on with.
  init(
    descriptor: consuming Descriptor, token: UInt64, peer: PeerCredentials,
    keeper: StreamKeeper? = nil, keptSlot: Int? = nil
  ) {
    self.keeper = keeper
    self.keptSlot = keptSlot
    self.descriptor = descriptor
    self.token = token
    self.peer = peer
  }

  /// Whether more may be written for this client, or it has to read first.
  var hasRoom: Bool { output.count - sent < Limits.outputBytes }

  /// Whether nothing waits to be sent.
  var isDrained: Bool { sent == output.count }

  /// Whether a reply waits for a commit.
  var isGated: Bool { !gates.isEmpty }

  /// Whether something could be sent if the client read.
  var hasSendable: Bool { sent < (gates.first?.start ?? output.count) }

  /// Lets the bytes from `start` on, one reply, wait for commit `ticket`.
  func gate(from start: Int, ticket: Int64) {
    if let last = gates.last, last.ticket == ticket, last.end == start {
      gates[gates.count - 1].end = output.count
      gates[gates.count - 1].replies += 1
    } else {
      gates.append(Gate(start: start, end: output.count, ticket: ticket, replies: 1))
    }
  }

  /// Opens the gates up to commit `ticket`.
  func release(through ticket: Int64) {
    gates.removeAll { $0.ticket <= ticket }
  }

  /// Puts an error in the place of every reply that waits: what they say did not happen.
  func refuseGated(_ error: CallError) {
    var rebuilt = Array(output[..<(gates.first?.start ?? output.count)])
    for (index, gate) in gates.enumerated() {
      JSONWriter.append(to: &rebuilt) { writer in
        for _ in 0..<gate.replies { error.write(to: &writer) }
      }
      let next = index + 1 < gates.count ? gates[index + 1].start : output.count
      rebuilt += output[gate.end..<next]
    }
    output = rebuilt
    gates = []
  }

  /// Sends what may be sent, as far as the kernel takes it.
  func flush() {
    let end = gates.first?.start ?? output.count
    if sent < end, let keptSlot { keeper?.doubt(keptSlot) }
    while sent < end, !isBroken {
      let count = output.withUnsafeBytes { bytes in
        send(
          descriptor.raw, bytes.baseAddress! + sent, end - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        isBroken = true
      }
    }
    forgetSent()
    keepStream()
  }

  /// Notes how the stream would go on, if that can be told: calls that wait behind it could not.
  private func keepStream() {
    guard let keeper, let stream else { return }
    guard input.pendingBytes == 0 else {
      if let keptSlot { keeper.doubt(keptSlot) }
      return
    }
    guard isDrained, !isBroken, let position = stream.position else { return }
    if keptSlot == nil { keptSlot = keeper.take(descriptor.raw) }
    guard let keptSlot else { return }
    keeper.settle(keptSlot, at: position) {
      var call: [UInt8] = []
      JSONWriter.append(to: &call) { stream.writeContinuation(behind: position, to: &$0) }
      return call
    }
  }

  /// The stream is over, or the connection is.
  func releaseStream() {
    stream = nil
    if let keptSlot { keeper?.release(keptSlot) }
    keptSlot = nil
  }

  /// Sent bytes are dropped when all is sent, or when they are most of what is held.
  private func forgetSent() {
    if sent == output.count {
      // A client that once asked for much does not keep the memory for ever.
      output.removeAll(keepingCapacity: output.capacity <= Limits.outputBytes / 4)
      sent = 0
    } else if sent > Limits.outputBytes / 2 {
      output.removeSubrange(..<sent)
      for index in gates.indices {
        gates[index].start -= sent
        gates[index].end -= sent
      }
      sent = 0
    }
  }
}
