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
  private var own = OwnTimers(address: Self.kim)
  private var mirror = Mirror(own: Self.alex)

  init() { _ = own.takePart(in: Self.session, isShared: true) }

  private var part: PublishedTimers { own.published(in: Self.session)! }

  /// The daemon's timers are known, and the broker has no messages.
  private mutating func connect(_ names: [String] = []) -> [String] {
    for name in names { _ = owner.set(name) }
    own.beginSnapshot()
    for reply in owner.snapshot { _ = own.take(reply, nowUsec: owner.nowUsec) }
    own.connected()
    mirror.connected()
    _ = mirror.markerArrived()
    _ = mirror.markerArrived(of: Self.session)
    _ = own.markerArrived()
    return deliver(own.markerArrived(of: Self.session))
  }

  /// Delivers published messages to the mirror; returns the topics without their prefix.
  private mutating func deliver(
    _ publications: [Delivery], isRetained: Bool = false
  ) -> [String] {
    let publications = publications.filter { $0.session == Self.session }
    for publication in publications {
      _ = receive(publication.topic, publication.payload, isRetained: isRetained)
    }
    return publications.map { "\($0.payload.isEmpty ? "-" : "+")\($0.topic.text(prefix: "n"))" }
  }

  private mutating func receive(
    _ topic: Topic, _ payload: [UInt8], isRetained: Bool = false
  ) -> [MirrorChange] {
    mirror.received(
      Delivery(topic, payload, isRetained: isRetained, in: Self.session), nowUsec: owner.nowUsec)
  }

  /// The presence of kim's machine, which is outside of the session.
  private mutating func receive(
    _ presence: DevicePresence, isRetained: Bool = false
  ) -> [MirrorChange] {
    mirror.received(
      Delivery(.presence(Self.kim), presence.payload, isRetained: isRetained), nowUsec: 1)
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
    #expect(part.count == 2)
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
    func renamed(_ seq: Int64, _ name: JSONValue, to newName: JSONValue) -> [Delivery] {
      let event: JSONValue = [
        "seq": .integer(seq), "time_usec": 1, "type": "renamed_to", "name": name,
        "new_name": newName,
      ]
      return own.take(["event": event], nowUsec: owner.nowUsec)
    }
    let publications = renamed(7, "run/4711/a", to: "secret")
    // For the user's other machines and for the session, each a value and an event.
    #expect(publications.count == 4)
    let event = try #require(publications.last { $0.session == Self.session })
    #expect(!String(decoding: event.payload, as: UTF8.self).contains("secret"))
    #expect(deliver(publications) == ["-n/kim/laptop/timer/run/4711/a", "+n/kim/laptop/event"])
    // Within the session the name is visible to the others, too.
    _ = take(owner.set("run/4711/b"))
    let within = renamed(9, "run/4711/b", to: "run/4711/c")
    let last = try #require(within.last { $0.session == Self.session })
    #expect(String(decoding: last.payload, as: UTF8.self).contains("run/4711/c"))
  }

  @Test
  mutating func
    `Timers above the limit, and too long names, are left out, and the others are published`()
  {
    let long = "run/4711/" + String(repeating: "x", count: Limits.nameBytes - 12)
    let names = (1...SessionAddress.timersOfMember).map { "run/4711/\($0)" }
    #expect(connect([long] + names).count == SessionAddress.timersOfMember)
    #expect(part.unpublished == [long])
    _ = take(owner.set("run/4711/z"))
    #expect(part.unpublished == [long, "run/4711/z"])
  }

  @Test mutating func `Members are known by person and machine, this machine among them`() {
    _ = connect(["run/4711"])
    let value = owner.value("run/4711", ledger: "two")
    #expect(receive(.timer(Self.alex, name: "run/4711"), value.payload) != [])
    #expect(mirror.members(of: Self.session) == [Self.alex, Self.kim])
    let status = DeviceStatus(timers: 1).payload
    #expect(receive(.status(Self.kim), status) == [.status(device: "kim/laptop")])
    #expect(receive(DevicePresence(.offline)) == [.status(device: MirrorOwner(Self.kim))])
    #expect(mirror.member(Self.kim, of: Self.session)?.state == .offline)
    #expect(mirror.member(Self.alex, of: Self.session)?.state == nil)
  }

  @Test mutating func `A person's devices never displace another person's or this machine`() {
    _ = connect()
    let status = DeviceStatus(timers: 0).payload
    for number in 1...20 {
      let device = DeviceAddress(person: "mallory", device: "m\(number)")!
      _ = receive(.status(device), status)
    }
    #expect(mirror.devices.count == MirrorLimits.devicesOfMember && mirror.droppedCount == 12)
    for person in 1...20 {
      for number in 1...4 {
        let device = DeviceAddress(person: "p\(person)", device: "m\(number)")!
        _ = receive(.status(device), status)
      }
    }
    #expect(mirror.devices.count == MirrorLimits.devices)
    _ = receive(.status(Self.alex), status)
    #expect(mirror.devices["alex/laptop"] != nil)
  }

  @Test mutating func `What a member publishes outside the session is dropped`() {
    _ = connect(["run/4711"])
    _ = owner.set("tea")
    #expect(receive(.timer(Self.kim, name: "tea"), owner.value("tea").payload) == [])
    let event: JSONValue = ["ledger": "one", "seq": 5, "type": "paused", "name": "tea"]
    #expect(receive(.event(Self.kim), event.bytes) == [])
    let machine: JSONValue = ["ledger": "one", "seq": 6, "type": "clock_stepped"]
    #expect(receive(.event(Self.kim), machine.bytes) == [])
    #expect(mirror.droppedCount == 3)
    #expect(mirror.devices["kim/laptop"]?.names == ["run/4711"])
    // In a session, no member answers another's ring.
    let ring = RingKey(ledger: "l", id: 1, expiry: 2)!
    let answer = RingAnswer(.dismissed, dueUsec: 1, device: "x", sentUsec: 1)
    #expect(receive(.ring(person: "kim", ring), answer.payload) == [])
    #expect(mirror.answers[ring] == nil)
  }

  @Test mutating func `Numbers of other events are no gap, and a missing value is one`() {
    _ = connect(["run/4711"])
    _ = take(owner.set("run/4711"))
    _ = owner.set("tea")
    let reply = owner.set("run/4711", "paused")
    let publications = own.take(reply, nowUsec: owner.nowUsec).filter { $0.session != nil }
    var changes: [MirrorChange] = []
    for publication in publications { changes += receive(publication.topic, publication.payload) }
    #expect(!changes.contains(.gap(device: "kim/laptop")), "\(changes)")
    // The value is lost, and the event arrives.
    let last = own.take(owner.set("run/4711"), nowUsec: owner.nowUsec).last
    let event = last.map { receive($0.topic, $0.payload) } ?? []
    #expect(event.contains(.gap(device: "kim/laptop")))
    // The status announces other timers than those here.
    _ = own.take(owner.set("run/4711/new"), nowUsec: owner.nowUsec)
    _ = receive(DevicePresence(.online))
    let status = DeviceStatus(timers: 2, digest: part.digest.text).payload
    #expect(receive(.status(Self.kim), status).contains(.gap(device: "kim/laptop")))
  }

  @Test mutating func `Of another person's machine, only the presence and the session are known`() {
    _ = connect(["run/4711"])
    let value = owner.value("run/4711", ledger: "two")
    for topic in [Topic.timer(Self.kim, name: "run/4711"), .status(Self.kim)] {
      _ = mirror.received(Delivery(topic, value.payload, isRetained: true), nowUsec: 1)
    }
    #expect(mirror.devices[MirrorOwner(Self.kim)] == nil)
    #expect(mirror.machines.isEmpty && mirror.persons == ["kim"])
  }

  @Test mutating func `A member that crashed with the broker is offline, until it sends something`()
  {
    for name in ["run/4711", "tea"] { _ = owner.set(name) }
    let value = owner.value("run/4711")
    mirror.connected()
    _ = receive(.timer(Self.kim, name: "run/4711"), value.payload, isRetained: true)
    _ = receive(.status(Self.kim), DeviceStatus(timers: 1).payload, isRetained: true)
    _ = receive(DevicePresence(.online, sinceUsec: 1, sentUsec: 1), isRetained: true)
    _ = mirror.markerArrived()
    _ = mirror.markerArrived(of: Self.session)
    #expect(mirror.member(Self.kim, of: Self.session)?.state == .online)
    let absent = mirror.endPresence()
    #expect(absent == [.status(device: MirrorOwner(Self.kim))])
    let lost = mirror.member(Self.kim, of: Self.session)
    #expect(lost?.state == .offline && lost?.names == ["run/4711"])
    // A message in the session is enough.
    _ = receive(.timer(Self.kim, name: "run/4711"), [])
    _ = receive(.status(Self.kim), DeviceStatus(timers: 0).payload)
    #expect(mirror.member(Self.kim, of: Self.session)?.state == .online)
  }

  @Test mutating func `A member that left while this machine was away is gone, and others stay`() {
    _ = connect(["run/4711"])
    _ = receive(.status(Self.kim), DeviceStatus(timers: 1).payload)
    let online = DevicePresence(.online, sinceUsec: 1)
    _ = receive(online, isRetained: true)
    for isThere in [false, true] {
      mirror.disconnected()
      mirror.connected()
      // If the broker has lost everything, the member stays, and counts as offline.
      if isThere { _ = receive(online, isRetained: true) }
      _ = mirror.markerArrived()
      let changes = mirror.markerArrived(of: Self.session)
      #expect(changes.contains(.status(device: "kim/laptop")) == isThere)
      #expect(mirror.member(Self.kim, of: Self.session)?.state == (isThere ? nil : .offline))
    }
    #expect(mirror.devices["kim/laptop"] == nil)
  }

  @Test mutating func `This machine's timers that the broker has lost are gone from its session`() {
    _ = owner.set("run/4711")
    _ = receive(.status(Self.alex), DeviceStatus(timers: 1).payload)
    _ = receive(.timer(Self.alex, name: "run/4711"), owner.value("run/4711").payload)
    #expect(mirror.member(Self.alex, of: Self.session)?.names == ["run/4711"])
    mirror.disconnected()
    mirror.connected()
    _ = mirror.markerArrived(of: Self.session)
    #expect(mirror.member(Self.alex, of: Self.session)?.names == [])
  }

  @Test mutating func `A machine that joins a session is a newcomer there, wherever it was before`()
  {
    mirror.connected()
    _ = mirror.markerArrived()
    _ = receive(DevicePresence(.online, sinceUsec: 1))
    var newcomers = [mirror.takeNewcomer()]
    for payload in [
      DeviceStatus(timers: 0).payload, DeviceStatus(timers: 1).payload, [], [123, 125],
    ] {
      _ = receive(.status(Self.kim), payload)
      newcomers.append(mirror.takeNewcomer())
    }
    #expect(newcomers == [true, true, false, false, true])
  }

  @Test mutating func `Sharing publishes what is there, and leaving removes it, also later`() {
    _ = connect(["run/4711", "run/4711/a", "tea"])
    let values = ["+n/kim/laptop/timer/run/4711", "+n/kim/laptop/timer/run/4711/a"]
    let removals = values.map { "-" + $0.dropFirst() }
    let left = own.takePart(in: Self.session, isShared: false)
    #expect(deliver(left) == removals)
    #expect(take(owner.set("run/4711", "paused")) == [])
    let shared = own.takePart(in: Self.session, isShared: true)
    #expect(deliver(shared) == values)
    // What the broker has of an earlier run is removed if this machine does not share any more.
    _ = own.takePart(in: Self.session, isShared: false)
    own.disconnected()
    own.connected()
    _ = own.received("run/4711", [1], in: Self.session)
    _ = own.markerArrived()
    #expect(!own.isSettled(in: Self.session))
    let removed = own.markerArrived(of: Self.session)
    #expect(deliver(removed) == [removals[0]])
    #expect(own.isSettled(in: Self.session))
  }

  @Test mutating func `A former name of this machine is removed from its sessions, too`() {
    let former = DeviceAddress(person: "alex", device: "old")!
    _ = connect(["run/4711"])
    let value = owner.value("run/4711")
    _ = receive(.timer(former, name: "run/4711"), value.payload)
    _ = receive(.status(former), DeviceStatus(timers: 1).payload)
    for (topic, payload) in [
      (Topic.timer(former, name: "run/4711"), value.payload),
      (.presence(former), DevicePresence(.offline).payload),
    ] { _ = mirror.received(Delivery(topic, payload, isRetained: true), nowUsec: 1) }
    #expect(
      mirror.formerNames(ofLedger: "one") == [
        MirrorOwner(former), MirrorOwner(former, in: Self.session),
      ])
    #expect(mirror.formerNames(ofLedger: "two") == [])
  }
}
