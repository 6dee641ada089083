internal import NightjarInterface
public import NightjarModel
public import Varlink

/// A change that a message from the broker made in the mirror.
public enum MirrorChange: Equatable, Sendable {
  /// The status of a device changed, or the device was removed.
  case status(device: String)
  /// A timer changed. If the mirror does not have it any more, the timer was removed.
  case timer(device: String, name: String)
  /// A device published an event. The value is an Event of org.nightjar.Timers.
  case event(device: String, JSONValue)
  /// A ring got its first answer, or an answer that takes precedence over the earlier one.
  case ring(RingKey)
  /// Messages of a device were lost: the numbers of its events have a gap, or its timers differ
  /// from those in the mirror. The device must be asked for its timers.
  case gap(device: String)
}

/// The user's other devices, or all devices of a session, as the broker's messages describe them.
///
/// The mirror performs no I/O: the caller passes it messages, and the mirror stores their content.
/// A broker keeps the order of the messages on a topic, so the last message counts. On each new
/// connection, the broker first sends its retained messages. Until all have arrived, the mirror
/// keeps the values of the earlier connection. Then the marker arrives, a message that this machine
/// has sent to itself. At the marker, the mirror drops the values that did not arrive again.
public struct Mirror: Sendable {
  /// The address of this machine. This machine is in the mirror of a session, but not in the mirror
  /// of the user's devices.
  public let own: DeviceAddress
  /// The session whose devices are mirrored; nil: the devices of one user are mirrored.
  public let session: SessionAddress?
  /// The devices by name. In the mirror of a session, the key is `person/device`.
  public private(set) var devices: [String: MirroredDevice] = [:]
  /// How long the broker stores an answer to a ring, in microseconds.
  public static let answerUsec: Int64 = 86_400_000_000

  /// The answers to rings of all the user's devices, including this one.
  public private(set) var answers = RingAnswers()
  /// The rings to which the broker may have no answer, or one that another answer here takes
  /// precedence over.
  private var unsent: Set<RingKey> = []
  /// The number of messages that were dropped because they exceeded a limit or were invalid.
  public private(set) var droppedCount = 0
  /// Whether all retained messages have arrived on this connection.
  public private(set) var isComplete = false

  /// Makes an empty mirror.
  ///
  /// - Parameter session: the session to mirror; nil: mirror the user's devices.
  public init(own: DeviceAddress, session: SessionAddress? = nil) {
    self.own = own
    self.session = session
  }

  /// The key of a device in `devices`; nil: the device is not mirrored.
  private func key(_ address: DeviceAddress) -> String? {
    guard session == nil else { return address.description }
    return address.person == own.person && address != own ? address.device : nil
  }

  /// Records that the broker has accepted a connection. The retained messages follow, and then the
  /// marker. O(timers).
  public mutating func connected() {
    isComplete = false
    unsent = Set(answers.keys)
    for name in Array(devices.keys) { devices[name]?.beginReading() }
  }

  /// The former names of a machine: the names of offline devices whose timers all belong to the
  /// machine's ledger. O(bytes of the offline devices' timers).
  ///
  /// - Parameter ledger: the name of the machine's ledger.
  public func formerNames(ofLedger ledger: String) -> [String] {
    devices.filter { $0.value.isOffline(withLedger: ledger) }.keys.sorted()
  }

  /// Marks a device as offline if its status is online, and its offline time as unknown. The caller
  /// does this for a device that has sent nothing on this connection.
  public mutating func lost(_ device: String) -> [MirrorChange] {
    devices[device]?.wasLost() == true ? [.status(device: device)] : []
  }

  /// Records that the connection is lost. The values stay in the mirror, but may be out of date.
  public mutating func disconnected() { isComplete = false }

  /// Records that the marker has arrived, and so all retained messages. A device without retained
  /// messages keeps its timers in the mirror and counts as offline: the broker has lost the
  /// device's data, and the device may be asleep. O(timers).
  ///
  /// - Returns: the timers that were removed, and each device whose timers are incomplete.
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

