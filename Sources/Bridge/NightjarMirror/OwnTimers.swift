internal import NightjarInterface
public import NightjarModel
package import Varlink

/// This machine's timers as it publishes them, and their values on the broker.
///
/// This structure performs no I/O: the caller passes it messages of the daemon and of the broker,
/// and it returns the messages to publish. A value is published only if the broker has a different
/// one. So after a restart of the bridge, the daemon or the broker, it publishes only changes. To
/// know the broker's values, it reads the retained messages on each connection, from `connected`
/// until its own marker arrives.
public struct OwnTimers {
  private enum Phase {
    /// There is no connection to the broker.
    case away
    /// The broker is sending its retained messages.
    case reading
    /// All values of the broker are known.
    case live
  }

  /// The address of the device that publishes.
  public let address: DeviceAddress
  /// The session in which the device publishes; nil: it publishes for the user's other devices.
  public let session: SessionAddress?
  /// The name of the daemon's ledger; nil until the daemon has sent all timers once.
  public private(set) var ledger: String?
  /// The number of the last event that the daemon's messages include.
  public private(set) var lastSeq: Int64?
  /// The timers that cannot be published: their names have too many segments, or the limit of
  /// published timers is reached.
  public private(set) var unpublished: Set<String> = []
  /// The timers that are too long for the broker.
  public private(set) var tooLong: Set<String> = []
  /// The most bytes of a value and its topic, without the topic's prefix, that the broker takes.
  private var mostBytes = Int.max

  private var phase = Phase.away
  /// The timers of the daemon, as they are published, by name.
  private var values: [String: [UInt8]] = [:]
  /// The digest of these timers, for the device's status.
  public private(set) var digest = TimerDigest()
  /// The values on the broker, by the timer's name. They are complete only in the phase `live`.
  private var published: [String: [UInt8]] = [:]
  private var ringing = OwnRings()
  /// What the ledger says about rings that ended, were snoozed or opened again, since the last call
  /// of `takeAnswers`.
  private var answers: [(key: RingKey, answer: RingAnswer)] = []
  /// The timers that have arrived so far while the daemon sends all timers; nil: the daemon is not
  /// doing so.
  private var snapshot: [JSONValue]?

  /// Makes the state of a device before the first message of the daemon or the broker.
  ///
  /// - Parameter session: publish only the timers and events of this session; nil: publish all.
  public init(address: DeviceAddress, session: SessionAddress? = nil) {
    self.address = address
    self.session = session
  }

  /// Whether a timer of this name belongs to the session, if there is one, and so is to be
  /// published.
  private func isIncluded(_ name: String) -> Bool {
    session?.includes(name) ?? true
  }

  private func canPublish(_ name: String) -> Bool {
    guard Topic.canPublish(name) else { return false }
    return session.map { $0.shownName(of: name, on: address) != nil } ?? true
  }

  /// The published values of all timers, by their names.
  package var payloads: [String: [UInt8]] { values }

  /// The number of timers that should be on the broker.
  public var count: Int { values.count - tooLong.count }

  /// Whether all timers of the daemon are known, and all values that the broker has.
  public var isSettled: Bool { phase == .live && ledger != nil && snapshot == nil }

  // MARK: - The daemon

  /// Records that the daemon begins to send all timers.
  public mutating func beginSnapshot() { snapshot = [] }

  /// Applies one reply of `Watch` from the daemon.
  ///
  /// - Parameters:
  ///   - reply: the parameters of the reply.
  ///   - nowUsec: the wall clock.
  /// - Returns: the messages to publish. O(1); O(timers) when the daemon has sent all timers.
  package mutating func take(_ reply: JSONValue, nowUsec: Int64) -> [Publication] {
    if reply["synced"]?.boolValue == true { return endSnapshot(reply, nowUsec: nowUsec) }
    guard snapshot == nil else {
      if let timer = reply["timer"] { snapshot?.append(timer) }
      return []
    }
    return change(reply, nowUsec: nowUsec)
  }

