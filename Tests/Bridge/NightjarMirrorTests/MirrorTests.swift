import NightjarMirror
import NightjarModel
import Testing
import Varlink

/// A machine's knowledge of the user's other machines.
@Suite struct MirrorTests {
  private let laptop = DeviceAddress(person: "alex", device: "laptop")!
  private let desktop = DeviceAddress(person: "alex", device: "desktop")!
  private var owner = FakeOwner(ledger: "one")
  private var mirror: Mirror

  init() { mirror = Mirror(own: laptop) }

  private mutating func receive(
    _ topic: Topic, _ payload: [UInt8], isRetained: Bool = false, nowUsec: Int64? = nil
  ) -> [MirrorChange] {
    mirror.received(
      Delivery(topic, payload, isRetained: isRetained), nowUsec: nowUsec ?? owner.nowUsec)
  }

  private mutating func receive(_ name: String, isRetained: Bool = false) -> [MirrorChange] {
    receive(.timer(desktop, name: name), owner.value(name).payload, isRetained: isRetained)
  }

  private mutating func receive(
    _ presence: DevicePresence, isRetained: Bool = false, nowUsec: Int64? = nil
  ) -> [MirrorChange] {
    receive(.presence(desktop), presence.payload, isRetained: isRetained, nowUsec: nowUsec)
  }

  private mutating func event(
    _ type: String, _ seq: Int64, of name: String? = nil, ledger: String = "one"
  ) -> [MirrorChange] {
    let event: JSONValue = [
      "ledger": .string(ledger), "seq": .integer(seq), "type": .string(type),
      "name": name.map { .string($0) } ?? .null,
    ]
    return receive(.event(desktop), event.bytes)
  }

  /// Timers that the owner has started, and published.
  private mutating func know(_ names: String...) {
    for name in names {
      _ = owner.set(name)
      _ = receive(name)
    }
  }

  private func shown(_ name: String, atUsec: Int64) -> JSONValue? {
    mirror.devices["desktop"]?.timer(name, realtimeUsec: atUsec, boottimeUsec: 5_000_000)
  }

  @Test mutating func `A timer is shown as its owner would show it now`() throws {
    _ = owner.set("tea")
    #expect(receive("tea") == [.timer(device: "desktop", name: "tea")])
    let timer = try #require(shown("tea", atUsec: owner.nowUsec + 12_000_000))
    #expect(timer["remaining_usec"]?.integerValue == 30_000_000)
    #expect(timer["elapsed_usec"]?.integerValue == 30_000_000)
    #expect(timer["progress"]?.doubleValue == 0.5)
    #expect(timer["deadline_boottime_usec"]?.integerValue == 35_000_000)
    #expect(timer["ledger"] == nil)
    // The deadline is past: the remaining time is zero, not negative.
    #expect(shown("tea", atUsec: owner.nowUsec + 99_000_000)?["remaining_usec"]?.integerValue == 0)
  }

  @Test(arguments: [DevicePresence.State.asleep, .offline, .noDaemon])
  mutating func `A timer that counts only on its machine is shown as it was when that one left`(
    state: DevicePresence.State
  ) throws {
    let timer = try #require(owner.set("tea")["timer"])
      .with(["clock": "awake", "deadline_boottime_usec": .null])
    let value = try #require(TimerValue(timer: timer, ledger: "one", nowUsec: owner.nowUsec))
    _ = receive(.timer(desktop, name: "tea"), value.payload)
    let begunUsec = owner.nowUsec
    func publish(_ state: DevicePresence.State, sinceUsec: Int64) {
      _ = receive(
        DevicePresence(state, sinceUsec: sinceUsec, sentUsec: sinceUsec), nowUsec: sinceUsec)
    }
    publish(.online, sinceUsec: begunUsec)
    let running = shown("tea", atUsec: begunUsec + 30_000_000)
    #expect(running?["remaining_usec"] == 12_000_000 && running?["away"] == nil)
    publish(state, sinceUsec: begunUsec + 20_000_000)
    let still = shown("tea", atUsec: begunUsec + 99_000_000)
    #expect(still?["remaining_usec"] == 22_000_000 && still?["elapsed_usec"] == 38_000_000)
    #expect(still?["away"] == true && still?["deadline_usec"] == nil)
    publish(.online, sinceUsec: begunUsec + 99_000_000)
    #expect(shown("tea", atUsec: begunUsec + 99_000_000)?["remaining_usec"] == 0)
  }

