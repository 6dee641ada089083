internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Receives the events of a session.
protocol SharedSessionDelegate: AnyObject {
  /// Whether the session may connect to the broker now.
  var mayConnect: Bool { get }
  /// All retained messages of the session have been read.
  func sessionIsComplete(_ session: SharedSession)
  /// The broker does not let this machine take part in the session.
  func session(_ session: SharedSession, isRefused reason: Sentence)
  /// This machine has left the session: the broker has no more messages of this machine.
  func sessionIsLeft(_ session: SharedSession)
}

/// One session: publishes this machine's timers in the session, and mirrors the timers of the
/// members.
///
/// A session has its own connection to the broker, because a client has only one will. The will
/// informs the other members of this session when the broker loses this machine.
final class SharedSession {
  /// How long the bridge waits, in microseconds, after a timer was started or removed, before it
  /// publishes the status.
  private static let statusUsec: Int64 = 2_000_000
  /// How long a member whose status is online may take to send a message after all retained
  /// messages were read, in microseconds. If it sends none, it counts as offline.
  private static let presenceUsec: Int64 = 10_000_000
  /// When another member has connected, this machine publishes its status again after this time, in
  /// microseconds.
  private static let answerUsec: Int64 = 200_000
  /// When a message was missed, this session reads all retained messages again after this time, in
  /// microseconds. The time doubles with each repetition.
  private static let retryUsec: ClosedRange<Int64> = 3_000_000...300_000_000

  let address: SessionAddress
  private(set) var part: BridgeWire.Part
  private let loop: EventLoop
  private let settings: BridgeSettings
  private let device: DeviceAddress
  private let prefix: String
  private let daemonPath: String
  private unowned let delegate: any SharedSessionDelegate
  private var own: OwnTimers
  private(set) var mirror: Mirror
  private var daemon: DaemonLink?
  private var broker: BrokerLink!
  private(set) var streams: TimerStreams!
  private var statusTimer: TimerSource!
  private var presenceTimer: TimerSource!
  /// The members of which a new message, not a retained one, has arrived on this connection. After
  /// a crash of the broker, a retained status may say that a member is online although the member
  /// is offline.
  private var present: Set<String> = []
  private var retryTimer: TimerSource!
  private var retryUsec = SharedSession.retryUsec.lowerBound
  /// For each member, the state that was last sent to clients.
  private var seen: [String: (state: Wire.OwnerState, sinceUsec: Int64?)] = [:]
  private var isRereadScheduled = false
  private var publishedDigest: String?
  /// The number of the message that removes this machine's status; nil: it was not sent.
  private var removalID: Int32?
  private(set) var isConnected = false
  private var sinceUsec: Int64
  /// Why there is no connection, or what the broker refuses; nil: neither applies.
  private(set) var reason: Sentence?
  /// Whether the broker has refused a message or a subscription on this connection.
  private var isRefused = false
  private var isOver = false
  /// Whether the broker has no more messages of this machine, which has left the session.
  private(set) var hasLeft = false
  var refusal: Sentence? { isRefused ? reason : nil }

  /// - Parameter daemonPath: the path of the daemon's socket.
  init(
    _ entry: SessionFile.Entry, loop: EventLoop, settings: BridgeSettings, daemonPath: String,
    delegate: any SharedSessionDelegate
  ) throws(SystemError) {
    (address, part) = (entry.address, entry.part)
    self.loop = loop
    self.settings = settings
    self.daemonPath = daemonPath
    self.delegate = delegate
    device = settings.address
    prefix = entry.address.topicPrefix(below: settings.prefix)
    own = OwnTimers(address: settings.address, session: entry.address)
    mirror = Mirror(own: settings.address, session: entry.address)
    sinceUsec = loop.now.realtimeUsec
    streams = try TimerStreams(loop: loop, view: self)
    statusTimer = try loop.timer(on: .boottime) { [weak self] in self?.publishStatus(.online) }
    presenceTimer = try loop.timer(on: .boottime) { [weak self] in self?.removeAbsentMembers() }
    retryTimer = try loop.timer(on: .boottime) { [weak self] in self?.readAgain() }
    broker = try BrokerLink(
      loop: loop, settings: settings,
      client: "nightjar/\(device)/\(address.group)/\(address.word)",
      marker: text(.marker(device)), delegate: self)
    try take(part)
  }

  func start() { broker.connect() }

  /// Changes how this machine takes part in the session.
  func change(to part: BridgeWire.Part) throws(SystemError) {
    guard part != self.part else { return }
    self.part = part
    try take(part)
    if part == .leaving, mirror.isComplete { publishRemoval() }
  }