  private mutating func endSnapshot(_ reply: JSONValue, nowUsec: Int64) -> [Publication] {
    (ledger, lastSeq) = (reply["ledger"]?.stringValue ?? ledger, reply["seq"]?.integerValue)
    guard let timers = snapshot else { return [] }
    snapshot = nil
    (values, digest, ringing) = ([:], TimerDigest(), OwnRings())
    (unpublished, tooLong) = ([], [])
    for timer in timers { set(timer, nowUsec: nowUsec) }
    return reconcile()
  }

  private mutating func change(_ reply: JSONValue, nowUsec: Int64) -> [Publication] {
    guard let ledger else { return [] }
    let event = reply["event"]
    var result: [Publication] = []
    var name = reply["name"]?.stringValue ?? event?["name"]?.stringValue
    let earlier = name.flatMap { ringing.ring(of: $0) }
    if let timer = reply["timer"] {
      name = timer["name"]?.stringValue
      set(timer, nowUsec: nowUsec)
    } else if let name, !Self.isOfCommand(event) {
      // The reply names a timer and does not contain it, so the daemon has removed it. The daemon
      // always sends a timer that exists, even in a reply that stands for several events.
      if let old = values.removeValue(forKey: name) { digest.toggle(old) }
      ringing.set(name, nil)
      unpublished.remove(name)
    }
    if let event {
      lastSeq = event["seq"]?.integerValue ?? lastSeq
      noteAnswer(event, earlier, nowUsec: nowUsec)
      // In a session, events of the machine are not published.
      if phase == .live, session == nil || event["name"]?.stringValue.map(isIncluded) == true {
        let payload = EventValue.payload(forOthers(event), ledger: ledger)
        result.append(Publication(.event(address), payload))
      }
    }
    // Publish the value before the event: a reader of the event must already have the value.
    if phase == .live, let name { result = update(name) + result }
    return result
  }

  /// Notes what an event says about the end or the move of a ring.
  private mutating func noteAnswer(
    _ event: JSONValue, _ earlier: (key: RingKey, open: PublishedRing.Open)?, nowUsec: Int64
  ) {
    // In a session, no member answers another's ring.
    guard session == nil, let number = ForeignNumber.read(event["answered"]) else { return }
    let present = event["name"]?.stringValue.flatMap { ringing.ring(of: $0) }
    guard
      let ring = [present, earlier].compactMap({ $0 }).first(where: { $0.key.expiry == number })
    else { return }
    let kind: RingAnswer.Kind
    switch event["type"]?.stringValue.map(Wire.EventType.init(rawValue:)) {
    case .undone: kind = .undone
    case .snoozed:
      guard let untilUsec = ring.open.snoozedUntilUsec else { return }
      kind = .snoozed(untilUsec: untilUsec)
    default: kind = .dismissed
    }
    let answer = RingAnswer(
      kind, dueUsec: ring.open.dueUsec, device: address.device, sentUsec: nowUsec)
    answers.append((ring.key, answer))
  }

  /// The event as members of the session may see it. If a timer was renamed, its other name is left
  /// out unless that name belongs to the session, too.
  private func forOthers(_ event: JSONValue) -> JSONValue {
    guard session != nil else { return event }
    return .object(
      (event.objectValue ?? []).filter { member in
        guard member.key == "new_name" || member.key == "old_name" else { return true }
        return member.value.stringValue.map(isIncluded) ?? true
      })
  }

  /// Whether it is an event of a command. Such an event arrives without its timer.
  private static func isOfCommand(_ event: JSONValue?) -> Bool {
    guard let type = event?["type"]?.stringValue else { return false }
    return Wire.EventType.actionEvent.contains(.init(rawValue: type))
  }

  /// Applies a timer's present state. The bridge asks the daemon for it, because a change of the
  /// clock may move a deadline without an event of the timer. Does nothing if the timer has had
  /// another event since: the stream delivers that event.
  ///
  /// - Returns: the messages to publish. O(bytes of the timer).
  package mutating func refresh(_ timer: JSONValue, nowUsec: Int64) -> [Publication] {
    guard isSettled, let name = timer["name"]?.stringValue, let value = values[name],
      let known = try? JSONValue.parse(value), known["id"] == timer["id"],
      known["seq"] == timer["seq"]
    else { return [] }
    set(timer, nowUsec: nowUsec)
    return update(name)
  }

