import NightjarMirror
import NightjarModel
import Testing
import Varlink

/// Rings of a machine's own timers, and answers from other machines while it was away.
struct OwnRingsTests {
  private let address = DeviceAddress(person: "alex", device: "laptop")!
  private let nowUsec: Int64 = 1_800_000_000_000_000

  /// - Parameter firedUsec: when it rang, and how late; nil: it has not rung.
  private func timer(
    seq: Int64, id: Int64 = 7, deadlineUsec: Int64?, fired: (usec: Int64, lateUsec: Int64)? = nil
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("id", .integer(id)), JSONValue.Member("seq", .integer(seq)),
      JSONValue.Member("name", "tea"), JSONValue.Member("kind", "countdown"),
      JSONValue.Member("state", deadlineUsec == nil ? "fired" : "running"),
      JSONValue.Member("clock", "elapsed"), JSONValue.Member("duration_usec", 60_000_000),
      JSONValue.Member("started_usec", .integer(nowUsec)), JSONValue.Member("labels", [:]),
      JSONValue.Member("data", [:]),
    ]
    if let deadlineUsec {
      members.append(JSONValue.Member("deadline_usec", .integer(deadlineUsec)))
    }
    if let fired {
      members.append(JSONValue.Member("fired_usec", .integer(fired.usec)))
      members.append(JSONValue.Member("late_usec", .integer(fired.lateUsec)))
    }
    return .object(members)
  }

  private func key(_ seq: Int64, id: Int64 = 7) throws -> RingKey {
    try #require(RingKey(ledger: "one", id: id, seq: seq))
  }

  /// A connected bridge, with these timers of the daemon and these retained messages.
  private func own(_ timers: [JSONValue], retained: [JSONValue]) -> OwnTimers {
    var own = OwnTimers(address: address)
    own.beginSnapshot()
    for timer in timers { _ = own.take(["timer": timer], nowUsec: nowUsec) }
    _ = own.take(["synced": true, "seq": 9, "ledger": "one"], nowUsec: nowUsec)
    own.connected()
    for timer in retained {
      let value = TimerValue(timer: timer, ledger: "one", nowUsec: nowUsec)!
      _ = own.received(value.name, value.payload)
    }
    _ = own.markerArrived()
    return own
  }

  private let dismissed = RingAnswer(.dismissed, device: "desktop", sentUsec: 1)

  @Test func `A ring belongs to the value that the other machines had`() throws {
    var own = own([timer(seq: 1, deadlineUsec: nowUsec)], retained: [])
    #expect(own.takeNewRings() == [])
    _ = own.take(
      ["timer": timer(seq: 2, deadlineUsec: nil, fired: (nowUsec + 10, 10))], nowUsec: nowUsec)
    #expect(own.takeNewRings() == [try key(1)])
    #expect(own.takeNewRings() == [])
    let ring = AnsweredRing(name: "tea", seq: 2, answer: dismissed)
    #expect(own.answered(try key(1), dismissed) == ring)
    #expect(own.answered(try key(2), dismissed) == nil)
    // The timer has another event, and still rings: the answer names its present number.
    _ = own.take(
      ["timer": timer(seq: 3, deadlineUsec: nil, fired: (nowUsec + 10, 10))], nowUsec: nowUsec)
    #expect(own.takeNewRings() == [try key(1)])
    #expect(own.answered(try key(1), dismissed)?.seq == 3)
    _ = own.take(["name": "tea", "event": ["seq": 4, "type": "removed"]], nowUsec: nowUsec)
    #expect(own.answered(try key(1), dismissed) == nil && own.rings == [])
  }

  @Test func `A ring while the bridge was away belongs to the retained value`() throws {
    let hour: Int64 = 3_600_000_000
    let late = timer(seq: 5, deadlineUsec: nil, fired: (nowUsec + hour, hour))
    var own = own([late], retained: [timer(seq: 4, deadlineUsec: nowUsec)])
    #expect(own.takeNewRings() == [try key(4)])
    #expect(own.answered(try key(4), dismissed)?.seq == 5)
  }

  @Test func `A later ring of a timer that repeats is not the one that was answered`() throws {
    let minute: Int64 = 60_000_000
    // The other machines had the present deadline; it rang for that, and will ring for the next.
    let second = timer(seq: 6, deadlineUsec: nowUsec + 2 * minute, fired: (nowUsec + minute, 0))
    var own = own([second], retained: [timer(seq: 4, deadlineUsec: nowUsec)])
    #expect(own.takeNewRings() == [])
    #expect(own.answered(try key(4), dismissed) == nil)
  }

  @Test func `Another timer of the same name has none of its rings`() throws {
    let other = timer(seq: 6, id: 8, deadlineUsec: nil, fired: (nowUsec, 0))
    var own = own([other], retained: [timer(seq: 4, deadlineUsec: nowUsec)])
    #expect(own.takeNewRings() == [])
  }

  @Test func `An answer is parsed as it was written, and any other payload is refused`() throws {
    for how in [RingAnswer.Kind.dismissed, .snoozed(untilUsec: nowUsec)] {
      let answer = RingAnswer(how, device: "desktop", sentUsec: nowUsec)
      #expect(RingAnswer(payload: answer.payload) == answer)
    }
    for text in [
      "", "{}", "[]", #"{"how":"eaten","device":"a"}"#, #"{"how":"dismissed"}"#,
      #"{"how":"dismissed","device":"a/b"}"#, #"{"how":"snoozed","device":"a"}"#,
      #"{"how":"snoozed","device":"a","until_usec":-1}"#,
      #"{"how":"snoozed","device":"a","until_usec":9223372036854775807}"#,
    ] {
      #expect(RingAnswer(payload: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func `A ring has one topic, below its person`() throws {
    let topic = Topic.ring(person: "alex", try key(12))
    #expect(topic.text(prefix: "n") == "n/alex/ring/one/7/12")
    #expect(Topic("n/alex/ring/one/7/12", prefix: "n") == topic)
    #expect(topic.address == nil && topic.person == "alex")
    for text in [
      "n/alex/ring/one/7", "n/alex/ring/one/7/12/1", "n/alex/ring/one/+7/12",
      "n/alex/ring/one/07/12", "n/alex/ring/one/-7/12", "n/alex/ring/one//12",
      "n/alex/ring//7/12", "n/al ex/ring/one/7/12", "n/alex/ring/o e/7/12",
      "n/alex/ring/one/7/99999999999999999999",
    ] {
      #expect(Topic(text, prefix: "n") == nil, "\(text)")
    }
    #expect(DeviceAddress(person: "alex", device: "ring") == nil)
  }

  @Test func `Two machines end up with the same answer, in any order of arrival`() throws {
    func answer(_ how: RingAnswer.Kind) -> RingAnswer {
      RingAnswer(how, device: "desktop", sentUsec: 1)
    }
    let answers = [
      answer(.dismissed), answer(.snoozed(untilUsec: 5)), answer(.snoozed(untilUsec: 9)),
    ]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var mirror = Mirror(own: address)
      for index in order { _ = mirror.take(answers[index], to: try key(1)) }
      #expect(mirror.answers[try key(1)] == answers[0])
    }
    var mirror = Mirror(own: address)
    #expect(mirror.take(answers[2], to: try key(1)) == [.ring(try key(1))])
    #expect(mirror.take(answers[1], to: try key(1)) == [])
    #expect(mirror.answers[try key(1)] == answers[2])
  }

  @Test func `Answers beyond the limit push out the oldest`() throws {
    var mirror = Mirror(own: address)
    for number in 0...Int64(MirrorLimits.answers) {
      let ring = try key(number)
      let answer = RingAnswer(.dismissed, device: "desktop", sentUsec: 5_000 - number)
      let delivery = Delivery(.ring(person: "alex", ring), answer.payload, isRetained: true)
      #expect(mirror.received(delivery, nowUsec: 0) == [.ring(ring)])
      #expect(mirror.received(delivery, nowUsec: 0) == [])
    }
    let last = Int64(MirrorLimits.answers)
    #expect(mirror.answers[try key(last - 1)] == nil)
    #expect(mirror.answers[try key(last)] != nil)
    #expect(mirror.answers[try key(0)] != nil)
  }
}