  private func take(_ part: BridgeWire.Part) throws(SystemError) {
    if part == .shared {
      guard daemon == nil else { return }
      let daemon = try DaemonLink(loop: loop, path: daemonPath, holdsRings: false, delegate: self)
      self.daemon = daemon
      daemon.connect()
    } else {
      daemon?.close()
      daemon = nil
      // Act as if the daemon had no timers. Then the messages about this machine's timers are
      // removed from the broker.
      own.beginSnapshot()
      publish(own.take(["synced": true, "ledger": "", "seq": 0], nowUsec: loop.now.realtimeUsec))
    }
  }

  private func text(_ topic: Topic) -> String { topic.text(prefix: prefix) }

  // MARK: - Publishing

  private func publish(_ publications: [Publication]) {
    for publication in publications {
      broker.session?.publish(
        text(publication.topic), publication.payload, isRetained: publication.isRetained)
      // The broker does not send a bridge its own messages, so apply them to the mirror here.
      apply(
        mirror.received(
          Delivery(publication.topic, publication.payload, isRetained: false),
          nowUsec: loop.now.realtimeUsec))
    }
    guard part != .leaving, own.isSettled, own.digest.text != publishedDigest else { return }
    statusTimer.arm(atUsec: loop.now.boottimeUsec + Self.statusUsec)
  }

  private func publishStatus(_ state: DeviceStatus.State, qos: Int32 = 1) {
    guard isConnected, part != .leaving else { return }
    // After the status `asleep`, no status `online` is published until the sleep is over.
    guard state != .online || delegate.mayConnect else { return }
    let nowUsec = loop.now.realtimeUsec
    let silentUsec = state == .online ? daemon?.silentSinceUsec : nil
    publishedDigest = own.digest.text
    // The status does not say whether the user is present, because that is private.
    let status = DeviceStatus(
      silentUsec == nil ? state : .noDaemon,
      sinceUsec: silentUsec ?? (state == .online ? sinceUsec : nowUsec),
      timers: own.isSettled ? Int64(own.count) : nil,
      digest: own.isSettled && own.tooLong.isEmpty ? publishedDigest : nil)
    broker.session?.publish(text(.status(device)), status.payload, qos: qos, isRetained: true)
    apply(
      mirror.received(
        Delivery(.status(device), status.payload, isRetained: false), nowUsec: nowUsec))
  }

  private func publishRemoval() {
    removalID = broker.session?.publish(text(.status(device)), [], isRetained: true)
  }

  // MARK: - Changes of the mirror

  private func apply(_ changes: [MirrorChange]) {
    for change in changes {
      switch change {
      case .status(let owner):
        // Clients see only the state of a member, and since when it has it. Skip any other change
        // of a status, such as a new number of timers. If a member has left the session, the member
        // has no timers any more.
        guard noteState(of: owner) else { continue }
        for name in mirror.devices[owner]?.names ?? [] { noteChange(of: name, on: owner) }
      case .timer(let owner, let name): noteChange(of: name, on: owner)
      case .event(let owner, let event):
        if mirror.isComplete, let event = shown(event, of: owner) { streams.happened(event) }
      case .gap(let owner): if owner != device.description { missedSomething() }
      case .ring: break
      }
    }
  }

  /// - Returns: whether the state of the member that clients see has changed.
  private func noteState(of owner: String) -> Bool {
    let old = seen[owner]
    guard let known = mirror.devices[owner] else {
      seen[owner] = nil
      return old != nil
    }
    let new = (state: state(of: owner), sinceUsec: known.sinceUsec)
    seen[owner] = new
    return old?.state != new.state || old?.sinceUsec != new.sinceUsec
  }

  private func noteChange(of name: String, on owner: String) {
    guard mirror.isComplete, let shown = shownName(of: name, on: owner) else { return }
    streams.timerChanged(shown)
  }

  private func missedSomething() {
    guard mirror.isComplete, !isRereadScheduled else { return }
    isRereadScheduled = true
    retryTimer.arm(atUsec: loop.now.boottimeUsec + retryUsec)
  }

  private func readAgain() {
    isRereadScheduled = false
    guard mirror.isComplete else { return }
    retryUsec = min(retryUsec * 2, Self.retryUsec.upperBound)
    broker.readRetained()
  }

  private func removeAbsentMembers() {
    guard mirror.isComplete else { return }
    for owner in mirror.devices.keys.sorted() where owner != device.description {
      if !present.contains(owner) { apply(mirror.lost(owner)) }
    }
  }

  // MARK: - Sleep and end

  /// Publishes to the other members that this machine is about to sleep.
  func machineWillSleep() { publishStatus(.asleep) }

  /// Closes the connection cleanly. `connect` makes a new one.
  func disconnect() { broker.close() }

  /// Connects at once, without the pause after a failure.
  func connect() {
    if mirror.isComplete { publishStatus(.online) }
    broker.connectAtOnce()
  }

