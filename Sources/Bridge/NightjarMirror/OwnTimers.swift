internal import NightjarInterface
public import NightjarModel
package import Varlink

/// This machine's timers as it publishes them, and their values on the broker.
///
/// This structure performs no I/O: the caller passes it messages of the daemon and of the broker,
/// and it returns the messages to publish. A value is published only if the broker has a different
/// one. So after a restart of the bridge, the daemon or the broker, it publishes only changes. To
/// know the broker's values, it reads the retained messages on each connection, from `connected`
/// until its own marker arrives. The timers and events of a shared session are also published below
/// the session's prefix.
public struct OwnTimers {
  /// The address of the device that publishes.
  public let address: DeviceAddress
  /// The name of the daemon's ledger; nil until the daemon has sent all timers once.
  public private(set) var ledger: String?
  /// The number of the last event that the daemon's messages include.
  public private(set) var lastSeq: Int64?

  /// The timers of the daemon, as they are published, by name.
  private var values: [String: [UInt8]] = [:]
  /// What is published in each session in which this device takes part and, at nil, for the user's
  /// other devices.
  private var parts: [SessionAddress?: PublishedTimers]
  private var ringing = OwnRings()
  /// What the ledger says about rings that ended, were snoozed or opened again, since the last call
  /// of `takeAnswers`.
  private var answers: [(key: RingKey, answer: RingAnswer)] = []
  /// The timers that have arrived so far while the daemon sends all timers; nil: the daemon is not
  /// doing so.
  private var snapshot: [JSONValue]?

  /// Makes the state of a device before the first message of the daemon or the broker.
  public init(address: DeviceAddress) {
    self.address = address
    parts = [nil: PublishedTimers(address)]
  }

  /// The timers that are published for the user's other devices.
  public var main: PublishedTimers { parts[nil, default: PublishedTimers(address)] }

  /// The timers that are published in a session or, for nil, for the user's other devices.
  public func published(in session: SessionAddress?) -> PublishedTimers? { parts[session] }

  /// Whether all timers of the daemon are known, and all values that the broker has.
  public var isSettled: Bool { isSettled(in: nil) }

  /// Whether this device's part in a session is on the broker: if it shares its timers, all of them
  /// are known.
  public func isSettled(in session: SessionAddress?) -> Bool {
    guard let part = parts[session], part.isLive else { return false }
    return isKnown || !part.isShared
  }

  private var isKnown: Bool { ledger != nil && snapshot == nil }

  // MARK: - Sessions

  /// Takes part in a session, or changes whether this device shares its timers there. The caller
  /// then lets the retained messages of the session be read, unless they were read before.
  public mutating func takePart(in session: SessionAddress, isShared: Bool) -> [Delivery] {
    var part = parts[session] ?? PublishedTimers(address, session)
    part.isShared = isShared
    part.setAll(values)
    parts[session] = part
    return reconcile(session)
  }

  /// Ends the part in a session. What the broker has of it stays there.
  public mutating func forget(_ session: SessionAddress) { parts[session] = nil }

  // MARK: - The daemon

  /// Records that the daemon begins to send all timers.
  public mutating func beginSnapshot() { snapshot = [] }

  /// Applies one reply of `Watch` from the daemon.
  ///
  /// - Parameters:
  ///   - reply: the parameters of the reply.
  ///   - nowUsec: the wall clock.
  /// - Returns: the messages to publish. O(1); O(timers) when the daemon has sent all timers.
  package mutating func take(_ reply: JSONValue, nowUsec: Int64) -> [Delivery] {
    if reply["synced"]?.boolValue == true { return endSnapshot(reply, nowUsec: nowUsec) }
    guard snapshot == nil else {
      if let timer = reply["timer"] { snapshot?.append(timer) }
      return []
    }
    return change(reply, nowUsec: nowUsec)
  }

  private mutating func endSnapshot(_ reply: JSONValue, nowUsec: Int64) -> [Delivery] {
    (ledger, lastSeq) = (reply["ledger"]?.stringValue ?? ledger, reply["seq"]?.integerValue)
    guard let timers = snapshot else { return [] }
    (snapshot, values, ringing) = (nil, [:], OwnRings())
    for session in parts.keys { parts[session]?.setAll([:]) }
    for timer in timers { set(timer, nowUsec: nowUsec) }
    return parts.keys.flatMap { reconcile($0) }
  }

