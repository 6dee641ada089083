import NightjarMirror
import NightjarModel
import Testing
import Varlink

/// Rings of a machine's own timers, and answers from other machines while it was away.
struct OwnRingsTests {
  private let address = DeviceAddress(person: "alex", device: "laptop")!
  private let nowUsec: Int64 = 1_800_000_000_000_000

  /// - Parameter ring: the number of its open ring, and the end of its snooze; nil: none is open.
  private func timer(
    seq: Int64, id: Int64 = 7, next: Int64 = 2, ring: (expiry: Int64, untilUsec: Int64?)? = nil
  ) -> JSONValue {
    guard let (expiry, untilUsec) = ring else { return .timer(id: id, seq: seq, next: next, [:]) }
    return .timer(
      id: id, seq: seq, next: next,
      [
        "ringing": untilUsec == nil ? "ringing" : "snoozed",
        "open_ring": .openRing(
          expiry, dueUsec: nowUsec, rangUsec: nowUsec,
          untilUsec: untilUsec ?? nowUsec + 60_000_000),
      ])
  }

  private func key(_ expiry: Int64, id: Int64 = 7) -> RingKey {
    RingKey(ledger: "one", id: id, expiry: expiry)!
  }

  /// A bridge with these timers of the daemon.
  private func own(_ timers: [JSONValue]) -> OwnTimers {
    var own = OwnTimers(address: address)
    own.beginSnapshot()
    for timer in timers { _ = own.take(["timer": timer], nowUsec: nowUsec) }
    _ = own.take(["synced": true, "seq": 9, "ledger": "one"], nowUsec: nowUsec)
    return own
  }

  private func answer(
    _ kind: RingAnswer.Kind, dueUsec: Int64? = nil, device: String = "desktop", sentUsec: Int64 = 1
  ) -> RingAnswer {
    RingAnswer(kind, dueUsec: dueUsec ?? nowUsec, device: device, sentUsec: sentUsec)
  }

  private func answers(_ all: [(Int64, RingAnswer)]) -> RingAnswers {
    var mirror = Mirror(own: address)
    for (expiry, answer) in all { _ = mirror.take(answer, to: key(expiry)) }
    return mirror.answers
  }

  /// The replies of the daemon change `tea`.
  private func event(_ type: String, _ answered: Int64, _ timer: JSONValue?) -> JSONValue {
    let event: JSONValue = [
      "type": .string(type), "name": "tea", "seq": 10, "answered": .integer(answered),
    ]
    return timer.map { ["event": event, "timer": $0] } ?? ["event": event]
  }

  // MARK: - Answers of other machines

  @Test func `An answer names the newest expiry of the ring that it ends`() {
    var own = own([timer(seq: 1)])
    let dismissed = answers([(1, answer(.dismissed))])
    #expect(own.takeAnswered(dismissed) == [])
    _ = own.take(["timer": timer(seq: 2, ring: (1, nil))], nowUsec: nowUsec)
    let ring = AnsweredElsewhere(name: "tea", seq: 2, expiry: 1, answer: answer(.dismissed))
    #expect(own.takeAnswered(dismissed) == [ring])
    #expect(own.takeAnswered(dismissed) == [])
    #expect(own.answered(key(1), dismissed) == ring)
    // The timer has another event, and its ring is still open: it is answered again.
    _ = own.take(["timer": timer(seq: 3, ring: (1, nil))], nowUsec: nowUsec)
    #expect(own.takeAnswered(dismissed).map(\.seq) == [3])
    own.renewRings()
    #expect(own.takeAnswered(dismissed).map(\.seq) == [3])
    _ = own.take(["name": "tea", "event": ["seq": 4, "type": "removed"]], nowUsec: nowUsec)
    #expect(own.answered(key(1), dismissed) == nil)
  }

  @Test func `An answer ends older rings of the timer, and no newer one`() {
    let own = own([timer(seq: 1, next: 7, ring: (6, nil))])
    for (expiry, isEnded) in [(5, false), (6, true), (7, true)] as [(Int64, Bool)] {
      // The due time counts only for the same number.
      let usec = nowUsec + (expiry == 7 ? 3_600_000_000 : 0)
      let given = answers([(expiry, answer(.dismissed, dueUsec: usec))])
      let ring = own.answered(key(expiry), given)
      #expect(ring?.expiry == (isEnded ? expiry : nil))
    }
    let ofOther = answers([(6, answer(.dismissed))])
    #expect(own.answered(key(6, id: 8), ofOther) == nil)
  }

  @Test func `An answer to a deadline that was moved since is none to the ring at the new one`() {
    let own = own([timer(seq: 1, ring: (1, nil))])
    let early = answers([(1, answer(.dismissed, dueUsec: nowUsec - 60_000_000))])
    #expect(own.answered(key(1), early) == nil)
    // The clock was corrected.
    let close = answers([(1, answer(.dismissed, dueUsec: nowUsec - 5_000_000))])
    #expect(own.answered(key(1), close) != nil)
  }

