internal import NightjarInterface
public import NightjarModel
public import Varlink

/// An owner of timers in the mirror: a machine, or a machine's part in a session.
public struct MirrorOwner: Hashable, Sendable, CustomStringConvertible {
  public let address: DeviceAddress
  /// Nil: the machine itself.
  public let session: SessionAddress?

  public init(_ address: DeviceAddress, in session: SessionAddress? = nil) {
    (self.address, self.session) = (address, session)
  }

  /// The name of the machine.
  public var device: String { address.device }

  public var description: String { session.map { "\(address) in \($0)" } ?? "\(address)" }
}

/// A change that a message from the broker made in the mirror.
public enum MirrorChange: Equatable, Sendable {
  /// The presence or the status of a device changed, or the device was removed.
  case status(device: MirrorOwner)
  /// A timer changed. If the mirror does not have it any more, the timer was removed.
  case timer(device: MirrorOwner, name: String)
  /// A device published an event. The value is an Event of org.nightjar.Timers.
  case event(device: MirrorOwner, JSONValue)
  /// A ring got its first answer, or an answer that takes precedence over the earlier one.
  case ring(RingKey)
  /// Messages of a device were lost: the numbers of its events have a gap, or its timers differ
  /// from those in the mirror. The device must be asked for its timers.
  case gap(device: MirrorOwner)

  /// The owner that changed; nil: the change is about a ring.
  public var owner: MirrorOwner? {
    switch self {
    case .status(let owner), .timer(let owner, _), .event(let owner, _), .gap(let owner): owner
    case .ring: nil
    }
  }
}

/// The user's other machines, the machines of all members of the user's sessions, and what they
/// show in each session, as the broker's messages describe them.
///
/// The mirror performs no I/O: the caller passes it messages, and the mirror stores their content.
/// A broker keeps the order of the messages on a topic, so the last message counts. On each new
/// connection, the broker first sends its retained messages. Until all have arrived, the mirror
/// keeps the values of the earlier connection. Then the marker arrives, a message that this machine
/// has sent to itself. At the marker, the mirror drops the values that did not arrive again.
public struct Mirror: Sendable {
  /// How long a machine whose retained presence says that it is connected may take to send a
  /// message after the marker, in microseconds. After a crash of the broker, the retained message
  /// may be about a machine that is gone.
  public static let presenceUsec: Int64 = 5_000_000
  /// When another machine has connected, this machine publishes its presence again after this time,
  /// in microseconds, so that the other machine gets a message that is not retained.
  public static let answerNewcomerUsec: Int64 = 200_000
  /// How long the broker stores an answer to a ring, in microseconds.
  public static let answerUsec: Int64 = 86_400_000_000

  /// The address of this machine. Of this machine, the mirror has only the parts in sessions.
  public let own: DeviceAddress
  /// The presence that this machine has published.
  public var ownPresence: DevicePresence?
  /// All owners. Of the machines of other persons, only the presence and the parts in sessions.
  public private(set) var devices: [MirrorOwner: MirroredDevice] = [:]
  /// The answers to rings of all the user's devices, including this one.
  public private(set) var answers = RingAnswers()
  /// The rings to which the broker may have no answer, or one that another answer here takes
  /// precedence over.
  private var unsent: Set<RingKey> = []
  /// The number of messages that were dropped because they exceeded a limit or were invalid.
  public private(set) var droppedCount = 0
  /// The sessions, and nil for the machines themselves, of which all retained messages have arrived
  /// on this connection.
  private var complete: Set<SessionAddress?> = []
  /// The machines that have sent a message on this connection, and were not away since.
  private var heard: Set<DeviceAddress> = []
  private var hasNewcomer = false

  /// Makes an empty mirror.
  public init(own: DeviceAddress) { self.own = own }

  /// Whether all retained messages, except those of sessions, have arrived on this connection.
  public var isComplete: Bool { complete.contains(nil) }

  /// Whether all retained messages of a session have arrived on this connection.
  public func isComplete(_ session: SessionAddress) -> Bool { complete.contains(session) }

  /// One of the user's other machines, by its name.
  public subscript(device: String) -> MirroredDevice? { machine(device).flatMap { devices[$0] } }

  private func machine(_ name: String) -> MirrorOwner? {
    DeviceAddress(person: own.person, device: name).map { MirrorOwner($0) }
  }