  private mutating func change(_ reply: JSONValue, nowUsec: Int64) -> [Delivery] {
    guard let ledger else { return [] }
    let event = reply["event"]
    var name = reply["name"]?.stringValue ?? event?["name"]?.stringValue
    let earlier = name.flatMap { ringing.ring(of: $0) }
    if let timer = reply["timer"] {
      name = timer["name"]?.stringValue
      set(timer, nowUsec: nowUsec)
    } else if let name, !Self.isOfCommand(event) {
      // The reply names a timer and does not contain it, so the daemon has removed it. The daemon
      // always sends a timer that exists, even in a reply that stands for several events.
      set(name, nil)
    }
    if let event {
      lastSeq = event["seq"]?.integerValue ?? lastSeq
      noteAnswer(event, earlier, nowUsec: nowUsec)
    }
    return publish(name, event, ledger)
  }

  /// Publishes a timer that may have changed, and an event, wherever they belong.
  private mutating func publish(
    _ name: String?, _ event: JSONValue?, _ ledger: String
  ) -> [Delivery] {
    parts.keys.flatMap { parts[$0]?.changed(name, event, ledger) ?? [] }
  }

  /// Notes what an event says about the end or the move of a ring.
  private mutating func noteAnswer(
    _ event: JSONValue, _ earlier: (key: RingKey, open: PublishedRing.Open)?, nowUsec: Int64
  ) {
    guard let number = ForeignNumber.read(event["answered"]) else { return }
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
  package mutating func refresh(_ timer: JSONValue, nowUsec: Int64) -> [Delivery] {
    guard isKnown, let ledger, let name = timer["name"]?.stringValue, let value = values[name],
      let known = try? JSONValue.parse(value), known["id"] == timer["id"],
      known["seq"] == timer["seq"]
    else { return [] }
    set(timer, nowUsec: nowUsec)
    return publish(name, nil, ledger)
  }

  private mutating func set(_ timer: JSONValue, nowUsec: Int64) {
    guard let value = TimerValue(timer: timer, ledger: ledger ?? "", nowUsec: nowUsec) else {
      return
    }
    set(value.name, value.payload)
  }

  private mutating func set(_ name: String, _ value: [UInt8]?) {
    values[name] = value
    for session in parts.keys { parts[session]?.set(name, value) }
    // A ring of a timer that is not published cannot be answered elsewhere.
    ringing.set(name, main.values[name])
  }

  // MARK: - The broker

  /// Records that the broker has accepted a connection. The retained messages follow, and then the
  /// marker. `mostBytes`: the most bytes of a value and its topic, without the topic's prefix, that
  /// the broker takes.
  public mutating func connected(mostBytes: Int = .max) {
    for session in parts.keys { parts[session]?.beginReading(mostBytes: mostBytes) }
  }

  /// Records that the broker sends the retained messages of a session again.
  public mutating func beginReading(_ session: SessionAddress) {
    let mostBytes = main.mostBytes
    parts[session]?.beginReading(mostBytes: mostBytes)
  }

  public mutating func disconnected() {
    for session in parts.keys { parts[session]?.disconnected() }
  }

  /// Applies a message on the topic of one of this device's timers. Another client or an earlier
  /// connection has sent it, because the broker does not send this bridge its own messages.
  ///
  /// - Returns: the messages to publish. Empty until all retained messages have arrived. After
  ///   that, the daemon's value of the timer if the message has a different value.
  public mutating func received(
    _ name: String, _ payload: [UInt8], in session: SessionAddress? = nil
  ) -> [Delivery] {
    parts[session]?.received(name, payload, isKnown: ledger != nil) ?? []
  }

  /// Records that the marker has arrived, and so all retained messages of this device.
  public mutating func markerArrived(of session: SessionAddress? = nil) -> [Delivery] {
    parts[session]?.endReading() == true ? reconcile(session) : []
  }

  /// Publishes each timer of which the broker has a different value. Removes timers from the broker
  /// that the daemon does not have. O(timers).
  private mutating func reconcile(_ session: SessionAddress?) -> [Delivery] {
    isSettled(in: session) ? parts[session]?.reconcile() ?? [] : []
  }

  /// What the daemon's events since the last call say about rings that ended, were snoozed or
  /// opened again, for the other machines.
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
}
