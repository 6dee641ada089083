import NightjarMirror
import NightjarModel
import Testing
import Varlink

/// The messages that a machine publishes for a session, and its view of the session's members.
@Suite struct SessionMirrorTests {
  private static let alex = DeviceAddress(person: "alex", device: "laptop")!
  private static let kim = DeviceAddress(person: "kim", device: "laptop")!
  private static let session = SessionAddress(group: "runners", path: "run/4711")!
  private var owner = FakeOwner(ledger: "one")
  private var own = OwnTimers(address: Self.kim, session: Self.session)
  private var mirror = Mirror(own: Self.alex, session: Self.session)

  /// The daemon's timers are known, and the broker has no messages.
  private mutating func connect(_ names: [String] = []) -> [String] {
    for name in names { _ = owner.set(name) }
    own.beginSnapshot()
    for reply in owner.snapshot { _ = own.take(reply, nowUsec: owner.nowUsec) }
    own.connected()
    mirror.connected()
    _ = mirror.markerArrived()
    return deliver(own.markerArrived())
  }

  /// Delivers published messages to the mirror; returns the topics without their prefix.
  private mutating func deliver(
    _ publications: [Publication], isRetained: Bool = false
  ) -> [String] {
    for publication in publications {
      _ = receive(publication.topic, publication.payload, isRetained: isRetained)
    }
    return publications.map { "\($0.payload.isEmpty ? "-" : "+")\($0.topic.text(prefix: "n"))" }
  }

  private mutating func receive(
    _ topic: Topic, _ payload: [UInt8], isRetained: Bool = false
  ) -> [MirrorChange] {
    mirror.received(
      Delivery(topic, payload, isRetained: isRetained), nowUsec: owner.nowUsec)
  }

  private mutating func take(_ reply: JSONValue) -> [String] {
    deliver(own.take(reply, nowUsec: owner.nowUsec))
  }

  @Test func `Below the session the topics are as below the person`() {
    let prefix = Self.session.topicPrefix(below: "home/nightjar")
    #expect(prefix == "home/nightjar/@runners/run%2F4711")
    let text = Topic.timer(Self.kim, name: "run/4711/a").text(prefix: prefix)
    #expect(text == "home/nightjar/@runners/run%2F4711/kim/laptop/timer/run/4711/a")
    #expect(Topic(text, prefix: prefix) == .timer(Self.kim, name: "run/4711/a"))
    // Neither accepts the other's topics.
    #expect(Topic(text, prefix: "home/nightjar") == nil)
  }

