internal import NightjarMirror
internal import NightjarModel
internal import NightjarVarlink

/// Applies answers from other machines to this machine's own rings.
///
/// After a background span the daemon holds its rings for a while (`HoldRings`). The bridge
/// releases the hold when it has read all answers from the broker and the daemon has applied them.
/// An answer that arrives later ends a ring that has begun.
final class RingHold {
  /// Calls the daemon.
  typealias Ask = (
    _ method: String, _ parameters: JSONValue, _ reply: @escaping (VarlinkReply) -> Void
  ) -> Bool

  /// A hold that has not been released.
  private struct Waiting {
    let hold: Int64
    let span: Int64
    /// The number of the ledger's last event when the end of the span was on disk; nil: not known
    /// yet.
    var lastSeq: Int64?
  }

  private let ask: Ask
  private let nowUsec: () -> Int64
  private let onProgress: () -> Void
  private var waiting: Waiting?
  /// The last span whose end is on disk.
  private var endedSpan: Int64 = 0
  /// The number of answers that the daemon has received and not replied to.
  private var underWay = 0

  /// - Parameters:
  ///   - ask: calls the daemon; returns whether there is a connection.
  ///   - nowUsec: the wall clock.
  ///   - onProgress: called after the daemon's reply; the owner then tries `release`.
  init(ask: @escaping Ask, nowUsec: @escaping () -> Int64, onProgress: @escaping () -> Void) {
    self.ask = ask
    self.nowUsec = nowUsec
    self.onProgress = onProgress
  }

  /// The daemon holds the rings of a background span that has ended. The events of the span follow
  /// when they are on disk.
  func began(_ hold: Int64, span: Int64) {
    waiting = Waiting(hold: hold, span: span)
    askLastSeq()
  }

  /// The end of a span is on disk, and so are the expiries in it.
  func ended(span: Int64) {
    endedSpan = max(endedSpan, span)
    askLastSeq()
  }

  private func askLastSeq() {
    guard let asked = waiting, asked.lastSeq == nil, asked.span <= endedSpan else { return }
    _ = ask("Status", .object([])) { [weak self] reply in
      guard let self, waiting?.hold == asked.hold, waiting?.span == asked.span else { return }
      waiting?.lastSeq = reply.parameters["storage"]?["last_seq"]?.integerValue ?? 0
      onProgress()
    }
  }

  /// The connection to the daemon is lost.
  func daemonLost() { (waiting, endedSpan, underWay) = (nil, 0, 0) }

  /// Releases the held rings if the bridge has read the events of the span. Called only after all
  /// retained messages were read.
  ///
  /// - Parameter seq: the number of the last event that the bridge has read.
  func release(seq: Int64?) {
    guard underWay == 0, let waiting, let lastSeq = waiting.lastSeq, let seq, seq >= lastSeq
    else { return }
    self.waiting = nil
    _ = ask("ReleaseRings", ["hold": .integer(waiting.hold)]) { _ in }
  }

  /// Sends an answer to the daemon. The daemon refuses it if the timer has changed since.
  func answer(_ ring: AnsweredRing) {
    var members = [
      JSONValue.Member("name", .string(ring.name)), JSONValue.Member("if_seq", .integer(ring.seq)),
    ]
    var method = "Dismiss"
    if case .snoozed(let untilUsec) = ring.answer.how {
      let usec = untilUsec - nowUsec()
      // If the snooze is over already, the timer rings: send nothing.
      guard usec >= Limits.tickUsec else { return }
      method = "Snooze"
      members.append(JSONValue.Member("by_usec", .integer(usec)))
    }
    let isAsked = ask(method, .object(members)) { [weak self] _ in
      guard let self else { return }
      underWay -= 1
      onProgress()
    }
    if isAsked { underWay += 1 }
  }
}
