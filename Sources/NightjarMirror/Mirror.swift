internal import NightjarInterface
public import NightjarModel
public import NightjarVarlink

/// What a message from the broker changed in the mirror.
public enum MirrorChange: Equatable, Sendable {
  /// The status of a device is another one, or the device is gone.
  case status(device: String)
  /// A timer was set, or, if the mirror does not have it any more, removed.
  case timer(device: String, name: String)
  /// A device published an event: an Event of org.nightjar.Timers.
  case event(device: String, JSONValue)
  /// A ring was answered, or an answer came that counts more than the one before.
  case ring(RingKey)
  /// Something of a device did not arrive: its events have a gap, or it has other timers than are here. Its owner is
  /// to be asked.
  case gap(device: String)
}

/// The person's other devices, or all devices of a session, as the broker has them.
///
/// It is pure: it gets messages, and has what they say. The last message on a topic counts, because a broker keeps the
/// order of one topic. Retained messages are a cache: while they are read, values of an earlier connection stay, and
/// those that did not come again are dropped when the marker arrives.
public struct Mirror: Sendable {
  /// This machine. Of the person's devices it is not in the mirror; of a session's it is.
  public let own: DeviceAddress
  /// The session whose devices these are; nil: they are those of one person.
  public let session: SessionAddress?
  /// The devices by their names: in a session by `person/device`.
  public private(set) var devices: [String: MirroredDevice] = [:]
  /// How rings of all the person's devices were answered, this one's too.
  public private(set) var answers = RingAnswers()
  /// Messages that were dropped, because they were beyond a limit or no values.
  public private(set) var droppedCount = 0
  /// Whether all that the broker retained has been read on this connection.
  public private(set) var isComplete = false

  /// An empty mirror.
  ///
  /// - Parameter session: the session whose devices are meant; nil: they are those of the person.
  public init(own: DeviceAddress, session: SessionAddress? = nil) {
    self.own = own
    self.session = session
  }

  /// What a device is called in `devices`; nil: it is not meant.
  private func key(_ address: DeviceAddress) -> String? {
    guard session == nil else { return address.description }
    return address.person == own.person && address != own ? address.device : nil
  }

  /// A connection to the broker is there: its retained messages come next, and behind them the marker. O(timers).
  public mutating func connected() {
    isComplete = false
    for name in Array(devices.keys) { devices[name]?.beginReading() }
  }

  /// This machine's clock was set: how far the others' clocks are ahead, their next messages show. O(devices).
  public mutating func clockStepped() {
    for name in Array(devices.keys) { devices[name]?.ownClockStepped() }
  }

  /// The names that a machine had before: devices that are offline, and whose timers are all of its ledger. O(bytes of
  /// what is offline).
  ///
  /// - Parameter ledger: the name of the machine's ledger.
  public func formerNames(ofLedger ledger: String) -> [String] {
    devices.filter { $0.value.isOffline(withLedger: ledger) }.keys.sorted()
  }

  /// Takes a device for offline that said that it is online: it has sent nothing on this connection. It is not known
  /// since when it is offline.
  public mutating func lost(_ device: String) -> [MirrorChange] {
    devices[device]?.wasLost() == true ? [.status(device: device)] : []
  }

  /// A device has sent something else than what the mirror takes.
  ///
  /// - Returns: how far its clock is ahead of this machine's; nil: there is no such device.
  public mutating func noteClock(
    of device: String, sentUsec: Int64, nowUsec: Int64
  ) -> Int64? {
    devices[device]?.noteClock(sentUsec: sentUsec, nowUsec: nowUsec)
    return devices[device]?.clockAheadUsec
  }

  /// The connection is lost. What was read stays, and is out of date.
  public mutating func disconnected() { isComplete = false }

  /// The marker arrived: what the broker retained was received before it. A device of which it retained nothing stays
  /// as it was, and counts as offline: the broker has lost everything, and the device may be asleep. O(timers).
  ///
  /// - Returns: what is not there any more.
  public mutating func markerArrived() -> [MirrorChange] {
    isComplete = true
    var changes: [MirrorChange] = []
    for name in devices.keys.sorted() {
      for timer in devices[name]?.endReading() ?? [] {
        changes.append(.timer(device: name, name: timer))
      }
      if devices[name]?.isIncomplete == true { changes.append(.gap(device: name)) }
    }
    return changes
  }