  @Test func `A snooze is carried out once, also if it is over`() {
    var own = own([timer(seq: 1, ring: (1, nil))])
    for untilUsec in [nowUsec + 60_000_000, nowUsec - 60_000_000] {
      let snoozed = answers([(1, answer(.snoozed(untilUsec: untilUsec)))])
      #expect(own.answered(key(1), snoozed) != nil)
    }
    let untilUsec = nowUsec + 60_000_000
    let snoozed = answers([(1, answer(.snoozed(untilUsec: untilUsec)))])
    _ = own.take(["timer": timer(seq: 2, ring: (1, untilUsec))], nowUsec: nowUsec)
    #expect(own.takeAnswered(snoozed) == [])
    // Its own ledger is known here.
    let mine = answers([(1, answer(.dismissed, device: "laptop"))])
    #expect(own.answered(key(1), mine) == nil)
  }

  // MARK: - What the ledger says

  @Test func `What ends a ring here is an answer for the other machines`() {
    for type in [
      "dismissed", "stopped", "cancelled", "advanced", "restarted", "removed", "started",
      "forgotten",
    ] {
      var own = own([timer(seq: 1, ring: (1, nil))])
      let rest = type == "removed" ? nil : timer(seq: 10, id: type == "started" ? 10 : 7)
      _ = own.take(event(type, 1, rest), nowUsec: nowUsec)
      let given = own.takeAnswers()
      #expect(given.map(\.key) == [key(1)], "\(type)")
      #expect(given.first?.answer.kind == .dismissed && given.first?.answer.dueUsec == nowUsec)
      #expect(own.takeAnswers().isEmpty)
    }
  }

  @Test func `A snooze here is an answer with its end, and an undo withdraws an answer`() {
    var own = own([timer(seq: 1, ring: (1, nil))])
    let untilUsec = nowUsec + 60_000_000
    _ = own.take(event("snoozed", 1, timer(seq: 10, ring: (1, untilUsec))), nowUsec: nowUsec)
    #expect(own.takeAnswers().map(\.answer.kind) == [.snoozed(untilUsec: untilUsec)])
    _ = own.take(event("dismissed", 1, nil), nowUsec: nowUsec)
    _ = own.take(event("undone", 1, timer(seq: 11, ring: (1, untilUsec))), nowUsec: nowUsec)
    let given = own.takeAnswers()
    #expect(given.map(\.answer.kind) == [.dismissed, .undone])
    var mirror = Mirror(own: address)
    for (key, answer) in given { _ = mirror.take(own: answer, to: key) }
    #expect(mirror.answers.ending(key(1), dueUsec: nowUsec) == nil)
    // Another machine sends its earlier answer again; and the user answers anew.
    let topic = Topic.ring(person: "alex", key(1))
    let earlier = Delivery(topic, answer(.dismissed).payload, isRetained: false)
    #expect(mirror.received(earlier, nowUsec: nowUsec) == [])
    let later = answer(.snoozed(untilUsec: untilUsec), sentUsec: nowUsec + 1_000_000)
    #expect(mirror.take(later, to: key(1)) == [.ring(key(1))])
    // The earlier dismissal does not come back in place of the snooze after the undo.
    #expect(mirror.received(earlier, nowUsec: nowUsec) == [])
    #expect(mirror.answers[key(1)]?.kind == .snoozed(untilUsec: untilUsec))
  }

  @Test func `A machine that learns late of an undo keeps the answer that was given after it`() {
    for (sentUsec, isKept) in [(nowUsec - 1, false), (nowUsec + 1, true)] {
      var mirror = Mirror(own: address)
      _ = mirror.take(
        answer(.dismissed, device: address.device, sentUsec: sentUsec), to: key(1))
      let undone = answer(.undone, sentUsec: nowUsec)
      _ = mirror.received(
        Delivery(.ring(person: "alex", key(1)), undone.payload, isRetained: true),
        nowUsec: nowUsec)
      #expect(mirror.answers[key(1)]?.kind == (isKept ? .dismissed : .undone))
      #expect(mirror.takeUnsent(nowUsec: nowUsec).isEmpty == !isKept)
    }
  }

  @Test func `The ledger of the owner includes the answers that it carried out`() {
    var mirror = Mirror(own: address)
    let untilUsec = nowUsec + 60_000_000
    // The clock of the other machine is ahead.
    let sentUsec = nowUsec + 9_000_000
    _ = mirror.take(answer(.snoozed(untilUsec: untilUsec), sentUsec: sentUsec), to: key(1))
    let mine = answer(.snoozed(untilUsec: untilUsec + 5), device: "laptop", sentUsec: nowUsec)
    #expect(mirror.take(own: mine, to: key(1)) == [.ring(key(1))])
    #expect(mirror.answers[key(1)]?.device == "laptop")
    #expect(mirror.take(own: mine, to: key(1)) == [])
  }

