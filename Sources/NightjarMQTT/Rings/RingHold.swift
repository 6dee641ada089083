internal import NightjarMirror
internal import NightjarModel
internal import NightjarVarlink

/// Answers this machine's own rings as they were answered on other machines.
///
/// After a background span the daemon holds its rings for a while (`HoldRings`). They are released when the broker has
/// shown what was answered meanwhile, and the daemon has been told. What is learned later ends rings that are on.
final class RingHold {
  /// Asks the daemon something.
  typealias Ask = (
    _ method: String, _ parameters: JSONValue, _ reply: @escaping (VarlinkReply) -> Void
  ) -> Bool

  /// A hold whose rings wait.
  private struct Waiting {
    let hold: Int64
    let span: Int64
    /// The last event of the ledger when the end of the span was on disk; nil until that is known.
    var lastSeq: Int64?
  }

  private let ask: Ask
  private let nowUsec: () -> Int64
  private let onProgress: () -> Void
  private var waiting: Waiting?
  /// The last span whose end is on disk.
  private var endedSpan: Int64 = 0
  /// Answers that the daemon has been told and has not replied to.
  private var underWay = 0

  /// - Parameters:
  ///   - ask: asks the daemon; returns whether there is a connection.
  ///   - nowUsec: the wall clock.
  ///   - onProgress: called when the daemon has replied: `release` is to be tried.
  init(ask: @escaping Ask, nowUsec: @escaping () -> Int64, onProgress: @escaping () -> Void) {
    self.ask = ask
    self.nowUsec = nowUsec
    self.onProgress = onProgress
  }

  /// The daemon holds the rings of a span that is over. The events of that follow, when they are on disk.
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

  /// The daemon is gone.
  func daemonLost() { (waiting, endedSpan, underWay) = (nil, 0, 0) }

  /// All is known that the broker has: has the rings shown that are held, if the daemon's events were read, too.
  ///
  /// - Parameter seq: the last event of the ledger that was read.
  func release(seq: Int64?) {
    guard underWay == 0, let waiting, let lastSeq = waiting.lastSeq, let seq, seq >= lastSeq
    else { return }
    self.waiting = nil
    _ = ask("ReleaseRings", ["hold": .integer(waiting.hold)]) { _ in }
  }

  /// Answers a ring at the daemon, unless its timer has moved on.
  func answer(_ ring: AnsweredRing) {
    var members = [
      JSONValue.Member("name", .string(ring.name)), JSONValue.Member("if_seq", .integer(ring.seq)),
    ]
    var method = "Dismiss"
    if case .snoozed(let untilUsec) = ring.answer.how {
      let usec = untilUsec - nowUsec()
      // It is due again by now: it rings.
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