  @Test mutating func `Only the session's timers and their events are published`() {
    #expect(
      connect(["run/4711", "run/4711/a", "run/47110", "tea"]) == [
        "+n/kim/laptop/timer/run/4711", "+n/kim/laptop/timer/run/4711/a",
      ])
    #expect(own.count == 2)
    #expect(take(owner.set("tea", "paused")) == [])
    #expect(
      take(owner.set("run/4711", "paused")) == [
        "+n/kim/laptop/timer/run/4711", "+n/kim/laptop/event",
      ])
    // Events of the machine are not published.
    let event: JSONValue = ["seq": 9, "time_usec": 1, "type": "did_enter_background"]
    #expect(take(["event": event]) == [])
    #expect(
      take(owner.remove("run/4711/a")) == ["-n/kim/laptop/timer/run/4711/a", "+n/kim/laptop/event"])
    #expect(mirror.devices["kim/laptop"]?.names == ["run/4711"])
  }

  @Test mutating func `A renamed timer leaves the session, and its new name is not published`()
    throws
  {
    _ = connect(["run/4711/a"])
    let reply: JSONValue = [
      "event": [
        "seq": 7, "time_usec": 1, "type": "renamed_to", "name": "run/4711/a", "new_name": "secret",
      ]
    ]
    let publications = own.take(reply, nowUsec: owner.nowUsec)
    #expect(publications.count == 2)
    let event = try #require(publications.last)
    #expect(!String(decoding: event.payload, as: UTF8.self).contains("secret"))
    #expect(deliver(publications) == ["-n/kim/laptop/timer/run/4711/a", "+n/kim/laptop/event"])
    // Within the session the name is visible to the others, too.
    _ = take(owner.set("run/4711/b"))
    let within: JSONValue = [
      "event": [
        "seq": 9, "time_usec": 1, "type": "renamed_to", "name": "run/4711/b",
        "new_name": "run/4711/c",
      ]
    ]
    let last = try #require(own.take(within, nowUsec: owner.nowUsec).last)
    #expect(String(decoding: last.payload, as: UTF8.self).contains("run/4711/c"))
  }

  @Test
  mutating func
    `Timers above the limit, and too long names, are left out, and the others are published`()
  {
    let long = "run/4711/" + String(repeating: "x", count: Limits.nameBytes - 12)
    let names = (1...SessionAddress.timersOfMember).map { "run/4711/\($0)" }
    #expect(connect([long] + names).count == SessionAddress.timersOfMember)
    #expect(own.unpublished == [long])
    _ = take(owner.set("run/4711/z"))
    #expect(own.unpublished == [long, "run/4711/z"])
  }

  @Test mutating func `Members are known by person and machine, this machine among them`() {
    _ = connect(["run/4711"])
    let value = TimerValue(
      timer: owner.timers["run/4711"] ?? .null, ledger: "two", nowUsec: owner.nowUsec)
    #expect(receive(.timer(Self.alex, name: "run/4711"), value?.payload ?? []) != [])
    #expect(mirror.devices.keys.sorted() == ["alex/laptop", "kim/laptop"])
    let status = DeviceStatus(.offline).payload
    #expect(receive(.status(Self.kim), status) == [.status(device: "kim/laptop")])
    #expect(mirror.devices["kim/laptop"]?.status?.state == .offline)
    #expect(mirror.devices["alex/laptop"]?.status == nil)
  }

  @Test mutating func `A person's devices never displace another person's or this machine`() throws
  {
    _ = connect()
    let status = DeviceStatus(.online).payload
    for number in 1...20 {
      let device = try #require(DeviceAddress(person: "mallory", device: "m\(number)"))
      _ = receive(.status(device), status)
    }
    #expect(mirror.devices.count == MirrorLimits.devicesOfMember && mirror.droppedCount == 12)
    for person in 1...20 {
      for number in 1...4 {
        let device = try #require(DeviceAddress(person: "p\(person)", device: "m\(number)"))
        _ = receive(.status(device), status)
      }
    }
    #expect(mirror.devices.count == MirrorLimits.devices)
    _ = receive(.status(Self.alex), status)
    #expect(mirror.devices["alex/laptop"] != nil)
  }

  @Test mutating func `What a member publishes outside the session is dropped`() throws {
    _ = connect(["run/4711"])
    let timer = try #require(owner.set("tea")["timer"])
    let value = try #require(TimerValue(timer: timer, ledger: "one", nowUsec: 0))
    #expect(receive(.timer(Self.kim, name: "tea"), value.payload) == [])
    let event: JSONValue = ["ledger": "one", "seq": 5, "type": "paused", "name": "tea"]
    #expect(receive(.event(Self.kim), event.bytes) == [])
    let machine: JSONValue = ["ledger": "one", "seq": 6, "type": "clock_stepped"]
    #expect(receive(.event(Self.kim), machine.bytes) == [])
    #expect(mirror.droppedCount == 3)
    #expect(mirror.devices["kim/laptop"]?.names == ["run/4711"])
    // In a session, no member answers another's ring.
    let ring = try #require(RingKey(ledger: "l", id: 1, expiry: 2))
    let answer = RingAnswer(.dismissed, dueUsec: 1, device: "x", sentUsec: 1)
    #expect(receive(.ring(person: "kim", ring), answer.payload) == [])
    #expect(mirror.answers[ring] == nil)
  }

  @Test mutating func `Numbers of other events are no gap, and a missing value is one`() {
    _ = connect(["run/4711"])
    _ = take(owner.set("run/4711"))
    _ = owner.set("tea")
    let reply = owner.set("run/4711", "paused")
    let publications = own.take(reply, nowUsec: owner.nowUsec)
    var changes: [MirrorChange] = []
    for publication in publications { changes += receive(publication.topic, publication.payload) }
    #expect(!changes.contains(.gap(device: "kim/laptop")), "\(changes)")
    // The value is lost, and the event arrives.
    let last = own.take(owner.set("run/4711"), nowUsec: owner.nowUsec).last
    let event = last.map { receive($0.topic, $0.payload) } ?? []
    #expect(event.contains(.gap(device: "kim/laptop")))
    // The status announces other timers than those here.
    _ = own.take(owner.set("run/4711/new"), nowUsec: owner.nowUsec)
    let status = DeviceStatus(.online, timers: 2, digest: own.digest.text).payload
    #expect(receive(.status(Self.kim), status).contains(.gap(device: "kim/laptop")))
  }
}