  @Test mutating func `A will shows when the broker lost the device, also to later readers`() {
    let payload = DevicePresence(.offline).payload
    let nowUsec: Int64 = 2_000_000_000_000_000
    for (left, sinceUsec) in [
      (DevicePresence.willSeconds, nowUsec),
      (DevicePresence.willSeconds - 90, nowUsec - 90_000_000),
    ] {
      let delivery = Delivery(.presence(desktop), payload, isRetained: true, expirySeconds: left)
      _ = mirror.received(delivery, nowUsec: nowUsec)
      #expect(mirror.devices["desktop"]?.sinceUsec == sinceUsec)
    }
    // A broker that does not count down reveals nothing, and neither does a number that no bridge
    // has set.
    for left in [nil, DevicePresence.willSeconds + 1] {
      _ = mirror.received(
        Delivery(.presence(desktop), payload, isRetained: true, expirySeconds: left),
        nowUsec: nowUsec)
      #expect(mirror.devices["desktop"]?.sinceUsec == nil)
    }
  }

  @Test mutating func `Times of another machine are shown as they are, whatever its clock shows`()
    throws
  {
    _ = owner.set("tea")
    let oursUsec = owner.nowUsec - 300_000_000
    _ = receive(.timer(desktop, name: "tea"), owner.value("tea").payload, nowUsec: oursUsec)
    _ = receive(DevicePresence(.asleep, sinceUsec: owner.nowUsec), nowUsec: oursUsec)
    #expect(mirror.devices["desktop"]?.sinceUsec == owner.nowUsec)
    let timer = try #require(shown("tea", atUsec: oursUsec))
    #expect(timer["deadline_usec"]?.integerValue == owner.nowUsec + 42_000_000)
    #expect(timer["remaining_usec"]?.integerValue == 342_000_000)
  }

  @Test mutating func `A will does not undo what its bridge has said about its clock`() {
    for isSynchronized in [true, false] {
      _ = receive(.status(desktop), DeviceStatus(isSynchronized: isSynchronized).payload)
      for state in [DevicePresence.State.online, .offline] {
        _ = receive(DevicePresence(state))
      }
      #expect(mirror.devices["desktop"]?.state == .offline)
      #expect(mirror.devices["desktop"]?.status?.isSynchronized == isSynchronized)
    }
  }

  // MARK: - Presence

  /// What a machine is in the mirror at the marker and after the time in which it has to send
  /// something.
  private mutating func states(
    _ presence: DevicePresence, then messages: [DevicePresence] = []
  ) -> [DevicePresence.State?] {
    mirror.disconnected()
    mirror.connected()
    _ = receive(presence, isRetained: true)
    _ = mirror.markerArrived()
    for message in messages { _ = receive(message) }
    var states = [mirror.devices["desktop"]?.state]
    _ = mirror.endPresence()
    states.append(mirror.devices["desktop"]?.state)
    return states
  }

  @Test
  mutating func
    `A machine that crashed with its broker is offline to a newcomer, until it sends something`()
  {
    for state in [DevicePresence.State.online, .noDaemon] {
      let retained = DevicePresence(state, sinceUsec: 1, sentUsec: 1)
      #expect(states(retained) == [state, .offline])
      #expect(mirror.devices["desktop"]?.sinceUsec == nil)
      // The same retained message, read again, changes nothing.
      mirror.connected()
      _ = receive(retained, isRetained: true)
      #expect(mirror.devices["desktop"]?.state == .offline)
      _ = mirror.markerArrived()
      _ = owner.set("tea")
      #expect(receive("tea").contains(.status(device: "desktop")))
      #expect(mirror.devices["desktop"]?.state == state)
      #expect(mirror.devices["desktop"]?.sinceUsec == 1)
    }
    _ = mirror.takeNewcomer()
    // Whoever answers the newcomer stays what it is, and so does a machine that is asleep.
    let online = DevicePresence(.online, sinceUsec: 2, sentUsec: 2)
    let answer = DevicePresence(.online, sinceUsec: 2, sentUsec: 3)
    #expect(states(online, then: [answer]) == [.online, .online])
    let isNew = mirror.takeNewcomer()
    #expect(!isNew)
    #expect(states(DevicePresence(.asleep, sinceUsec: 4)) == [.asleep, .asleep])
    // The broker loses a machine that has answered.
    let will = DevicePresence(.offline)
    #expect(states(online, then: [answer, will]) == [.offline, .offline])
  }

