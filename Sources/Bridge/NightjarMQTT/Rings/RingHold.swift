internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Applies answers from other machines to the rings of this machine's timers.
///
/// After a background span, the daemon holds its rings back for a limited time (`HoldRings`). The
/// bridge releases them when it has read all answers from the broker and the daemon has applied
/// these answers. If an answer arrives later, it ends a ring that has already begun.
final class RingHold {
  /// A hold whose rings were not released yet.
  private struct Waiting {
    let hold: Int64
    let span: Int64
    /// The number of the ledger's last event when the end of the span was on disk; nil: the end of
    /// the span is not on disk yet.
    var lastSeq: Int64?
  }

  private let loop: EventLoop
  private unowned let bridge: Bridge
  private var waiting: Waiting?
  /// The last background span whose end is on the daemon's disk.
  private var endedSpan: Int64 = 0
  /// The number of answers that were sent to the daemon and that it has not replied to.
  private var inFlight = 0

  init(loop: EventLoop, bridge: Bridge) { (self.loop, self.bridge) = (loop, bridge) }

  private func ask(
    _ method: String, _ parameters: JSONValue, _ reply: @escaping (OwnerAnswer) -> Void
  ) -> Bool {
    bridge.link.ask("\(TimersInterface.name).\(method)", parameters, reply)
  }

  /// Records that the daemon holds back the rings of a background span that has ended. The events
  /// of the span follow when they are on disk.
  func began(_ hold: Int64, span: Int64) {
    waiting = Waiting(hold: hold, span: span)
    askLastSeq()
  }

  /// Records that the end of a background span and the expiries in it are on disk.
  func ended(span: Int64) {
    endedSpan = max(endedSpan, span)
    askLastSeq()
  }

  private func askLastSeq() {
    guard let asked = waiting, asked.lastSeq == nil, asked.span <= endedSpan else { return }
    _ = ask("Status", .object([])) { [weak self] reply in
      guard let self, waiting?.hold == asked.hold, waiting?.span == asked.span else { return }
      waiting?.lastSeq = reply.parameters?["storage"]?["last_seq"]?.integerValue ?? 0
      bridge.answerOwnRings()
    }
  }

  func daemonLost() { (waiting, endedSpan, inFlight) = (nil, 0, 0) }

  /// Releases the held rings, if the bridge has read the events of the background span and the
  /// daemon has applied all answers. Call this only after all retained messages were read.
  ///
  /// - Parameter seq: the number of the last event that the bridge has read.
  func release(seq: Int64?) {
    guard inFlight == 0, let waiting, let lastSeq = waiting.lastSeq, let seq, seq >= lastSeq
    else { return }
    self.waiting = nil
    _ = ask("ReleaseRings", ["hold": .integer(waiting.hold)]) { _ in }
  }

  /// Sends an answer to the daemon. The daemon refuses the answer if the timer has had another
  /// event since; then its new value causes another call of this. The answer does nothing if its
  /// ring is over.
  func answer(_ ring: AnsweredElsewhere) {
    var members = [
      JSONValue.Member("name", .string(ring.name)), JSONValue.Member("if_seq", .integer(ring.seq)),
      JSONValue.Member("expiry", .integer(ring.expiry)),
    ]
    var method = "Dismiss"
    if let undoID = ring.answer.undoID {
      members.append(JSONValue.Member("undo_id", .string(undoID)))
    }
    if case .snoozed(let untilUsec) = ring.answer.kind {
      // If the end of the snooze has passed, the timer rings at once.
      let leftUsec = untilUsec - loop.now.realtimeUsec
      let byUsec = min(
        max(1, leftUsec, untilUsec - ring.answer.sentUsec), Limits.durationUsec)
      method = "Snooze"
      members.append(JSONValue.Member("by_usec", .integer(byUsec)))
      members.append(
        JSONValue.Member("ago_usec", .integer(min(byUsec - leftUsec, Limits.durationUsec))))
    }
    let isAsked = ask(method, .object(members)) { [weak self] _ in
      guard let self else { return }
      inFlight -= 1
      bridge.answerOwnRings()
    }
    if isAsked { inFlight += 1 }
  }
}
