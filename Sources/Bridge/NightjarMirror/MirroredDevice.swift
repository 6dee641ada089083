internal import NightjarInterface
internal import NightjarModel
package import Varlink

/// One device of the mirror, with its status and its timers.
public struct MirroredDevice: Sendable {
  /// How the number of an event relates to the number of the previous event.
  enum Continuation { case next, gap, repetition }

  /// Whether the device can be reached; nil: the device has not said so.
  public private(set) var presence: DevicePresence?
  /// The status of the device; nil: the device has sent none.
  public private(set) var status: DeviceStatus?
  /// The last event of the device that was seen: the number of the event, and the ledger with that
  /// number.
  public private(set) var lastEvent: (ledger: String, seq: Int64)?

  /// When the broker lost the device, on this machine's CLOCK_REALTIME, exact to a second. Nil: the
  /// broker has not lost the device, or the time is unknown.
  private var lostUsec: Int64?
  /// Whether the device has sent nothing on this connection, although its retained presence says
  /// that it is connected.
  var isAbsent = false

  private var timers: [String: [UInt8]] = [:]
  private var digest = TimerDigest()
  private var bytes = 0
  /// The names of timers from an earlier connection that the broker has not sent again on this one.
  private var unconfirmed: Set<String> = []
  /// Whether the presence, or the status, has arrived on this connection.
  private(set) var isPresenceConfirmed = false
  private(set) var isStatusConfirmed = false

  init(_ presence: DevicePresence? = nil) { self.presence = presence }

  /// Since when the device has been in its present state; nil: unknown. It is on this machine's
  /// CLOCK_REALTIME if the broker lost the device, and on the device's otherwise.
  public var sinceUsec: Int64? { isAbsent ? nil : lostUsec ?? presence?.sinceUsec }

  /// The device's present state; nil: unknown.
  public var state: DevicePresence.State? {
    isAbsent && presence?.state.isConnected == true ? .offline : presence?.state
  }

  /// The names of the device's timers, sorted. O(n log n).
  public var names: [String] { timers.keys.sorted() }

  public var count: Int { timers.count }

  var isEmpty: Bool { presence == nil && status == nil && timers.isEmpty }

  /// Whether all the device's timers on the broker belong to this ledger. O(bytes).
  func belongs(toLedger ledger: String) -> Bool {
    let ledgers = timers.values.map { (try? JSONValue.parse($0))?["ledger"]?.stringValue }
    let all = ledgers + [status?.ledger].filter { $0 != nil }
    return !all.isEmpty && all.allSatisfy { $0 == ledger }
  }

  // MARK: - Messages

  mutating func beginReading() {
    unconfirmed = Set(timers.keys)
    (isPresenceConfirmed, isStatusConfirmed) = (false, false)
    lastEvent = nil
  }

  /// Marks the device as offline since an unknown time.
  mutating func lose() {
    presence?.state = .offline
    presence?.sinceUsec = nil
  }

  /// - Parameter isKept: whether the broker has lost the device's data. Then the timers stay: the
  ///   owner may be asleep, and other machines ring for them.
  /// - Returns: the names of the timers that were removed.
  mutating func endReading(isKept: Bool) -> [String] {
    let gone = isKept ? [] : unconfirmed.sorted()
    unconfirmed = []
    for name in gone { remove(name) }
    return gone
  }

  /// Removes the status, and all timers that have not arrived on this connection.
  mutating func leave() -> [String] {
    status = nil
    return endReading(isKept: false)
  }

  /// This part of a session, with the presence of the machine that it belongs to.
  func with(presenceOf machine: MirroredDevice?) -> MirroredDevice {
    var device = self
    (device.presence, device.lostUsec) = (machine?.presence, machine?.lostUsec)
    device.isAbsent = machine?.isAbsent == true
    return device
  }

  mutating func setPresence(_ delivery: Delivery, nowUsec: Int64) -> Bool {
    isPresenceConfirmed = true
    let new = DevicePresence(payload: delivery.payload)
    guard new != nil || delivery.payload.isEmpty else { return false }
    lostUsec = new?.state == .offline ? Self.lostUsec(delivery, nowUsec: nowUsec) : nil
    if new != presence { isAbsent = false }
    presence = new
    return true
  }

  mutating func setStatus(_ payload: [UInt8]) -> Bool {
    isStatusConfirmed = true
    let new = DeviceStatus(payload: payload)
    guard new != nil || payload.isEmpty else { return false }
    status = new
    return true
  }

  /// When the broker published the will; nil if the message is not a will.
  private static func lostUsec(_ delivery: Delivery, nowUsec: Int64) -> Int64? {
    guard let left = delivery.expirySeconds, left <= DevicePresence.willSeconds else { return nil }
    return nowUsec - Int64(DevicePresence.willSeconds - left) * 1_000_000
  }

  /// - Returns: whether the value is a timer within the limits, or empty, and whether the timer in
  ///   the mirror has changed.
  mutating func setTimer(_ name: String, _ payload: [UInt8]) -> (isTaken: Bool, isChanged: Bool) {
    unconfirmed.remove(name)
    let old = timers[name]
    guard old != payload else { return (true, false) }
    // Remove the old value even if the new value is invalid, because the owner does not have the
    // old value any more.
    remove(name)
    let isTaken = payload.isEmpty || add(name, payload)
    return (isTaken, timers[name] != old)
  }

