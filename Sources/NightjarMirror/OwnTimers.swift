internal import NightjarInterface
public import NightjarModel
package import NightjarVarlink

/// What this machine publishes of its timers, and what the broker has of them.
///
/// It is pure: it gets what the daemon and the broker said, and returns what is to be published. It publishes a value
/// only if the broker has another one, so that a restart of the bridge, of the daemon or of the broker costs no more
/// than what changed. For this it reads what the broker retained, whenever it is connected: from `connected` on it
/// takes the retained messages, until its own marker arrives.
public struct OwnTimers {
  private enum Phase {
    /// There is no connection to the broker.
    case away
    /// The retained values are on their way.
    case reading
    /// What the broker has is in `published`.
    case live
  }

  /// The device that publishes.
  public let address: DeviceAddress
  /// The session for which it publishes; nil: for the person's other devices.
  public let session: SessionAddress?
  /// The name of the daemon's ledger; nil until the daemon has shown all timers once.
  public private(set) var ledger: String?
  /// The number of the last event that is in what the daemon showed.
  public private(set) var lastSeq: Int64?
  /// The names that no topic can have, because they have too many segments.
  public private(set) var unpublished: Set<String> = []

  private var phase = Phase.away
  /// The daemon's timers.
  private var values: [String: [UInt8]] = [:]
  /// Which timers these are.
  public private(set) var digest = TimerDigest()
  /// What the broker has, as far as is known.
  private var published: [String: [UInt8]] = [:]
  private var ringing = OwnRings()
  /// The timers of a snapshot that the daemon has begun, as it showed them; nil: it has begun none.
  private var snapshot: [JSONValue]?

  /// The timers of a device, of which neither the daemon nor the broker has said anything yet.
  ///
  /// - Parameter session: only the timers of this session are published, and their events; nil: all.
  public init(address: DeviceAddress, session: SessionAddress? = nil) {
    self.address = address
    self.session = session
  }

  /// Whether a timer of this name is to be published.
  private func isMeant(_ name: String) -> Bool {
    session?.includes(name) ?? true
  }

  /// Whether a timer of this name can be published.
  private func canPublish(_ name: String) -> Bool {
    guard Topic.canPublish(name) else { return false }
    return session.map { $0.shownName(of: name, on: address) != nil } ?? true
  }

  /// The published values of all timers, by their names.
  package var payloads: [String: [UInt8]] { values }

  /// How many timers are to be on the broker.
  public var count: Int { values.count }

  /// Whether all timers of the daemon are known, and what the broker has of them.
  public var isSettled: Bool { phase == .live && ledger != nil && snapshot == nil }

  // MARK: - The daemon

  /// The daemon begins to show all timers.
  public mutating func beginSnapshot() { snapshot = [] }

