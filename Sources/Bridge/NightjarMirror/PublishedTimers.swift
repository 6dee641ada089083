internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// The timers that this machine publishes below one prefix: for the user's other devices, or in a
/// session. Also their values on the broker.
public struct PublishedTimers {
  private enum Phase {
    /// There is no connection to the broker.
    case away
    /// The broker is sending its retained messages.
    case reading
    /// All values of the broker are known.
    case live
  }

  private let address: DeviceAddress
  private let session: SessionAddress?
  /// Whether the timers are published. In a session, a machine can take part without its timers.
  var isShared = true
  /// The timers that cannot be published: their names have too many segments, or the limit of
  /// published timers is reached.
  public private(set) var unpublished: Set<String> = []
  /// The timers that are too long for the broker.
  public private(set) var tooLong: Set<String> = []
  /// The most bytes of a value and its topic, without the topic's prefix, that the broker takes.
  private(set) var mostBytes = Int.max
  private var phase = Phase.away
  /// The timers as they are to be on the broker, by name.
  package private(set) var values: [String: [UInt8]] = [:]
  /// The digest of these timers, for the device's status.
  public private(set) var digest = TimerDigest()
  /// The values on the broker, by the timer's name. They are complete only in the phase `live`.
  private var published: [String: [UInt8]] = [:]

  init(_ address: DeviceAddress, _ session: SessionAddress? = nil) {
    (self.address, self.session) = (address, session)
  }

  /// The number of timers that should be on the broker.
  public var count: Int { values.count - tooLong.count }

  /// Whether all values of the broker are known.
  var isLive: Bool { phase == .live }

  /// Whether a timer of this name belongs to the session, if there is one.
  private func isIncluded(_ name: String) -> Bool { session?.includes(name) ?? true }

  // MARK: - The daemon

  mutating func setAll(_ all: [String: [UInt8]]) {
    (values, digest, unpublished, tooLong) = ([:], TimerDigest(), [], [])
    for (name, value) in all.sorted(by: { $0.key < $1.key }) { set(name, value) }
  }

  /// - Parameter value: nil: the timer was removed.
  mutating func set(_ name: String, _ value: [UInt8]?) {
    guard isShared, isIncluded(name) else { return }
    let old = values[name]
    if let old { digest.toggle(old) }
    values[name] = nil
    unpublished.remove(name)
    guard let value else { return }
    let limit = session == nil ? MirrorLimits.timersOfDevice : SessionAddress.timersOfMember
    let isShown = session.map { $0.shownName(of: name, on: address) != nil } ?? true
    guard Topic.canPublish(name), isShown, old != nil || values.count < limit else {
      unpublished.insert(name)
      return
    }
    values[name] = value
    digest.toggle(value)
  }

  /// The messages about a timer that may have changed, and about an event.
  mutating func changed(
    _ name: String?, _ event: JSONValue?, _ ledger: String
  ) -> [Delivery] {
    guard phase == .live, isShared else { return [] }
    // Publish the value before the event: a reader of the event must already have the value.
    let values = name.map { update($0) } ?? []
    // In a session, events of the machine are not published.
    guard let event, session == nil || event["name"]?.stringValue.map(isIncluded) == true else {
      return values
    }
    let payload = EventValue.payload(forOthers(event), ledger: ledger)
    return values + [Delivery(.event(address), payload, in: session)]
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

  // MARK: - The broker

  mutating func beginReading(mostBytes: Int) {
    phase = .reading
    (published, tooLong, self.mostBytes) = ([:], [], mostBytes)
  }

  mutating func disconnected() {
    phase = .away
    published = [:]
  }

  /// - Parameter isKnown: whether the daemon has sent its timers.
  mutating func received(_ name: String, _ payload: [UInt8], isKnown: Bool) -> [Delivery] {
    guard phase != .away else { return [] }
    published[name] = payload.isEmpty ? nil : payload
    return isKnown || !isShared ? update(name) : []
  }

  /// - Returns: whether the retained messages were being read.
  mutating func endReading() -> Bool {
    guard phase == .reading else { return false }
    phase = .live
    return true
  }

  /// Publishes each timer of which the broker has a different value. Removes timers from the broker
  /// that are not to be there. O(timers).
  mutating func reconcile() -> [Delivery] {
    Set(values.keys).union(published.keys).sorted().flatMap { update($0) }
  }

  /// The messages that replace the broker's value of a timer by the daemon's value. There are none
  /// while the retained messages are read, or if the values are equal. There are two if the name on
  /// the broker has another spelling of Unicode, which is another topic.
  mutating func update(_ name: String) -> [Delivery] {
    guard phase == .live else { return [] }
    let (value, known) = (values[name], published[name])
    let topic = Topic.timer(address, name: name)
    let prefix = session?.topicPrefix(below: "") ?? ""
    tooLong.remove(name)
    if let value, value.count + topic.text(prefix: prefix).utf8.count > mostBytes {
      tooLong.insert(name)
    }
    let sent = tooLong.contains(name) ? nil : value
    if let sent, let known, TimerValue.isSame(sent, known) { return [] }
    var result: [Delivery] = []
    if let old = published.index(forKey: name).map({ published.remove(at: $0).key }),
      sent == nil || !old.utf8.elementsEqual(name.utf8)
    {
      result.append(Delivery(.timer(address, name: old), [], isRetained: true, in: session))
    }
    guard let sent else { return result }
    published[name] = sent
    return result + [Delivery(topic, sent, isRetained: true, in: session)]
  }
}
