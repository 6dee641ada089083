internal import NightjarInterface
internal import NightjarMirror
internal import Varlink

/// Asks an owner for all its timers, page by page. The bridge needs this because the broker's
/// retained messages may be incomplete.
///
/// The bridge first asks for the number of the ledger's last event. If the mirror has a timer that
/// the answer lacks, the owner has removed that timer, unless the timer had an event after that
/// number.
final class OwnerQuestion {
  /// The number of timers in a page. All timers of a page are in one message.
  private static let pageTimers: Int64 = 200

  /// The timers of the owner, and the ledger that they belong to.
  struct Answer {
    let values: [TimerValue]
    let ledger: String
    let lastSeq: Int64
  }

  private let ask: (ReceivedCall, @escaping (OwnerAnswer) -> Void) -> Void
  private let nowUsec: () -> Int64
  private let done: (Answer?) -> Void
  private var values: [TimerValue] = []

  /// - Parameters:
  ///   - ask: sends a call to the owner, and passes on its reply.
  ///   - nowUsec: returns the time of the wall clock.
  ///   - done: called with all timers, or nil if the owner did not answer.
  init(
    ask: @escaping (ReceivedCall, @escaping (OwnerAnswer) -> Void) -> Void,
    nowUsec: @escaping () -> Int64, done: @escaping (Answer?) -> Void
  ) {
    self.ask = ask
    self.nowUsec = nowUsec
    self.done = done
    call("Status", .object([])) { question, status in
      guard let ledger = status["storage"]?["ledger"]?.stringValue,
        let lastSeq = status["storage"]?["last_seq"]?.integerValue
      else { return question.done(nil) }
      question.askPage(after: nil, ledger, lastSeq)
    }
  }

  private func askPage(after: Int64?, _ ledger: String, _ lastSeq: Int64) {
    var members = [JSONValue.Member("limit", .integer(Self.pageTimers))]
    if let after { members.append(JSONValue.Member("after", .integer(after))) }
    call("List", .object(members)) { question, page in
      let now = question.nowUsec()
      question.values += (page["timers"]?.arrayValue ?? []).compactMap {
        TimerValue(timer: $0, ledger: ledger, nowUsec: now)
      }
      // Stop if the next page would not be after this one. Otherwise the same page would be
      // requested forever.
      if let next = page["next"]?.integerValue, next > after ?? -1,
        question.values.count < MirrorLimits.timersOfDevice,
        question.values.reduce(0, { $0 + $1.payload.count }) < MirrorLimits.bytesOfDevice
      {
        question.askPage(after: next, ledger, lastSeq)
      } else {
        question.done(Answer(values: question.values, ledger: ledger, lastSeq: lastSeq))
      }
    }
  }

  private func call(
    _ method: String, _ parameters: JSONValue,
    _ answered: @escaping (OwnerQuestion, JSONValue) -> Void
  ) {
    let call = ReceivedCall(
      method: "\(TimersInterface.name).\(method)", parameters: parameters, more: false)
    ask(call) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .reply(let parameters): answered(self, parameters)
      case .error: done(nil)
      }
    }
  }
}