  /// Closes the connection for good. The other members see this machine as offline or, if this
  /// machine has left the session, not at all.
  func end() {
    isOver = true
    // At QoS 0, libmosquitto sends the message before the connection ends.
    publishStatus(.offline, qos: 0)
    daemon?.close()
    broker.close()
  }

  /// The session as clients see it.
  var shown: BridgeWire.Session {
    var session = BridgeWire.Session(
      session: address.path, group: address.group, part: hasLeft ? .left : part,
      connected: isConnected, complete: isConnected && mirror.isComplete, timers: Int64(own.count),
      unpublished: Array(own.unpublished.sorted().prefix(16)),
      members: mirror.devices.keys.sorted().compactMap(member))
    let tooLong = BrokerProblem(tooLong: own.tooLong, most: broker.session?.mostBytes)?.reason
    session.reason = (reason ?? tooLong)?.description
    return session
  }

  private func member(_ key: String) -> BridgeWire.Member? {
    guard let (person, machine) = Self.parts(of: key), let known = mirror.devices[key] else {
      return nil
    }
    var member = BridgeWire.Member(
      person: person, device: machine, state: .init(rawValue: state(of: key).rawValue),
      timers: Int64(known.count))
    member.sinceUsec = known.sinceUsec
    return member
  }

  private static func parts(of key: String) -> (person: String, device: String)? {
    let parts = key.split(separator: "/", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
  }

  private func state(of key: String) -> Wire.OwnerState {
    // If this person was removed from the group, the broker refuses to send messages to this
    // machine. Then this machine does not know the states of the other members.
    guard isConnected, mirror.isComplete, !isRefused || key == device.description else {
      return key == device.description ? .online : .unknown
    }
    let word = Wire.OwnerState(rawValue: mirror.devices[key]?.status?.state.rawValue ?? "")
    return word.isKnown ? word : .offline
  }
}

// MARK: - The socket

extension SharedSession: TimerView {
  private func shownName(of name: String, on owner: String) -> String? {
    guard let (person, machine) = Self.parts(of: owner),
      let owner = DeviceAddress(person: person, device: machine)
    else { return nil }
    return address.shownName(of: name, on: owner)
  }

  var names: [String] {
    mirror.devices.flatMap { owner, known in
      known.names.compactMap { shownName(of: $0, on: owner) }
    }.sorted()
  }

  func timer(_ shown: String) -> JSONValue? {
    let parts = shown.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2 else { return nil }
    let owner = "\(parts[0])/\(parts[1])"
    let name = address.path + (parts.count == 3 ? "/\(parts[2])" : "")
    let known = mirror.devices[owner]
    guard
      let timer = known?.timer(
        name, realtimeUsec: loop.now.realtimeUsec, boottimeUsec: loop.now.boottimeUsec)
    else { return nil }
    var members = (timer.objectValue ?? []).filter { $0.key != "name" }
    members.insert(.init("name", .string(shown)), at: 0)
    members += [
      .init("owner", .string(owner)), .init("owner_state", .string(state(of: owner).rawValue)),
    ]
    if let usec = known?.sinceUsec { members.append(.init("owner_since_usec", .integer(usec))) }
    return .object(members)
  }

  private func shown(_ event: JSONValue, of owner: String) -> JSONValue? {
    guard let name = event["name"]?.stringValue, let shown = shownName(of: name, on: owner) else {
      return nil
    }
    let members = (event.objectValue ?? []).map { member -> JSONValue.Member in
      switch member.key {
      case "name": return JSONValue.Member("name", .string(shown))
      case "new_name", "old_name":
        let other = member.value.stringValue.flatMap { shownName(of: $0, on: owner) }
        return JSONValue.Member(member.key, other.map(JSONValue.string) ?? member.value)
      default: return member
      }
    }
    return .object(members)
  }

  /// Always 0, because the ledger of each member has its own numbers.
  var lastSeq: Int64 { 0 }
  var ledger: String? { nil }

  func readLedger(after: Int64, _ prefix: String?, _ peer: VarlinkPeer) {
    peer.fail(.invalidParameter(parameter: "after"))
  }
}

// MARK: - Messages of the broker

extension SharedSession: BrokerLinkDelegate {
  var linkMayConnect: Bool { !isOver && delegate.mayConnect }

  var linkWill: (topic: String, payload: [UInt8]) {
    (text(.status(device)), DeviceStatus(.offline).payload)
  }

  func linkTicks() { daemon?.look() }

  func linkConnected() { (isConnected, sinceUsec) = (true, loop.now.realtimeUsec) }

  func linkWillReadRetained(_ session: BrokerSession) {
    present = []
    own.connected(mostBytes: session.mostBytes - prefix.utf8.count)
    mirror.connected()
    let everyDevice = "\(prefix)/+/+"
    session.subscribe("\(everyDevice)/status", qos: 1, isOwnLeftOut: true)
    session.subscribe("\(everyDevice)/event", qos: 1, isOwnLeftOut: true)
    // At QoS 0, a broker does not count retained messages towards the limit of a client's queue.
    session.subscribe("\(everyDevice)/timer/#", qos: 0, isOwnLeftOut: true)
  }