  /// The user's other machines, sorted by name. O(devices).
  public var machines: [(name: String, device: MirroredDevice)] {
    devices.compactMap { owner, device in
      isMachine(owner) ? (owner.device, device) : nil
    }.sorted { $0.name < $1.name }
  }

  /// Whether an owner is one of the user's other machines.
  public func isMachine(_ owner: MirrorOwner) -> Bool {
    owner.session == nil && owner.address.person == own.person
  }

  /// The machines that take part in a session, sorted by address. O(devices).
  public func members(of session: SessionAddress) -> [DeviceAddress] {
    devices.keys.filter { $0.session == session }.map(\.address)
      .sorted { "\($0)" < "\($1)" }
  }

  /// The other persons whose machines take part in the user's sessions. O(devices).
  public var persons: Set<String> {
    Set(devices.keys.filter { $0.session != nil }.map(\.address.person)).subtracting([own.person])
  }

  /// What a machine shows in a session, with the presence of the machine.
  public func member(_ address: DeviceAddress, of session: SessionAddress) -> MirroredDevice? {
    let part = devices[MirrorOwner(address, in: session)]
    return part?.with(
      presenceOf: address == own ? MirroredDevice(ownPresence) : devices[MirrorOwner(address)])
  }

  // MARK: - The connection

  /// Records that the broker has accepted a connection. The retained messages follow, and then the
  /// marker. O(timers).
  public mutating func connected() {
    complete = []
    unsent = Set(answers.keys)
    // The others' presence is not read again if they are in no session any more.
    let persons = self.persons.union([own.person])
    devices = devices.filter { $0.key.session != nil || persons.contains($0.key.address.person) }
    for owner in Array(devices.keys) { devices[owner]?.beginReading() }
  }

  /// Records that the broker sends the retained messages of a session again. O(timers).
  public mutating func beginReading(_ session: SessionAddress) {
    complete.remove(session)
    for owner in devices.keys.filter({ $0.session == session }) { devices[owner]?.beginReading() }
  }

  /// Records that the connection is lost. The values stay in the mirror, but may be out of date.
  public mutating func disconnected() { (complete, heard) = ([], []) }

  /// Records that the marker has arrived, and so all retained messages.
  ///
  /// If a machine's own presence did not arrive, the broker has lost the machine's data. Then the
  /// machine counts as offline, and keeps its timers in the mirror, because it may be asleep. If
  /// only its part in a session did not arrive, it has left the session. O(timers).
  ///
  /// - Parameter session: the session whose messages have arrived; nil: those of machines.
  /// - Returns: the timers that were removed, and each owner whose timers are incomplete.
  public mutating func markerArrived(of session: SessionAddress? = nil) -> [MirrorChange] {
    complete.insert(session)
    var changes: [MirrorChange] = []
    for owner in sorted(devices.keys.filter { $0.session == session }) {
      guard let known = devices[owner] else { continue }
      let isLost =
        session == nil
        ? known.presence != nil && !known.isPresenceConfirmed
        : known.status != nil && !known.isStatusConfirmed
      let machine = devices[MirrorOwner(owner.address)]
      let hasLeft = isLost && session != nil && machine?.isPresenceConfirmed == true
      if isLost, session == nil { devices[owner]?.lose() }
      let gone =
        (hasLeft
          ? devices[owner]?.leave()
          : devices[owner]?.endReading(isKept: isLost && owner.address != own)) ?? []
      changes += gone.map { .timer(device: owner, name: $0) }
      if isIncomplete(owner) { changes.append(.gap(device: owner)) }
      if hasLeft { changes += forgetIfEmpty(owner) }
    }
    return changes
  }

  private func sorted(_ owners: [MirrorOwner]) -> [MirrorOwner] {
    owners.sorted { "\($0)" < "\($1)" }
  }

  /// Marks each machine as offline that has sent nothing on this connection, although its retained
  /// presence says that it is connected. The caller does this `presenceUsec` after the marker.
  public mutating func endPresence() -> [MirrorChange] {
    guard isComplete else { return [] }
    let absent = sorted(
      devices.keys.filter {
        $0.session == nil && devices[$0]?.state?.isConnected == true && !heard.contains($0.address)
      })
    for owner in absent { devices[owner]?.isAbsent = true }
    return absent.map { .status(device: $0) }
  }