  @Test mutating func `A machine answers a newcomer once for each of its connections`() {
    func connect(_ state: DevicePresence.State = .online, sinceUsec: Int64?) -> Bool {
      _ = receive(DevicePresence(state, sinceUsec: sinceUsec))
      return mirror.takeNewcomer()
    }
    mirror.connected()
    _ = mirror.markerArrived()
    #expect(connect(sinceUsec: 1))
    // The same connection: it answers others, and its daemon is killed and started again.
    #expect(!connect(sinceUsec: 1))
    #expect(!connect(.noDaemon, sinceUsec: 2))
    #expect(!connect(sinceUsec: 3))
    for away in [DevicePresence.State.offline, .asleep] {
      #expect(!connect(away, sinceUsec: nil))
      #expect(connect(sinceUsec: 4))
    }
    // After a crash of the broker, its retained message is about the earlier connection.
    mirror.disconnected()
    mirror.connected()
    _ = receive(DevicePresence(.online, sinceUsec: 4), isRetained: true)
    let isNew = mirror.takeNewcomer()
    #expect(!isNew)
    #expect(connect(sinceUsec: 5))
  }

  @Test mutating func `An empty value removes the timer`() {
    know("tea")
    #expect(
      receive(.timer(desktop, name: "tea"), []) == [
        .timer(device: "desktop", name: "tea"), .status(device: "desktop"),
      ])
    #expect(mirror.devices.isEmpty)
  }

  @Test
  mutating func `Values that did not arrive again on a new connection are removed at the marker`() {
    know("egg", "tea")
    mirror.disconnected()
    // Meanwhile the known timers are shown.
    #expect(mirror.devices["desktop"]?.names == ["egg", "tea"])
    mirror.connected()
    _ = receive("tea", isRetained: true)
    #expect(mirror.devices["desktop"]?.names == ["egg", "tea"])
    #expect(mirror.markerArrived().first == .timer(device: "desktop", name: "egg"))
    #expect(mirror.devices["desktop"]?.names == ["tea"])
  }

  @Test mutating func `Messages of this machine, of other persons, and invalid timers are ignored`()
    throws
  {
    _ = owner.set("tea")
    let payload = owner.value("tea").payload
    let sam = try #require(DeviceAddress(person: "sam", device: "desktop"))
    #expect(receive(.timer(laptop, name: "tea"), payload) == [])
    #expect(receive(.timer(sam, name: "tea"), payload) == [])
    #expect(mirror.devices.isEmpty && mirror.droppedCount == 0)
    for bad in ["{", "[]", "{\"name\":\"tea\"}", "\u{0}"] {
      #expect(
        receive(.timer(desktop, name: "tea"), Array(bad.utf8)) == [.status(device: "desktop")])
    }
    // A value under another name.
    #expect(receive(.timer(desktop, name: "egg"), payload) == [.status(device: "desktop")])
    #expect(mirror.devices.isEmpty && mirror.droppedCount == 5)
  }

  @Test mutating func `A gap in the events, or too few timers, causes a question to the owner`() {
    know("tea")
    func changes(_ seq: Int64, ledger: String = "one") -> [MirrorChange] {
      event("started", seq, ledger: ledger).filter { $0 == .gap(device: "desktop") }
    }
    #expect(changes(5) == [])
    #expect(changes(6) == [])
    #expect(changes(6) == [], "the same once more")
    #expect(changes(8) == [.gap(device: "desktop")])
    #expect(changes(1, ledger: "two") == [], "a ledger begun anew has numbers of its own")

    // The digests of one and of two timers.
    var own = OwnTimers(address: desktop)
    own.beginSnapshot()
    for reply in owner.snapshot { _ = own.take(reply, nowUsec: 1) }
    let one = own.main.digest.text
    _ = own.take(owner.set("egg"), nowUsec: 1)
    let two = own.main.digest.text

    mirror.connected()
    _ = receive("tea", isRetained: true)
    var status = DeviceStatus(digest: two)
    _ = receive(DevicePresence(.online), isRetained: true)
    _ = receive(.status(desktop), status.payload, isRetained: true)
    #expect(mirror.markerArrived() == [.gap(device: "desktop")])
    status.digest = one
    #expect(receive(.status(desktop), status.payload) == [.status(device: "desktop")])
    status.digest = two
    #expect(
      receive(.status(desktop), status.payload) == [
        .status(device: "desktop"), .gap(device: "desktop"),
      ])
    _ = receive("egg")
    #expect(receive(.status(desktop), status.payload) == [.status(device: "desktop")])
    // A timer that is gone is noticed, too.
    status.digest = one
    #expect(receive(.status(desktop), status.payload).contains(.gap(device: "desktop")))
  }

  @Test mutating func `The owner's answer applies, unless newer values have arrived meanwhile`() {
    know("egg", "tea")
    let before = owner
    let values = ["egg", "tea"].map { before.value($0) }
    // One timer is paused and one is started while the answer is on its way.
    _ = owner.set("tea", "paused")
    _ = receive("tea")
    know("new")
    #expect(mirror.merge(values, of: "desktop", ledger: "one", lastSeq: before.lastSeq) == [])
    #expect(mirror.devices["desktop"]?.names == ["egg", "new", "tea"])
    #expect(shown("tea", atUsec: 0)?["state"]?.stringValue == "paused")
    // Later the owner has only one of them.
    let last = mirror.merge(
      Array(values.prefix(1)), of: "desktop", ledger: "one", lastSeq: owner.lastSeq)
    #expect(last == ["new", "tea"].map { .timer(device: "desktop", name: $0) })
  }

  @Test(arguments: [
    ("duration_usec", Int64.max), ("duration_usec", -1), ("remaining_usec", .min),
    ("remaining_usec", .max), ("deadline_usec", .max), ("deadline_usec", .min), ("id", .min),
    ("seq", .max), ("started_usec", .min), ("next_expiry", .max), ("elapsed_usec", .min),
    ("counts_from_usec", .max),
  ])
  mutating func `A number that no daemon sends is refused, so that no sum overflows`(
    member: String, number: Int64
  ) throws {
    _ = owner.set("tea")
    let json = try JSONValue.parse(owner.value("tea").payload).with([member: .integer(number)])
    #expect(receive(.timer(desktop, name: "tea"), json.bytes) == [.status(device: "desktop")])
    #expect(mirror.droppedCount == 1 && mirror.devices.isEmpty)
  }

  @Test mutating func `Events and statuses with such numbers overflow nothing`() {
    know("tea")
    for seq in [Int64.min, .max, 5, .max, 6] { _ = event("paused", seq) }
    #expect(mirror.devices["desktop"]?.lastEvent?.seq == 6)
    let status: JSONValue = ["last_seq": .integer(.max), "timers": .integer(.min)]
    _ = receive(.status(desktop), status.bytes)
    #expect(mirror.devices["desktop"]?.status == DeviceStatus())
    let presence: JSONValue = [
      "state": "online", "since_usec": .integer(.max), "sent_usec": .integer(.min),
    ]
    _ = receive(.presence(desktop), presence.bytes)
    #expect(mirror.devices["desktop"]?.presence == DevicePresence(.online))
  }

  @Test mutating func `If a timer's value did not arrive before its event, the owner is asked`() {
    know("tea")
    #expect(event("started", 1, of: "tea").count == 1)
    #expect(event("paused", 2, of: "tea").first == .gap(device: "desktop"))
    let ofCommand = event("action_started", 3, of: "tea")
    #expect(ofCommand.count == 1, "a command leaves its timer as it is")
  }

  @Test mutating func `The timers of a faulty device are limited, and so are devices`() throws {
    for number in 0..<MirrorLimits.timersOfDevice + 10_000 { know("t\(number)") }
    #expect(mirror.devices["desktop"]?.count == MirrorLimits.timersOfDevice)
    #expect(mirror.droppedCount == 10_000)
    for number in 0..<MirrorLimits.devices + 9 {
      let address = try #require(DeviceAddress(person: "alex", device: "d\(number)"))
      _ = receive(.presence(address), DevicePresence(.online).payload)
    }
    #expect(mirror.devices.count == MirrorLimits.devices)
    let long = Array(repeating: UInt8(ascii: " "), count: MirrorLimits.messageBytes + 1)
    let dropped = mirror.droppedCount
    #expect(receive(.status(desktop), long) == [])
    #expect(mirror.droppedCount == dropped + 1)
  }
}
