import NightjarMirror
import NightjarModel
import Testing
import Varlink

/// The messages that a machine publishes about its timers.
@Suite struct OwnTimersTests {
  private let address = DeviceAddress(person: "alex", device: "laptop")!
  private var owner = FakeOwner(ledger: "one")

  private func topics(_ publications: [Delivery]) -> [String] {
    publications.map {
      "\($0.payload.isEmpty ? "-" : "+")\($0.topic.text(prefix: "n").dropFirst(14))"
    }
  }

  /// Timers of a known daemon, with a broker that has no messages.
  private mutating func connected(_ names: [String] = []) -> OwnTimers {
    for name in names { _ = owner.set(name) }
    var own = OwnTimers(address: address)
    own.beginSnapshot()
    for reply in owner.snapshot { #expect(own.take(reply, nowUsec: owner.nowUsec) == []) }
    own.connected()
    return own
  }

  @Test mutating func `A timer that is too long for the broker is removed there, and told`() throws
  {
    var own = connected(["egg"])
    let usual = try #require(own.markerArrived().first)
    let bytes = usual.payload.count + usual.topic.text(prefix: "").utf8.count
    // A broker with a smaller limit. It has a former value.
    own.disconnected()
    own.connected(mostBytes: bytes - 1)
    #expect(own.received("egg", usual.payload) == [])
    #expect(topics(own.markerArrived()) == ["-timer/egg"])
    #expect(own.main.tooLong == ["egg"] && own.main.count == 0 && own.isSettled)
    // A timer that fits is published, and a removed one is not told any more.
    #expect(topics(own.take(owner.set("a"), nowUsec: owner.nowUsec)).first == "+timer/a")
    #expect(own.main.tooLong == ["egg"] && own.main.count == 1)
    _ = own.take(owner.remove("egg"), nowUsec: owner.nowUsec)
    #expect(own.main.tooLong == [] && own.main.count == 1)
    // The limit was raised.
    _ = own.take(owner.set("egg"), nowUsec: owner.nowUsec)
    #expect(own.main.tooLong == ["egg"])
    own.disconnected()
    own.connected(mostBytes: bytes)
    #expect(topics(own.markerArrived()) == ["+timer/a", "+timer/egg"])
    #expect(own.main.tooLong == [] && own.main.count == 2)
  }

  /// The broker has these values; nothing is to be sent yet.
  private func receive(_ retained: [Delivery], _ own: inout OwnTimers) {
    for delivery in retained {
      guard case .timer(_, let name) = delivery.topic else { continue }
      #expect(own.received(name, delivery.payload) == [])
    }
  }

  private func json(_ publication: Delivery?) throws -> JSONValue {
    try JSONValue.parse(try #require(publication).payload)
  }

  @Test mutating func `All timers are published once the marker shows that the broker has none`() {
    var own = connected(["egg", "tea"])
    #expect(!own.isSettled)
    #expect(topics(own.markerArrived()) == ["+timer/egg", "+timer/tea"])
    #expect(own.isSettled && own.main.count == 2)
    #expect(own.markerArrived() == [])
  }

  @Test mutating func `Values that the broker has are not sent again, and gone ones are removed`()
    throws
  {
    var first = connected(["egg", "tea"])
    let retained = first.markerArrived()
    // The bridge is restarted; meanwhile one timer was removed, one was changed, and one is new.
    _ = owner.remove("egg")
    _ = owner.set("tea", "paused")
    _ = owner.set("new")
    var own = connected()
    receive(retained, &own)
    let sent = own.markerArrived()
    #expect(topics(sent) == ["-timer/egg", "+timer/new", "+timer/tea"])
    #expect(try sent.dropFirst().map { try json($0)["state"] } == ["running", "paused"])
    // Again without a change: not a byte is sent.
    var again = connected()
    receive(Array(sent.dropFirst()), &again)
    #expect(again.markerArrived() == [])
  }

  /// Each spelling is a topic of its own, and a name would be shown twice.
  @Test mutating func `A name that was started anew in another spelling has one topic`() {
    var first = connected(["caf\u{E9}"])
    let retained = first.markerArrived()
    _ = owner.remove("caf\u{E9}")
    _ = owner.set("cafe\u{301}")
    var own = connected()
    receive(retained, &own)
    let sent = topics(own.markerArrived())
    #expect(sent == ["-timer/caf\u{E9}", "+timer/cafe\u{301}"])
    #expect(sent.map(\.utf8.count) == [12, 13])
    _ = own.take(owner.remove("cafe\u{301}"), nowUsec: owner.nowUsec)
    #expect(own.markerArrived() == [])
  }

  @Test mutating func `A change is one value and one event, and a removal an empty value`() throws {
    var own = connected(["tea"])
    _ = own.markerArrived()
    let paused = own.take(owner.set("tea", "paused"), nowUsec: owner.nowUsec)
    #expect(topics(paused) == ["+timer/tea", "+event"])
    #expect(paused.map(\.isRetained) == [true, false])
    #expect(try json(paused.first)["seq"]?.integerValue == 2)
    let event = try json(paused.last)
    #expect(event["seq"]?.integerValue == 2 && event["ledger"]?.stringValue == "one")
    let removed = own.take(owner.remove("tea"), nowUsec: owner.nowUsec)
    #expect(topics(removed) == ["-timer/tea", "+event"])
    #expect(own.main.count == 0)
  }

  @Test mutating func `The event of a command does not remove its timer`() {
    var own = connected(["tea"])
    _ = own.markerArrived()
    let reply: JSONValue = [
      "event": ["seq": 2, "time_usec": 1, "type": "action_started", "name": "tea", "command": "rm"]
    ]
    #expect(topics(own.take(reply, nowUsec: 1)) == ["+event"])
    #expect(own.main.count == 1)
  }

  @Test mutating func `Commands, environments, paths and output are not published`() throws {
    var own = connected(["tea"])
    let value = own.markerArrived()
    let change = own.take(owner.set("tea", "paused"), nowUsec: owner.nowUsec)
    for publication in value + change {
      let text = String(decoding: publication.payload, as: UTF8.self)
      #expect(!text.contains("secret") && !text.contains("TOKEN"))
    }
    let json = try json(value.first)
    #expect(json["ring"] == ["silent": true] && json["failure"] == nil)
    // The user's own members are published.
    #expect(json.at("labels", "command")?.stringValue == "mine")
  }

  @Test mutating func `Members that change with time are not published while the timer counts`()
    throws
  {
    var own = connected(["tea"])
    let running = try json(own.markerArrived().first)
    for name in ["remaining_usec", "elapsed_usec", "progress", "deadline_boottime_usec"] {
      #expect(running[name] == nil, "\(name)")
    }
    #expect(running["deadline_usec"]?.integerValue != nil)
    let paused = try json(own.take(owner.set("tea", "paused"), nowUsec: owner.nowUsec).first)
    #expect(paused["remaining_usec"]?.integerValue == 42_000_000)
  }

  @Test
  mutating func `A deadline that moved with the clock is published, and a smaller move is not`() {
    var own = connected(["tea"])
    _ = own.markerArrived()
    func moved(_ usec: Int64, seq: Int64 = 1) -> JSONValue {
      let tea = owner.timers["tea"]!
      let deadlineUsec = tea["deadline_usec"]!.integerValue! + usec
      return tea.with(["deadline_usec": .integer(deadlineUsec), "seq": .integer(seq)])
    }
    #expect(own.refresh(moved(50_000), nowUsec: owner.nowUsec) == [])
    #expect(topics(own.refresh(moved(5_000_000), nowUsec: owner.nowUsec)) == ["+timer/tea"])
    // A timer that has had another event since is left to the stream of changes.
    #expect(own.refresh(moved(9_000_000, seq: 7), nowUsec: owner.nowUsec) == [])
    // A move without a connection is published on the next one.
    let published = own.refresh(moved(20_000_000), nowUsec: owner.nowUsec)
    own.disconnected()
    #expect(own.refresh(moved(60_000_000), nowUsec: owner.nowUsec) == [])
    own.connected()
    #expect(own.received("tea", published.first?.payload ?? []) == [])
    #expect(topics(own.markerArrived()) == ["+timer/tea"])
  }

  @Test mutating func `A value that another client wrote is corrected at once`() {
    var own = connected(["tea"])
    _ = own.markerArrived()
    #expect(topics(own.received("tea", Array("{}".utf8))) == ["+timer/tea"])
    #expect(topics(own.received("ghost", Array("{}".utf8))) == ["-timer/ghost"])
    #expect(topics(own.received("tea", [])) == ["+timer/tea"])
  }

  @Test mutating func `Nothing is published before the daemon has shown all timers`() {
    var own = OwnTimers(address: address)
    own.connected()
    #expect(own.received("tea", Array("{}".utf8)) == [])
    #expect(own.markerArrived() == [])
    own.beginSnapshot()
    _ = owner.set("egg")
    let replies = owner.snapshot
    #expect(own.take(replies[0], nowUsec: 1) == [])
    #expect(topics(own.take(replies[1], nowUsec: 1)) == ["+timer/egg", "-timer/tea"])
  }

  @Test mutating func `A name that cannot be a topic is left out and reported`() {
    let deep = Array(repeating: "x", count: 129).joined(separator: "/")
    var own = connected([deep, "tea"])
    #expect(topics(own.markerArrived()) == ["+timer/tea"])
    #expect(own.main.unpublished == [deep])
    _ = own.take(owner.remove(deep), nowUsec: owner.nowUsec)
    #expect(own.main.unpublished == [])
  }

  @Test mutating func `Timers beyond the limit are left out and reported`() {
    let names = (0..<MirrorLimits.timersOfDevice + 2).map { "t\(1_000_000 + $0)" }
    var own = connected(names)
    #expect(own.markerArrived().count == MirrorLimits.timersOfDevice)
    #expect(own.main.unpublished.count == 2)
  }
}