  /// Whether a machine has connected since the last call.
  public mutating func takeNewcomer() -> Bool {
    defer { hasNewcomer = false }
    return hasNewcomer
  }

  /// The former names of this machine: its owners that are offline, with timers that all belong to
  /// the machine's ledger, and their parts in sessions. O(bytes of the offline devices' timers).
  ///
  /// - Parameter ledger: the name of the machine's ledger.
  public func formerNames(ofLedger ledger: String) -> [MirrorOwner] {
    let former = devices.filter { owner, device in
      isMachine(owner) && device.state == .offline && device.belongs(toLedger: ledger)
    }
    return sorted(devices.keys.filter { former[MirrorOwner($0.address)] != nil })
  }

  /// Removes all members of a session, because this machine has left it.
  public mutating func forget(_ session: SessionAddress) {
    complete.remove(session)
    devices = devices.filter { $0.key.session != session }
  }

  // MARK: - Messages

  /// Applies a message from the broker. O(bytes of the message).
  ///
  /// - Parameter nowUsec: the wall clock.
  public mutating func received(_ delivery: Delivery, nowUsec: Int64) -> [MirrorChange] {
    let (topic, payload) = (delivery.topic, delivery.payload)
    guard let address = topic.address else { return received(answer: delivery) }
    let owner = MirrorOwner(address, in: delivery.session)
    guard owner.session != nil || address != own, isMirrored(topic, owner) else { return [] }
    guard payload.count <= MirrorLimits.messageBytes else { return drop() }
    guard !payload.isEmpty || devices[owner] != nil else { return [] }
    let sinceUsec = devices[owner]?.presence?.sinceUsec
    let isNew = devices[owner] == nil
    if isNew {
      guard hasRoom(for: owner) else { return drop() }
      devices[owner] = MirroredDevice()
    }
    var isTaken = false
    var changes: [MirrorChange] = []
    switch topic {
    case .presence, .status:
      isTaken =
        if case .presence = topic {
          devices[owner]?.setPresence(delivery, nowUsec: nowUsec) == true
        } else {
          devices[owner]?.setStatus(payload) == true
        }
      if isTaken { changes = [.status(device: owner)] }
      if complete.contains(owner.session), isIncomplete(owner) {
        changes.append(.gap(device: owner))
      }
    case .timer(_, let name):
      guard isShared(name, owner), let result = devices[owner]?.setTimer(name, payload) else {
        break
      }
      isTaken = result.isTaken
      if result.isChanged { changes = [.timer(device: owner, name: name)] }
    case .event:
      // Events are not published as retained. If a broker delivers an event as retained, it repeats
      // an old one.
      guard !delivery.isRetained, let event = try? JSONValue.parse(payload),
        event["name"]?.stringValue.map({ isShared($0, owner) }) ?? (owner.session == nil),
        let continuation = devices[owner]?.noteEvent(event)
      else { break }
      isTaken = true
      guard continuation != .repetition else { break }
      // In a session, an owner publishes only some events, so their numbers have gaps.
      if continuation == .gap && owner.session == nil || isBehind(event, owner) {
        changes.append(.gap(device: owner))
      }
      changes.append(.event(device: owner, EventValue.shown(event)))
    case .call, .reply, .marker, .ring: break
    }
    if isTaken {
      changes += note(delivery, of: owner, isNew: isNew, sinceUsec: sinceUsec)
    } else {
      droppedCount += 1
    }
    return changes + forgetIfEmpty(owner)
  }

  /// Notes that a machine has sent a message. If it was not heard before, it may have connected
  /// since, and then it needs a new message of this machine.
  ///
  /// - Parameters:
  ///   - isNew: whether the mirror had nothing of the owner.
  ///   - sinceUsec: since when the owner was in its state before the message.
  private mutating func note(
    _ delivery: Delivery, of owner: MirrorOwner, isNew: Bool, sinceUsec: Int64?
  ) -> [MirrorChange] {
    guard owner.address != own else { return [] }
    let isPresence = if case .presence = delivery.topic { true } else { false }
    if isPresence, devices[owner]?.presence?.state.isConnected != true {
      heard.remove(owner.address)
      return []
    }
    guard !delivery.isRetained, !delivery.payload.isEmpty else { return [] }
    let isFirst = heard.insert(owner.address).inserted
    // A machine that only answers this one has been in its state for longer.
    let isAnswer = isPresence && devices[owner]?.presence?.sinceUsec == sinceUsec
    if !isAnswer, isFirst || isNew && owner.session != nil { hasNewcomer = true }
    let machine = MirrorOwner(owner.address)
    guard devices[machine]?.isAbsent == true else { return [] }
    devices[machine]?.isAbsent = false
    return [.status(device: machine)]
  }