  /// Takes one reply of `Watch`.
  ///
  /// - Parameters:
  ///   - reply: the parameters of the reply.
  ///   - nowUsec: the wall clock.
  /// - Returns: what is to be published. O(1), at the end of a snapshot O(timers).
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
    (values, digest) = ([:], TimerDigest())
    unpublished = []
    for timer in timers { set(timer, nowUsec: nowUsec) }
    return reconcile()
  }

  private mutating func change(_ reply: JSONValue, nowUsec: Int64) -> [Publication] {
    guard let ledger else { return [] }
    let event = reply["event"]
    var result: [Publication] = []
    var name = reply["name"]?.stringValue ?? event?["name"]?.stringValue
    if let timer = reply["timer"] {
      name = timer["name"]?.stringValue
      set(timer, nowUsec: nowUsec)
    } else if let name, !Self.isOfCommand(event) {
      // The daemon shows each timer that is there, also where it says that events were missed.
      if let old = values.removeValue(forKey: name) { digest.toggle(old) }
      unpublished.remove(name)
    }
    if let event {
      lastSeq = event["seq"]?.integerValue ?? lastSeq
      // What happens to the machine is not for others.
      if phase == .live, session == nil || event["name"]?.stringValue.map(isMeant) == true {
        let payload = EventValue.payload(forOthers(event), ledger: ledger, nowUsec: nowUsec)
        result.append(Publication(.event(address), payload))
      }
    }
    // The value before the event: a reader that has the event has the value it speaks of.
    if phase == .live, let name, let update = update(name) { result.insert(update, at: 0) }
    return result
  }

  /// An event without the name that a timer has outside the session.
  private func forOthers(_ event: JSONValue) -> JSONValue {
    guard session != nil else { return event }
    return .object(
      (event.objectValue ?? []).filter { member in
        guard member.key == "new_name" || member.key == "old_name" else { return true }
        return member.value.stringValue.map(isMeant) ?? true
      })
  }

  /// Events of commands come without the timer that they belong to.
  private static func isOfCommand(_ event: JSONValue?) -> Bool {
    event?["type"]?.stringValue.flatMap(TimersInterface.ActionEvent.init(rawValue:)) != nil
  }

  /// Takes a timer as it is now, beside the stream of changes: its deadline may have moved with the clock. One that
  /// has had another event is in the stream, and is left to it.
  ///
  /// - Returns: what is to be published. O(bytes of the timer).
  package mutating func refresh(_ timer: JSONValue, nowUsec: Int64) -> [Publication] {
    guard isSettled, let name = timer["name"]?.stringValue, let value = values[name],
      let known = try? JSONValue.parse(value), known["id"] == timer["id"],
      known["seq"] == timer["seq"]
    else { return [] }
    set(timer, nowUsec: nowUsec)
    return update(name).map { [$0] } ?? []
  }

  private mutating func set(_ timer: JSONValue, nowUsec: Int64) {
    guard let value = TimerValue(timer: timer, ledger: ledger ?? "", nowUsec: nowUsec) else {
      return
    }
    guard isMeant(value.name) else { return }
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
  }

  // MARK: - The broker

  /// A connection to the broker is there: its retained messages come next, and behind them the marker.
  public mutating func connected() {
    phase = .reading
    published = [:]
  }

  /// The connection is lost.
  public mutating func disconnected() {
    phase = .away
    published = [:]
  }

  /// Takes a message on the topic of one of this device's timers, which this bridge did not send on this connection.
  ///
  /// - Returns: what is to be published: nothing while the retained values are read, later what puts a foreign value
  ///   right.
  public mutating func received(_ name: String, _ payload: [UInt8]) -> [Publication] {
    switch phase {
    case .away: return []
    case .reading:
      published[name] = payload.isEmpty ? nil : payload
      return []
    case .live:
      published[name] = payload.isEmpty ? nil : payload
      guard ledger != nil, let update = update(name) else { return [] }
      return [update]
    }
  }

  /// The marker arrived: all that the broker retained of this device was received before it.
  public mutating func markerArrived() -> [Publication] {
    guard phase == .reading else { return [] }
    phase = .live
    return reconcile()
  }

  /// Publishes each timer of which the broker has another value, and removes what it has beyond. O(timers).
  private mutating func reconcile() -> [Publication] {
    guard isSettled else { return [] }
    let names = Set(values.keys).union(published.keys)
    return names.sorted().compactMap { update($0) }
  }

  /// The rings that are on. O(rings).
  public var rings: Set<RingKey> { ringing.keys }

  /// The rings that are new since this was called last: they may have been answered on another machine already.
  public mutating func takeNewRings() -> Set<RingKey> { ringing.takeNew() }

  /// What an answer to a ring means for this machine's timers; nil: nothing, because that ring is not on.
  public func answered(_ key: RingKey, _ answer: RingAnswer) -> AnsweredRing? {
    ringing.answered(key, answer)
  }

  /// What makes the broker's value the daemon's; nil: it is.
  private mutating func update(_ name: String) -> Publication? {
    let (value, known) = (values[name], published[name])
    if value != known { ringing.changed(name, to: value, from: known) }
    let topic = Topic.timer(address, name: name)
    guard let value else {
      guard known != nil else { return nil }
      published[name] = nil
      return Publication(topic, [], isRetained: true)
    }
    if let known, TimerValue.isSame(value, known) {
      return nil
    }
    published[name] = value
    return Publication(topic, value, isRetained: true)
  }
}