  /// Applies a message from the broker. O(bytes of the message).
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
      // Events are not published as retained. If a broker delivers an event as retained, it repeats
      // an old one.
      guard !delivery.isRetained, let event = try? JSONValue.parse(payload),
        event["name"]?.stringValue.map({ isShared($0, address) }) ?? (session == nil),
        let continuation = devices[key]?.noteEvent(event)
      else { break }
      isTaken = true
      guard continuation != .repetition else { break }
      // In a session, an owner publishes only some events, so their numbers have gaps.
      if continuation == .gap && session == nil || isBehind(event, key) {
        changes.append(.gap(device: key))
      }
      changes.append(.event(device: key, EventValue.shown(event)))
    case .call, .reply, .marker, .ring: return []
    }
    if !isTaken { droppedCount += 1 }
    return changes + forgetIfEmpty(key)
  }

  /// Whether the mirror has room for another device. In a session, the devices of one member cannot
  /// use up the room of other members or of this machine.
  private func hasRoom(for address: DeviceAddress) -> Bool {
    guard session != nil else { return devices.count < MirrorLimits.devices }
    guard address != own else { return true }
    let others = devices.keys.count { $0.hasPrefix("\(address.person)/") }
    return devices.count < MirrorLimits.devices && others < MirrorLimits.devicesOfMember
  }

  /// Whether a timer of this name belongs in this mirror.
  private func isShared(_ name: String, _ owner: DeviceAddress) -> Bool {
    session.map { $0.shownName(of: name, on: owner) != nil } ?? true
  }

  private mutating func received(answer payload: [UInt8], on topic: Topic) -> [MirrorChange] {
    // An empty payload means that the answer was removed from the broker. The mirror keeps it.
    guard session == nil, topic.person == own.person, case .ring(_, let key) = topic,
      !payload.isEmpty
    else { return [] }
    guard payload.count <= MirrorLimits.valueBytes, let answer = RingAnswer(payload: payload) else {
      return drop()
    }
    if answers[key]?.takesPrecedence(over: answer) == true {
      unsent.insert(key)
      return []
    }
    unsent.remove(key)
    return answers.take(answer, to: key) ? [.ring(key)] : []
  }

  /// Adds an answer of the user on this machine. O(1); O(answers) at the limit.
  public mutating func take(_ answer: RingAnswer, to key: RingKey) -> [MirrorChange] {
    guard answers.take(answer, to: key) else { return [] }
    unsent.insert(key)
    return [.ring(key)]
  }

  /// Adds what the ledger of this machine says about a ring. It includes the answers before it.
  public mutating func take(own answer: RingAnswer, to key: RingKey) -> [MirrorChange] {
    var answer = answer
    if let known = answers[key] {
      if known.device == answer.device, known.kind == answer.kind { return [] }
      answer.sentUsec = max(answer.sentUsec, known.sentUsec + 1)
    }
    return take(answer, to: key)
  }

  /// The answers that the broker may lack, and that are younger than `answerUsec`. To be called only
  /// while the mirror is complete; the caller publishes them.
  public mutating func takeUnsent(nowUsec: Int64) -> [(key: RingKey, answer: RingAnswer)] {
    defer { unsent = [] }
    return unsent.compactMap { key in
      answers[key].flatMap { nowUsec - $0.sentUsec < Self.answerUsec ? (key, $0) : nil }
    }
  }

  /// Whether the value of an event's timer was lost. An owner publishes the value before the event,
  /// so the value in the mirror must not be older than the event. Events of commands are an
  /// exception: they do not change their timer.
  private func isBehind(_ event: JSONValue, _ device: String) -> Bool {
    guard let name = event["name"]?.stringValue, let type = event["type"]?.stringValue,
      !Wire.EventType.actionEvent.contains(.init(rawValue: type)),
      let seq = devices[device]?.seq(of: name)
    else { return false }
    return seq < event["seq"]?.integerValue ?? 0
  }

  /// Replaces the timers of a device by those that the device has just sent; see
  /// `MirroredDevice.merge`.
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