  /// Takes a message. O(its bytes).
  ///
  /// - Parameter nowUsec: the wall clock.
  public mutating func received(_ delivery: Delivery, nowUsec: Int64) -> [MirrorChange] {
    let (topic, payload) = (delivery.topic, delivery.payload)
    guard let address = topic.address else { return received(answer: payload, on: topic) }
    guard let key = key(address) else { return [] }
    guard payload.count <= MirrorLimits.messageBytes else { return drop() }
    guard !payload.isEmpty || devices[key] != nil else { return [] }
    if devices[key] == nil {
      if devices.count >= MirrorLimits.devices {
        for name in devices.keys where devices[name]?.isEmpty == true { devices[name] = nil }
      }
      guard hasRoom(for: address) else { return drop() }
      devices[key] = MirroredDevice()
    }
    var isTaken = false
    var changes: [MirrorChange] = []
    switch topic {
    case .status:
      isTaken = devices[key]?.setStatus(delivery, nowUsec: nowUsec) == true
      if isTaken { changes = [.status(device: key)] }
      if isComplete, devices[key]?.isIncomplete == true { changes.append(.gap(device: key)) }
    case .timer(_, let name):
      guard isShared(name, address) else { break }
      let taking = devices[key]?.setTimer(name, delivery)
      isTaken = taking == .changed || taking == .same
      if taking == .changed || taking == .refused(wasThere: true) {
        changes = [.timer(device: key, name: name)]
      }
    case .event:
      // Events are not retained; a broker that sends one as such repeats what is past.
      guard !delivery.isRetained, let event = try? JSONValue.parse(payload),
        event["name"]?.stringValue.map({ isShared($0, address) }) ?? (session == nil),
        let continuation = devices[key]?.noteEvent(event, nowUsec: nowUsec)
      else { break }
      isTaken = true
      guard continuation != .repetition else { break }
      // Of a session's owner only some events come, and their numbers have gaps.
      if continuation == .gap && session == nil || isBehind(event, key) {
        changes.append(.gap(device: key))
      }
      changes.append(.event(device: key, EventValue.shown(event)))
    case .call, .reply, .marker, .ring: return []
    }
    if !isTaken { droppedCount += 1 }
    return changes + forgetIfEmpty(key)
  }

  /// Whether one more device can be taken. In a session no member takes the place of the others, or of this machine.
  private func hasRoom(for address: DeviceAddress) -> Bool {
    guard session != nil else { return devices.count < MirrorLimits.devices }
    guard address != own else { return true }
    let others = devices.keys.count { $0.hasPrefix("\(address.person)/") }
    return devices.count < MirrorLimits.devices && others < MirrorLimits.devicesOfMember
  }

  /// Whether a timer may be here at all.
  private func isShared(_ name: String, _ owner: DeviceAddress) -> Bool {
    session.map { $0.shownName(of: name, on: owner) != nil } ?? true
  }

  private mutating func received(answer payload: [UInt8], on topic: Topic) -> [MirrorChange] {
    // What has expired, or was cleared, says nothing.
    guard session == nil, topic.person == own.person, case .ring(_, let key) = topic,
      !payload.isEmpty
    else { return [] }
    guard payload.count <= MirrorLimits.valueBytes, let answer = RingAnswer(payload: payload) else {
      return drop()
    }
    return take(answer, to: key)
  }

  /// Takes an answer to a ring, also one that was given on this machine. O(1), at the limit O(answers).
  public mutating func take(_ answer: RingAnswer, to key: RingKey) -> [MirrorChange] {
    answers.take(answer, to: key) ? [.ring(key)] : []
  }

  /// Whether the value that an event speaks of did not arrive: an owner publishes it before the event. The events of
  /// commands leave their timer as it is.
  private func isBehind(_ event: JSONValue, _ device: String) -> Bool {
    guard let name = event["name"]?.stringValue, let type = event["type"]?.stringValue,
      TimersInterface.ActionEvent(rawValue: type) == nil,
      let seq = devices[device]?.seq(of: name)
    else { return false }
    return seq < event["seq"]?.integerValue ?? 0
  }

  /// Takes all timers of a device as its owner has just shown them, as `MirroredDevice.merge` has it.
  package mutating func merge(
    _ values: [TimerValue], of device: String, ledger: String, lastSeq: Int64
  ) -> [MirrorChange] {
    let names = devices[device]?.merge(values, ledger: ledger, lastSeq: lastSeq) ?? []
    return names.map { .timer(device: device, name: $0) } + forgetIfEmpty(device)
  }

  private mutating func drop() -> [MirrorChange] {
    droppedCount += 1
    return []
  }

  private mutating func forgetIfEmpty(_ name: String) -> [MirrorChange] {
    guard let device = devices[name], device.isEmpty else { return [] }
    devices[name] = nil
    return [.status(device: name)]
  }
}