  /// The data about rings in a timer's value; nil: there is no such timer, or it never rings.
  func ring(of name: String) -> PublishedRing? {
    timers[name].flatMap { try? JSONValue.parse($0) }.flatMap(PublishedRing.init)
  }

  /// The number of a timer's last event; nil if there is no such timer.
  func seq(of name: String) -> Int64? {
    timers[name].flatMap { try? JSONValue.parse($0) }.map { $0["seq"]?.integerValue ?? 0 }
  }

  /// - Returns: nil if the value is not an event.
  mutating func noteEvent(_ event: JSONValue) -> Continuation? {
    guard let ledger = event["ledger"]?.stringValue, let seq = ForeignNumber.read(event["seq"]),
      event["type"]?.stringValue != nil
    else { return nil }
    guard let last = lastEvent, last.ledger == ledger else {
      lastEvent = (ledger, seq)
      return .next
    }
    guard seq > last.seq else { return .repetition }
    lastEvent = (ledger, seq)
    return seq - last.seq == 1 ? .next : .gap
  }

  /// - Returns: false if the payload is not a timer of that name, or exceeds a limit.
  private mutating func add(_ name: String, _ payload: [UInt8]) -> Bool {
    guard payload.count <= MirrorLimits.valueBytes, timers.count < MirrorLimits.timersOfDevice,
      bytes + payload.count <= MirrorLimits.bytesOfDevice,
      let json = try? JSONValue.parse(payload), MirroredTimer(json)?.name == name
    else { return false }
    timers[name] = payload
    bytes += payload.count
    digest.toggle(payload)
    return true
  }

  private mutating func remove(_ name: String) {
    guard let old = timers.removeValue(forKey: name) else { return }
    bytes -= old.count
    digest.toggle(old)
  }

  // MARK: - Comparing with the owner

  /// Whether the device's timers in the mirror differ from the digest in its status.
  ///
  /// - Parameter isOnline: whether the device is online. The status of another device may be older
  ///   than its timers.
  func isIncomplete(isOnline: Bool) -> Bool {
    guard let status else { return !timers.isEmpty }
    guard isOnline, let theirs = status.digest else { return false }
    return theirs != digest.text
  }

  /// Replaces all timers by those that the owner has just sent. If the broker has delivered a newer
  /// value of a timer in the meantime, that value stays.
  ///
  /// - Parameters:
  ///   - values: all timers of the owner.
  ///   - ledger: the name of the owner's ledger.
  ///   - lastSeq: the number of the ledger's last event before the owner was asked for its timers.
  /// - Returns: the names of the timers that changed. O(timers).
  package mutating func merge(_ values: [TimerValue], ledger: String, lastSeq: Int64) -> [String] {
    var changed: [String] = []
    var rest = Set(timers.keys)
    for value in values where Topic.canPublish(value.name) {
      rest.remove(value.name)
      let known = timers[value.name]
      if let known, !Self.isOlder(known, than: value.payload, in: ledger) { continue }
      remove(value.name)
      _ = add(value.name, value.payload)
      changed.append(value.name)
    }
    for name in rest {
      guard let known = timers[name].flatMap({ try? JSONValue.parse($0) }),
        known["ledger"]?.stringValue != ledger || known["seq"]?.integerValue ?? 0 <= lastSeq
      else { continue }
      remove(name)
      changed.append(name)
    }
    return changed.sorted()
  }

  private static func isOlder(
    _ known: [UInt8], than value: [UInt8], in ledger: String
  ) -> Bool {
    guard let known = try? JSONValue.parse(known), let value = try? JSONValue.parse(value),
      known["ledger"]?.stringValue == ledger
    else { return true }
    return known["seq"]?.integerValue ?? 0 < value["seq"]?.integerValue ?? 0
  }

  // MARK: - Showing

  /// A timer in its present state, as a Timer of org.nightjar.Timers.
  ///
  /// - Parameters:
  ///   - realtimeUsec: this machine's wall clock.
  ///   - boottimeUsec: this machine's CLOCK_BOOTTIME.
  ///   - ringStatus: the state of a ring that the timer's owner has not published; nil: there is
  ///     none.
  /// - Returns: nil if there is no timer of that name. O(bytes of the value).
  package func timer(
    _ name: String, realtimeUsec: Int64, boottimeUsec: Int64, ringStatus: RingStatus? = nil
  ) -> JSONValue? {
    guard let payload = timers[name], let json = try? JSONValue.parse(payload) else { return nil }
    // A timer that counts only while its owner is awake is shown as it was when the owner left.
    let isAway = state != .online
    return MirroredTimer(json)?.with(ringStatus)?.shown(
      realtimeUsec: realtimeUsec, boottimeUsec: boottimeUsec,
      awayUsec: isAway ? sinceUsec ?? realtimeUsec : nil)
  }
}
