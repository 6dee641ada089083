internal import NightjarInterface
public import NightjarModel
package import NightjarVarlink

/// This machine's published timers, and their values at the broker.
///
/// It performs no I/O: it takes messages of the daemon and of the broker, and returns the messages
/// to publish. It publishes a value only if the broker has another one. So after a restart of the
/// bridge, the daemon or the broker, it publishes only changes. To know the broker's values, it
/// reads the retained messages on each connection, from `connected` until its own marker arrives.
public struct OwnTimers {
  private enum Phase {
    /// There is no connection to the broker.
    case away
    /// The retained values are arriving.
    case reading
    /// `published` has the broker's values.
    case live
  }

  /// The device that publishes.
  public let address: DeviceAddress
  /// The session for which it publishes; nil: for the user's other devices.
  public let session: SessionAddress?
  /// The name of the daemon's ledger; nil until the daemon has sent all timers once.
  public private(set) var ledger: String?
  /// The number of the last event that the daemon's messages include.
  public private(set) var lastSeq: Int64?
  /// The timers that cannot be published: their names have too many segments, or the limit of
  /// published timers is reached.
  public private(set) var unpublished: Set<String> = []

  private var phase = Phase.away
  /// The daemon's timers.
  private var values: [String: [UInt8]] = [:]
  /// The digest of these timers.
  public private(set) var digest = TimerDigest()
  /// The broker's values, as far as they are known.
  private var published: [String: [UInt8]] = [:]
  private var ringing = OwnRings()
  /// The timers of a snapshot that the daemon is sending; nil: it is sending none.
  private var snapshot: [JSONValue]?

  /// Makes the state of a device before the first message of the daemon or the broker.
  ///
  /// - Parameter session: publish only the timers and events of this session; nil: all.
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

  /// How many timers should be on the broker.
  public var count: Int { values.count }

  /// Whether all timers of the daemon are known, and all values that the broker has.
  public var isSettled: Bool { phase == .live && ledger != nil && snapshot == nil }

  // MARK: - The daemon

  /// The daemon begins to send all timers.
  public mutating func beginSnapshot() { snapshot = [] }

  /// Applies one reply of `Watch`.
  ///
  /// - Parameters:
  ///   - reply: the parameters of the reply.
  ///   - nowUsec: the wall clock.
  /// - Returns: the messages to publish. O(1), at the end of a snapshot O(timers).
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
      // The timer is gone: the daemon sends each timer that exists, even after it skipped events.
      if let old = values.removeValue(forKey: name) { digest.toggle(old) }
      unpublished.remove(name)
    }
    if let event {
      lastSeq = event["seq"]?.integerValue ?? lastSeq
      // Events of the machine are not published in a session.
      if phase == .live, session == nil || event["name"]?.stringValue.map(isMeant) == true {
        let payload = EventValue.payload(forOthers(event), ledger: ledger, nowUsec: nowUsec)
        result.append(Publication(.event(address), payload))
      }
    }
    // Publish the value before the event: a reader of the event must already have its value.
    if phase == .live, let name, let update = update(name) { result.insert(update, at: 0) }
    return result
  }

  /// The event as members of the session may see it. If a timer was renamed, its other name is left
  /// out unless it belongs to the session.
  private func forOthers(_ event: JSONValue) -> JSONValue {
    guard session != nil else { return event }
    return .object(
      (event.objectValue ?? []).filter { member in
        guard member.key == "new_name" || member.key == "old_name" else { return true }
        return member.value.stringValue.map(isMeant) ?? true
      })
  }

  /// Whether it is an event of a command. Such an event arrives without its timer.
  private static func isOfCommand(_ event: JSONValue?) -> Bool {
    event?["type"]?.stringValue.flatMap(TimersInterface.ActionEvent.init(rawValue:)) != nil
  }

  /// Applies a timer's present state, which the bridge read outside the stream of changes because
  /// the deadline may have moved with the clock. Does nothing if the timer has had another event
  /// since: the stream delivers it.
  ///
  /// - Returns: the messages to publish. O(bytes of the timer).
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

  /// The broker accepted a connection: its retained messages follow, and then the marker.
  public mutating func connected() {
    phase = .reading
    published = [:]
  }

  /// The connection is lost.
  public mutating func disconnected() {
    phase = .away
    published = [:]
  }

  /// Applies a message on the topic of one of this device's timers. It comes from another client or
  /// from an earlier connection, because the broker does not send this bridge its own messages.
  ///
  /// - Returns: the messages to publish: none while the retained values are read. Later, the
  ///   daemon's value, if the message has another one.
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

  /// The marker arrived after all retained messages of this device.
  public mutating func markerArrived() -> [Publication] {
    guard phase == .reading else { return [] }
    phase = .live
    return reconcile()
  }

  /// Publishes each timer of which the broker has another value. Removes the timers from the broker
  /// that the daemon does not have. O(timers).
  private mutating func reconcile() -> [Publication] {
    guard isSettled else { return [] }
    let names = Set(values.keys).union(published.keys)
    return names.sorted().compactMap { update($0) }
  }

  /// The present rings. O(rings).
  public var rings: Set<RingKey> { ringing.keys }

  /// The rings that began or changed since the last call. Another machine may have answered them
  /// already.
  public mutating func takeNewRings() -> Set<RingKey> { ringing.takeNew() }

  /// The effect of an answer to a ring on this machine's timers; nil: none, because that ring is
  /// over.
  public func answered(_ key: RingKey, _ answer: RingAnswer) -> AnsweredRing? {
    ringing.answered(key, answer)
  }

  /// The message that replaces the broker's value by the daemon's; nil: the values are equal.
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