  // MARK: - Answers on the broker

  @Test func `An answer that the broker lacks is sent again after a connection, for a day`() {
    var mirror = Mirror(own: address)
    func unsent() -> [RingAnswer] { mirror.takeUnsent(nowUsec: nowUsec).map(\.answer) }
    let dismissed = answer(.dismissed, sentUsec: nowUsec)
    _ = mirror.take(dismissed, to: key(1))
    #expect(unsent() == [dismissed] && unsent() == [])
    let topic = Topic.ring(person: "alex", key(1))
    for (found, isAgain) in [
      (nil, true), (dismissed, false), (answer(.snoozed(untilUsec: 5)), true),
    ] as [(RingAnswer?, Bool)] {
      mirror.connected()
      if let found {
        _ = mirror.received(Delivery(topic, found.payload, isRetained: true), nowUsec: nowUsec)
      }
      _ = mirror.markerArrived()
      #expect(unsent() == (isAgain ? [dismissed] : []))
    }
    // An answer that is worth less arrives, and the broker keeps it in place of the better one.
    let worse = answer(.snoozed(untilUsec: nowUsec), device: "phone")
    _ = mirror.received(Delivery(topic, worse.payload, isRetained: false), nowUsec: nowUsec)
    #expect(unsent() == [dismissed])
    mirror.connected()
    #expect(mirror.takeUnsent(nowUsec: nowUsec + Mirror.answerUsec).isEmpty)
  }

  @Test func `An answer is parsed as it was written, and any other payload is refused`() {
    for how in [RingAnswer.Kind.dismissed, .snoozed(untilUsec: nowUsec), .undone] {
      var answer = answer(how, sentUsec: nowUsec)
      #expect(RingAnswer(payload: answer.payload) == answer)
      answer.undoID = String(repeating: "x", count: 64)
      #expect(RingAnswer(payload: answer.payload) == answer)
      // The owner's daemon would refuse an answer with such an ID.
      for bad in ["", String(repeating: "x", count: 65)] {
        answer.undoID = bad
        #expect(RingAnswer(payload: answer.payload)?.undoID == .some(nil))
      }
    }
    for text in [
      "", "{}", "[]", #"{"how":"eaten","due_usec":1,"device":"a"}"#,
      #"{"how":"dismissed","due_usec":1}"#, #"{"how":"dismissed","device":"a"}"#,
      #"{"how":"dismissed","due_usec":1,"device":"a/b"}"#,
      #"{"how":"snoozed","due_usec":1,"device":"a"}"#,
      #"{"how":"snoozed","due_usec":1,"device":"a","until_usec":-1}"#,
      #"{"how":"snoozed","due_usec":1,"device":"a","until_usec":9223372036854775807}"#,
    ] {
      #expect(RingAnswer(payload: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func `Two machines end up with the same answer, in any order of arrival`() {
    let answers = [
      answer(.dismissed), answer(.snoozed(untilUsec: 5)), answer(.snoozed(untilUsec: 9)),
    ]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var mirror = Mirror(own: address)
      for index in order { _ = mirror.take(answers[index], to: key(1)) }
      #expect(mirror.answers[key(1)] == answers[0])
    }
    var mirror = Mirror(own: address)
    #expect(mirror.take(answers[2], to: key(1)) == [.ring(key(1))])
    #expect(mirror.take(answers[1], to: key(1)) == [])
    #expect(mirror.answers[key(1)] == answers[2])
    // A new snooze replaces an earlier one.
    let new = answer(.snoozed(untilUsec: 5), sentUsec: 2)
    #expect(mirror.take(new, to: key(1)) == [.ring(key(1))])
  }

  @Test func `Answers beyond the limit push out the oldest`() {
    var mirror = Mirror(own: address)
    for number in 0...Int64(MirrorLimits.answers) {
      let ring = key(number)
      let answer = answer(.dismissed, sentUsec: 5_000 - number)
      let delivery = Delivery(.ring(person: "alex", ring), answer.payload, isRetained: true)
      #expect(mirror.received(delivery, nowUsec: 0) == [.ring(ring)])
      #expect(mirror.received(delivery, nowUsec: 0) == [])
    }
    let last = Int64(MirrorLimits.answers)
    #expect(mirror.answers[key(last - 1)] == nil)
    #expect(mirror.answers[key(last)] != nil)
    #expect(mirror.answers[key(0)] != nil)
  }
}