  func linkDidReadRetained() {
    reason = nil
    publish(own.markerArrived())
    apply(mirror.markerArrived())
    if !isRereadScheduled { retryUsec = Self.retryUsec.lowerBound }
    if part == .leaving { return publishRemoval() }
    publishStatus(.online)
    presenceTimer.arm(atUsec: loop.now.boottimeUsec + Self.presenceUsec)
    streams.showAnew()
    reportIfReady()
  }

  func link(received message: BrokerMessage) {
    guard let topic = Topic(message.topic, prefix: prefix) else { return }
    if case .timer(device, let name) = topic { publish(own.received(name, message.payload)) }
    let owner = topic.address.map(\.description) ?? ""
    if !message.isRetained { present.insert(owner) }
    let sinceUsec = mirror.devices[owner]?.status?.sinceUsec
    apply(
      mirror.received(
        Delivery(
          topic, message.payload, isRetained: message.isRetained,
          expirySeconds: message.expirySeconds), nowUsec: loop.now.realtimeUsec))
    let status = mirror.devices[owner]?.status
    // Another member has connected. Publish the status again, so that the member gets a new message
    // and not only the retained one.
    if case .status = topic, !message.isRetained, owner != device.description,
      status?.state == .online || status?.state == .noDaemon, status?.sinceUsec != sinceUsec
    {
      statusTimer.arm(atUsec: loop.now.boottimeUsec + Self.answerUsec)
    }
  }

  func link(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    if case .refused(let reason) = acknowledgement { return refused(reason) }
    guard mid == removalID else { return }
    removalID = nil
    loop.later { [weak self] in
      guard let self, part == .leaving, !isOver else { return }
      hasLeft = true
      delegate.sessionIsLeft(self)
    }
  }

  /// Whether the session is in the state that the client requested: all retained messages were read
  /// and, if this machine shares its timers, the timers are published.
  var isReady: Bool { mirror.isComplete && !isRefused && (part != .shared || own.isSettled) }

  private func reportIfReady() { if isReady { delegate.sessionIsComplete(self) } }

  func linkSubscriptionRefused(_ reason: Sentence) { refused(reason) }

  private func refused(_ words: Sentence) {
    reason = """
      the broker does not let \(device.person) take part in \(address.group) (\(words)); the \
      broker's administrator can add \(device.person) to the group, see nightjar-mqtt(1)
      """
    let wasRefused = isRefused
    isRefused = true
    if !wasRefused { streams.showAnew() }
    // Report only the first refusal on a connection. While this machine is leaving the session,
    // report each refusal.
    guard !wasRefused || part == .leaving else { return }
    // In a later iteration, because this may close the connection, which must not happen in
    // libmosquitto's callback.
    loop.later { [weak self] in
      if let self { delegate.session(self, isRefused: words) }
    }
  }

  func linkEnded(_ end: BrokerSession.End) {
    let wasConnected = isConnected
    own.disconnected()
    mirror.disconnected()
    (isConnected, removalID, publishedDigest) = (false, nil, nil)
    (reason, sinceUsec) = (end.words, wasConnected ? loop.now.realtimeUsec : sinceUsec)
    retryTimer.arm(atUsec: nil)
    presenceTimer.arm(atUsec: nil)
    (isRereadScheduled, isRefused) = (false, false)
    retryUsec = Self.retryUsec.lowerBound
    if wasConnected, !isOver { streams.showAnew() }
  }
}

// MARK: - Messages of the daemon

extension SharedSession: DaemonLinkDelegate {
  func daemonBeginsSnapshot() { own.beginSnapshot() }

  func daemon(watched reply: JSONValue) {
    let wasSettled = own.isSettled
    publish(own.take(reply, nowUsec: loop.now.realtimeUsec))
    if own.isSettled, !wasSettled {
      publishStatus(.online)
      reportIfReady()
    }
    guard let event = reply["event"], event["name"] == nil else { return }
    switch event["type"]?.stringValue.flatMap(Wire.EventType.init(rawValue:)) {
    // These events move deadlines, or stop or continue timers.
    case .didEnterBackground, .willEnterForeground, .spanCorrected, .clockStepped, .zoneChanged:
      daemon?.askTimers()
    default: break
    }
  }

  func daemon(showed timer: JSONValue) {
    publish(own.refresh(timer, nowUsec: loop.now.realtimeUsec))
  }

  func daemon(reported status: JSONValue) {}

  func daemon(holds hold: Int64, span: Int64?) {}

  func daemonAnswers(_ isAnswered: Bool) { publishStatus(.online) }

  func daemonLost(_ reason: Sentence) {}
}