  /// Whether the mirror stores messages on this topic. Of the machines of other persons, the
  /// presence is enough.
  private func isMirrored(_ topic: Topic, _ owner: MirrorOwner) -> Bool {
    switch topic {
    case .presence: owner.session == nil
    case .status, .timer, .event: owner.session != nil || isMachine(owner)
    case .call, .reply, .marker, .ring: false
    }
  }

  /// Whether the mirror has room for another owner. In a session, the devices of one member cannot
  /// use up the room of other members or of this machine.
  private func hasRoom(for owner: MirrorOwner) -> Bool {
    let session = devices.keys.filter { $0.session == owner.session }
    let ofPerson = session.count { $0.address.person == owner.address.person }
    guard owner.session != nil else { return ofPerson < MirrorLimits.devices }
    guard owner.address != own else { return true }
    return session.count < MirrorLimits.devices && ofPerson < MirrorLimits.devicesOfMember
  }

  /// Whether a timer of this name belongs to this owner.
  private func isShared(_ name: String, _ owner: MirrorOwner) -> Bool {
    owner.session.map { $0.shownName(of: name, on: owner.address) != nil } ?? true
  }

  private func isIncomplete(_ owner: MirrorOwner) -> Bool {
    let machine = MirrorOwner(owner.address)
    return devices[owner]?.isIncomplete(isOnline: devices[machine]?.state == .online) == true
  }

  private mutating func received(answer delivery: Delivery) -> [MirrorChange] {
    let payload = delivery.payload
    // An empty payload means that the answer was removed from the broker. The mirror keeps it.
    guard delivery.session == nil, case .ring(own.person, let key) = delivery.topic,
      !payload.isEmpty
    else { return [] }
    guard payload.count <= MirrorLimits.valueBytes, let answer = RingAnswer(payload: payload) else {
      return drop()
    }
    // The user answered here after an undo of which this machine learns only now.
    if let known = answers[key], known.device == own.device, known.sentUsec > answer.undoneUsec,
      known.undoneUsec < answer.undoneUsec
    {
      _ = answers.take(known.after(answer), to: key)
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
    guard answers.take(answer.after(answers[key]), to: key) else { return [] }
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

  /// The answers that the broker may lack, and that are younger than `answerUsec`. To be called
  /// only while the mirror is complete; the caller publishes them.
  public mutating func takeUnsent(nowUsec: Int64) -> [(key: RingKey, answer: RingAnswer)] {
    defer { unsent = [] }
    return unsent.compactMap { key in
      answers[key].flatMap { nowUsec - $0.sentUsec < Self.answerUsec ? (key, $0) : nil }
    }
  }

  /// Whether the value of an event's timer was lost. An owner publishes the value before the event,
  /// so the value in the mirror must not be older than the event. Events of commands are an
  /// exception: they do not change their timer.
  private func isBehind(_ event: JSONValue, _ owner: MirrorOwner) -> Bool {
    guard let name = event["name"]?.stringValue, let type = event["type"]?.stringValue,
      !Wire.EventType.actionEvent.contains(.init(rawValue: type)),
      let seq = devices[owner]?.seq(of: name)
    else { return false }
    return seq < event["seq"]?.integerValue ?? 0
  }

  /// Replaces the timers of a device by those that the device has just sent; see
  /// `MirroredDevice.merge`.
  package mutating func merge(
    _ values: [TimerValue], of device: String, ledger: String, lastSeq: Int64
  ) -> [MirrorChange] {
    guard let owner = machine(device) else { return [] }
    let names = devices[owner]?.merge(values, ledger: ledger, lastSeq: lastSeq) ?? []
    return names.map { .timer(device: owner, name: $0) } + forgetIfEmpty(owner)
  }

  private mutating func drop() -> [MirrorChange] {
    droppedCount += 1
    return []
  }

  private mutating func forgetIfEmpty(_ owner: MirrorOwner) -> [MirrorChange] {
    guard let device = devices[owner], device.isEmpty else { return [] }
    devices[owner] = nil
    return [.status(device: owner)]
  }
}