  private mutating func set(_ timer: JSONValue, nowUsec: Int64) {
    guard let value = TimerValue(timer: timer, ledger: ledger ?? "", nowUsec: nowUsec) else {
      return
    }
    guard isIncluded(value.name) else { return }
    let limit =
      session == nil ? MirrorLimits.timersOfDevice : SessionAddress.timersOfMember
    let isNew = values[value.name] == nil
    guard canPublish(value.name), !isNew || values.count < limit else {
      unpublished.insert(value.name)
      return
    }
    unpublished.remove(value.name)
    if let old = values[value.name] { digest.toggle(old) }
    values[value.name] = value.payload
    digest.toggle(value.payload)
    ringing.set(value.name, value.payload)
  }

  // MARK: - The broker

  /// Records that the broker has accepted a connection. The retained messages follow, and then the
  /// marker. `mostBytes`: the most bytes of a value and its topic, without the topic's prefix, that
  /// the broker takes.
  public mutating func connected(mostBytes: Int = .max) {
    phase = .reading
    (published, tooLong, self.mostBytes) = ([:], [], mostBytes)
  }

  public mutating func disconnected() {
    phase = .away
    published = [:]
  }

  /// Applies a message on the topic of one of this device's timers. Another client or an earlier
  /// connection has sent it, because the broker does not send this bridge its own messages.
  ///
  /// - Returns: the messages to publish. Empty until all retained messages have arrived. After
  ///   that, the daemon's value of the timer if the message has a different value.
  public mutating func received(_ name: String, _ payload: [UInt8]) -> [Publication] {
    switch phase {
    case .away: return []
    case .reading:
      published[name] = payload.isEmpty ? nil : payload
      return []
    case .live:
      published[name] = payload.isEmpty ? nil : payload
      return ledger == nil ? [] : update(name)
    }
  }

  /// Records that the marker has arrived, and so all retained messages of this device.
  public mutating func markerArrived() -> [Publication] {
    guard phase == .reading else { return [] }
    phase = .live
    return reconcile()
  }

  /// Publishes each timer of which the broker has a different value. Removes timers from the broker
  /// that the daemon does not have. O(timers).
  private mutating func reconcile() -> [Publication] {
    guard isSettled else { return [] }
    let names = Set(values.keys).union(published.keys)
    return names.sorted().flatMap { update($0) }
  }

  /// What the daemon's events since the last call say about rings that ended, were snoozed or opened
  /// again, for the other machines.
  public mutating func takeAnswers() -> [(key: RingKey, answer: RingAnswer)] {
    defer { answers = [] }
    return answers
  }

  /// The answers of other machines to the rings that opened or changed since the last call.
  public mutating func takeAnswered(_ answers: RingAnswers) -> [AnsweredElsewhere] {
    ringing.takeAnswered(answers, address.device)
  }

  /// The effect of the answer to `key` on this machine's timers; nil: it has none, because its ring
  /// is over.
  public func answered(_ key: RingKey, _ answers: RingAnswers) -> AnsweredElsewhere? {
    ringing.answered(key, answers, address.device)
  }

  /// All open rings are to be compared with the answers again. O(rings).
  public mutating func renewRings() { ringing.renew() }

  /// The messages that replace the broker's value of a timer by the daemon's value. There are none
  /// if the values are equal, and two if the name on the broker has another spelling of Unicode,
  /// which is another topic.
  private mutating func update(_ name: String) -> [Publication] {
    let (value, known) = (values[name], published[name])
    let topic = Topic.timer(address, name: name)
    tooLong.remove(name)
    if let value, value.count + topic.text(prefix: "").utf8.count > mostBytes {
      tooLong.insert(name)
    }
    let sent = tooLong.contains(name) ? nil : value
    if let sent, let known, TimerValue.isSame(sent, known) { return [] }
    var result: [Publication] = []
    if let old = published.index(forKey: name).map({ published.remove(at: $0).key }),
      sent == nil || !old.utf8.elementsEqual(name.utf8)
    {
      result.append(Publication(.timer(address, name: old), [], isRetained: true))
    }
    guard let sent else { return result }
    published[name] = sent
    return result + [Publication(topic, sent, isRetained: true)]
  }
}
