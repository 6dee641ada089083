internal import CMosquitto
internal import Glibc
internal import NightjarConfig
internal import NightjarDesktop
internal import NightjarHomeAssistant
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTrust
internal import Varlink

/// Connects this machine's daemon to the broker: publishes its timers, and mirrors the timers of
/// the user's other machines.
final class Bridge {
  /// How long the bridge waits, in microseconds, after a timer was started or removed, before it
  /// publishes its status. Several changes within this time cause one status.
  static let statusUsec: Int64 = 2_000_000
  /// How long, in microseconds, the bridge waits before it asks the daemon, after logind reports
  /// that the user left or came back, and after the daemon said that it does not know yet whether
  /// it can show popups.
  static let presenceUsec: Int64 = 500_000
  private let loop: EventLoop
  private let settings: BridgeSettings
  private(set) var link: DaemonLink!
  private(set) var broker: BrokerLink!
  var own: OwnTimers
  var mirror: Mirror
  private(set) var sockets: BridgeSockets!
  private(set) var outgoing: OutgoingCalls!
  private(set) var incoming: IncomingCalls!
  private var questions: OwnerQuestions!
  private var limited: LimitedLog!
  /// The last lines about the broker and the daemon that do not answer. If an attempt fails as the
  /// one before, no line is added.
  private var lastLines: (broker: String, daemon: String) = ("", "")
  /// Rings on this machine for timers of the user's other machines.
  private(set) var remote: RemoteRinging!
  /// Applies answers from other machines to the rings of this machine's timers.
  private var hold: RingHold!
  private(set) var sessions: SharedSessions!
  private var home: HomeAssistant!
  /// Machines whose timers changed while the bridge was reading the broker's retained messages.
  private var changedWhileReading: Set<String> = []
  /// The random word that identifies this run of the bridge in its presence.
  private let instance = String(UInt64.random(in: 0...UInt64.max), radix: 16)
  /// When this bridge first published that it is online, on CLOCK_REALTIME; nil: not yet. If a
  /// later presence has another word, it comes from another bridge of the same name.
  private var firstOnlineUsec: Int64?
  private var isTakenOver = false
  private var sleepWatch: SleepWatch!
  private var links: LinkWatch?
  private var statusTimer: TimerSource!
  /// Asks the daemon for its status.
  private var presenceTimer: TimerSource!
  /// Publishes the presence again, for a machine that has connected.
  private var newcomerTimer: TimerSource!
  /// Marks machines as offline that have sent nothing since the marker.
  private var absenceTimer: TimerSource!
  /// The number of the marker behind the retained messages of machines.
  private var marker = 0
  /// The persons of sessions to whose presence the bridge has subscribed on this connection.
  private var presences: Set<String> = []
  /// The persons of subscriptions that the broker has not answered, by the subscription's number.
  private var presenceIDs: [Int32: String] = [:]
  /// The digest of the timers in the last status that was published.
  private var publishedDigest: String?
  /// Whether the kernel reported the clock as synchronised at the last tick of the link; nil: there
  /// was no tick.
  private var isDisciplined: Bool?
  private(set) var report: BridgeReport
  /// The exit code; nil until `stop` is called.
  private var exitCode: Int32?

  /// Makes a bridge that is not connected yet.
  ///
  /// - Parameters:
  ///   - desktop: the settings of popups and sounds for rings of other machines.
  ///   - socketPath: the path of the daemon's socket.
  ///   - folder: the folder for the sockets through which clients reach other machines.
  ///   - statePath: the folder for data that must survive a restart of the bridge.
  init(
    loop: EventLoop, settings: BridgeSettings, desktop: DesktopSettings, socketPath: String,
    folder: String, statePath: String
  ) throws(SystemError) {
    mosquitto_lib_init()
    self.loop = loop
    self.settings = settings
    own = OwnTimers(address: settings.address)
    mirror = Mirror(own: settings.address)
    report = BridgeReport(settings: settings)
    limited = try LimitedLog(loop: loop)
    presenceTimer = try loop.timer(on: .boottime) { [weak self] in self?.link.askStatus() }
    sleepWatch = try SleepWatch(loop: loop, bridge: self)
    watchLinks()
    statusTimer = try loop.timer(on: .boottime) { [weak self] in
      self?.publishStatus()
      self?.sessions.renewStatus()
      self?.link.askStatus()
    }
    newcomerTimer = try loop.timer(on: .boottime) { [weak self] in
      // Until the marker, the broker has an older status of this machine.
      if let self, mirror.isComplete { publishPresence(.online) }
    }
    absenceTimer = try loop.timer(on: .boottime) { [weak self] in
      if let self { apply(mirror.endPresence()) }
    }
    sockets = try BridgeSockets(loop: loop, folder: folder, bridge: self)
    broker = try BrokerLink(
      loop: loop, settings: settings, marker: text(.marker(settings.address)), bridge: self)
    link = try DaemonLink(loop: loop, path: socketPath, bridge: self)
    sessions = try SharedSessions(
      loop: loop, settings: settings, folder: folder,
      file: StateFile(path: "\(statePath)/sessions.json"), bridge: self)
    home = try HomeAssistant(
      loop: loop, names: settings.homeAssistant,
      topics: HomeTopics(settings.address, prefix: settings.prefix), allowed: settings.others,
      program: .beside(socketPath), bridge: self)
    hold = RingHold(loop: loop, bridge: self)
    remote = try RemoteRinging(
      loop: loop, device: settings.address.device, desktop: desktop,
      note: Note(path: "\(BridgePaths.status(in: folder)).popups"),
      file: StateFile(path: "\(statePath)/answers.json"), bridge: self)
    outgoing = try OutgoingCalls(loop: loop, bridge: self)
    incoming = try IncomingCalls(loop: loop, allowed: settings.others, bridge: self)
    questions = OwnerQuestions(bridge: self)
  }

  /// Connects to the daemon and to the broker.
  func start() {
    remote.start()
    link.connect()
    broker.connect()
    sessions.start()
  }

  /// Publishes that this machine is offline, disconnects, and ends the loop.
  func stop(_ code: Int32) {
    guard exitCode == nil else { return }
    exitCode = code
    sockets.close()
    sessions.close()
    remote.end()
    guard broker.session != nil, report.isConnected else { return loop.exit(code) }
    // At QoS 0, libmosquitto sends the message before the connection ends. At QoS 1, earlier
    // messages without acknowledgement could delay it.
    publishPresence(.offline, qos: 0)
    broker.close()
  }

  // MARK: - The broker

  /// The topics of an owner of timers, below the owner's prefix, and how to subscribe to them. At
  /// QoS 0, a broker does not count retained messages towards the limit of a client's queue.
  private static let ownerTopics: [(topic: String, qos: Int32)] = [
    ("status", 1), ("event", 1), ("timer/#", 0),
  ]

  /// Subscribes to the status, the events and the timers of owners.
  ///
  /// - Parameter prefix: the filter of the owners' prefixes.
  /// - Returns: the numbers of the subscriptions.
  @discardableResult
  func subscribe(toOwners prefix: String) -> [Int32] {
    Self.ownerTopics.compactMap { topic, qos in
      broker.session?.subscribe("\(prefix)/\(topic)", qos: qos, isOwnLeftOut: true)
    }
  }

  func unsubscribe(fromOwners prefix: String) {
    for (topic, _) in Self.ownerTopics { broker.session?.unsubscribe("\(prefix)/\(topic)") }
  }

  /// Subscribes to the presence of the persons in the sessions, until the connection ends. If this
  /// machine leaves a session and takes part in it again, it still knows who is there.
  ///
  /// - Returns: whether there is a new person.
  func subscribeToPresence() -> Bool {
    let new = mirror.persons.subtracting(presences)
    presences.formUnion(new)
    for person in new { subscribe(toPresenceOf: person) }
    return !new.isEmpty
  }

  private func subscribe(toPresenceOf person: String) {
    let filter = "\(settings.prefix)/\(person)/+/presence"
    guard let mid = broker.session?.subscribe(filter, qos: 1, isOwnLeftOut: true) else { return }
    presenceIDs[mid] = person
  }

  /// Removes the timers from the broker that this machine published under a former name. Otherwise
  /// other machines would ring twice for each of them.
  private func removeFormerNames() {
    guard own.isSettled, mirror.isComplete, let ledger = own.ledger else { return }
    for owner in mirror.formerNames(ofLedger: ledger) {
      let address = owner.address
      Log.write(.notice, "removing the former name \(owner) of this machine from the broker")
      let names = mirror.devices[owner]?.names ?? []
      var topics = names.map { Topic.timer(address, name: $0) } + [.status(address)]
      if owner.session == nil { topics.append(.presence(address)) }
      publish(topics.map { Delivery($0, [], isRetained: true, in: owner.session) })
      if owner.session == nil { home.remove(former: address, prefix: settings.prefix) }
    }
  }

  private func markerArrived() {
    publish(own.markerArrived())
    showHome()
    apply(mirror.markerArrived())
    for device in changedWhileReading { sockets.showAnew(device) }
    changedWhileReading = []
    sockets.answerWaiting()
    publishStatus()
    removeFormerNames()
    remote.settled()
    publishAnswers()
    // Other machines may have answered these rings while this machine was not connected.
    own.renewRings()
    answerOwnRings()
  }

  func publish(_ publications: [Delivery]) {
    guard report.isConnected else { return }
    if own.isSettled, statusTimer.armedAtUsec == nil, own.main.digest.text != publishedDigest {
      statusTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.statusUsec)
    }
    for publication in publications {
      publish(publication)
      guard publication.session == nil else { continue }
      if case .timer(settings.address, let name) = publication.topic {
        home.timerChanged(name, publication.payload)
      }
    }
  }

  /// - Returns: the number of the message; nil: it was not sent.
  @discardableResult
  func publish(_ publication: Delivery) -> Int32? {
    let prefix = publication.session?.topicPrefix(below: settings.prefix) ?? settings.prefix
    let mid = publish(
      publication.topic.text(prefix: prefix), publication.payload,
      isRetained: publication.isRetained, expirySeconds: publication.expirySeconds)
    if let mid, let session = publication.session { sessions.published(mid, in: session) }
    // The broker does not send a bridge its own messages, so apply them to the mirror here.
    var delivery = publication
    delivery.isRetained = false
    apply(mirror.received(delivery, nowUsec: loop.now.realtimeUsec))
    return mid
  }

  /// - Returns: the number of the message; nil: it was not sent.
  @discardableResult
  func publish(
    _ topic: String, _ payload: [UInt8], qos: Int32 = 1, isRetained: Bool = false,
    call: CallProperties? = nil, expirySeconds: UInt32? = nil
  ) -> Int32? {
    guard report.isConnected, let session = broker.session else { return nil }
    guard topic.utf8.count + payload.count <= session.mostBytes else {
      // An event is as long as its timer, which is reported by its name.
      if isRetained { report.problem = BrokerProblem(tooLong: [topic], most: session.mostBytes) }
      return nil
    }
    report.published(payload.count)
    return session.publish(
      topic, payload, qos: qos, isRetained: isRetained, call: call, expirySeconds: expirySeconds)
  }

  /// Shows the timers to Home Assistant, as soon as they and the broker's messages are known.
  private func showHome() { if own.isSettled { home.settled(own.main.values) } }

  /// - Returns: the number of the message; nil: there is no connection.
  func publish(_ call: RemoteCall, to device: String, correlation: [UInt8]) -> Int32? {
    guard let address = DeviceAddress(person: settings.address.person, device: device) else {
      return nil
    }
    let answer = text(.reply(settings.address))
    return publish(
      text(.call(address)), call.payload,
      call: CallProperties(responseTopic: answer, correlation: correlation))
  }

  /// The longest call or answer that the broker takes, in bytes. Its message also has two topics
  /// and the id of the call.
  var mostCallBytes: Int {
    let topicBytes = text(.reply(settings.address)).utf8.count
    return (broker.session?.mostBytes ?? .max) - 2 * topicBytes - 64
  }

  /// Publishes whether this machine can be reached.
  ///
  /// - Returns: the number of the message; nil: it was not sent.
  @discardableResult
  private func publishPresence(_ state: DevicePresence.State, qos: Int32 = 1) -> Int32? {
    guard report.isConnected, !isTakenOver else { return nil }
    // After the presence `asleep`, no `online` is published until the sleep is over.
    guard state != .online || sleepWatch.isAwake else { return nil }
    let nowUsec = loop.now.realtimeUsec
    if state == .online, firstOnlineUsec == nil { firstOnlineUsec = nowUsec }
    let connectedUsec = report.sinceUsec ?? nowUsec
    let silentUsec = state == .online ? link.silentSinceUsec : nil
    // Each connection has another time, by which other machines know that this one is new.
    let presence = DevicePresence(
      silentUsec == nil ? state : .noDaemon, instance: instance,
      sinceUsec: state == .online ? max(silentUsec ?? 0, connectedUsec) : nowUsec,
      sentUsec: nowUsec)
    mirror.ownPresence = presence
    sessions.stateMayHaveChanged(of: settings.address)
    return publish(text(.presence(settings.address)), presence.payload, qos: qos, isRetained: true)
  }

  /// Publishes what the user's other machines must know of this machine. The presence, which says
  /// that this machine is online, is published after it.
  private func publishStatus() {
    guard report.isConnected, !isTakenOver, sleepWatch.isAwake else { return }
    // Until the daemon has sent all its timers, the status says nothing about them. If some timers
    // cannot be published, the status has no digest, because other machines could not compute the
    // same digest.
    let isKnown = own.isSettled && link.isAnswered
    let localState = remote.localState
    publishedDigest = own.main.digest.text
    let status = DeviceStatus(
      ledger: isKnown ? own.ledger : nil, lastSeq: isKnown ? own.lastSeq : nil,
      timers: own.isSettled ? Int64(own.main.count) : nil,
      digest: own.isSettled && own.main.unpublished.union(own.main.tooLong).isEmpty
        ? publishedDigest : nil,
      isSynchronized: localState.isSynchronized ?? Clocks.readWithSynchronization().isSynchronized,
      active: localState.active,
      canRing: link.isAnswered && localState.canRing)
    publish(text(.status(settings.address)), status.payload, isRetained: true)
  }

  func text(_ topic: Topic) -> String { topic.text(prefix: settings.prefix) }

  func apply(_ changes: [MirrorChange]) {
    for change in changes {
      sessions.changed(change)
      guard change.owner.map(mirror.isMachine) ?? true else { continue }
      if mirror.isComplete { sockets.changed(change) } else { noteWhileReading(change) }
      remote.changed(change)
      switch change {
      case .status(let owner):
        switch mirror.devices[owner]?.state {
        case .online: outgoing.sendAgain(to: owner.device)
        case .offline: removeFormerNames()
        case .asleep, .noDaemon, nil: break
        }
      case .gap(let owner): questions.ask(owner.device)
      case .ring(let key):
        if mirror.isComplete, let ring = own.answered(key, mirror.answers) { hold.answer(ring) }
      case .timer, .event: break
      }
    }
    publishAnswers()
  }

  /// Handles a change that arrives while the bridge reads retained messages. Now, the bridge sends
  /// watching clients only changes of a machine's status. When it has read all retained messages,
  /// it sends them all timers of each machine that changed.
  private func noteWhileReading(_ change: MirrorChange) {
    switch change {
    case .status: sockets.changed(change)
    case .timer(let owner, _), .event(let owner, _), .gap(let owner):
      changedWhileReading.insert(owner.device)
    case .ring: break
    }
  }

  /// The wall clock, in microseconds.
  var nowUsec: Int64 { loop.now.realtimeUsec }

  /// Replaces the timers of a machine in the mirror by those that it has sent.
  func merge(_ values: [TimerValue], of device: String, ledger: String, lastSeq: Int64) {
    let changes = mirror.merge(values, of: device, ledger: ledger, lastSeq: lastSeq)
    for change in changes { remote.changed(change) }
    sockets.showAnew(device)
  }
}

// MARK: - Rings

extension Bridge {
  /// Publishes the answers that the broker lacks. If the connection is lost before they arrive, the
  /// next snapshot shows that.
  private func publishAnswers() {
    guard report.isConnected, mirror.isComplete else { return }
    let nowUsec = loop.now.realtimeUsec
    for (key, answer) in mirror.takeUnsent(nowUsec: nowUsec) {
      let leftUsec = Mirror.answerUsec - max(0, nowUsec - answer.sentUsec)
      publish(
        Delivery(
          .ring(person: settings.address.person, key), answer.payload, isRetained: true,
          expirySeconds: UInt32(leftUsec / 1_000_000 + 1)))
    }
  }

  /// Applies the answers of other machines to this machine's new rings. Then makes the daemon show
  /// the remaining rings, which it has held back.
  func answerOwnRings() {
    guard own.isSettled, mirror.isComplete else { return }
    for ring in own.takeAnswered(mirror.answers) { hold.answer(ring) }
    hold.release(seq: own.lastSeq)
  }
}

// MARK: - Messages of the broker

extension Bridge {
  /// The problem of timers that are too long for the broker; nil: there are none.
  func tooLong(in session: SessionAddress? = nil) -> BrokerProblem? {
    BrokerProblem(
      tooLong: own.published(in: session)?.tooLong ?? [], most: broker.session?.mostBytes)
  }

  /// Whether the link may connect now.
  var linkMayConnect: Bool { exitCode == nil && !isTakenOver && sleepWatch.isAwake }

  /// The message that the broker publishes when it loses this machine.
  var linkWill: (topic: String, payload: [UInt8]) {
    let will = DevicePresence(.offline, instance: instance, sentUsec: loop.now.realtimeUsec)
    return (text(.presence(settings.address)), will.payload)
  }

  /// Called several times per keepalive, while this process is awake anyway.
  func linkTicks() {
    link.look()
    // The daemon sends no event when this changes.
    let isDisciplined = Clocks.readWithSynchronization().isSynchronized
    if isDisciplined != self.isDisciplined { link.askStatus() }
    self.isDisciplined = isDisciplined
  }

  /// The broker accepted a connection. `linkWillReadRetained` follows.
  func linkConnected() {
    links?.isListening = false
    report.connected(at: loop.now.realtimeUsec)
    lastLines.broker = ""
    outgoing.connected()
    Log.write(.info, "connected to \(settings.broker) as \(settings.address)")
  }

  /// The link is about to read the retained messages, so this subscribes to them. A marker follows.
  func linkWillReadRetained(_ session: BrokerSession) {
    let everyDevice = "\(settings.prefix)/\(settings.address.person)/+"
    own.connected(mostBytes: session.mostBytes - settings.prefix.utf8.count)
    mirror.connected()
    marker = broker.lastMarker + 1
    presences = []
    home.subscribe(session)
    session.subscribe("\(everyDevice)/presence", qos: 1, isOwnLeftOut: true)
    subscribe(toOwners: everyDevice)
    _ = subscribeToPresence()
    sessions.subscribe(untilMarker: marker)
    session.subscribe(
      "\(settings.prefix)/\(settings.address.person)/\(DeviceAddress.ringWord)/#", qos: 1,
      isOwnLeftOut: true)
    session.subscribe(text(.call(settings.address)), qos: 1, isOwnLeftOut: true)
    session.subscribe(text(.reply(settings.address)), qos: 1, isOwnLeftOut: true)
  }

  /// All messages that were retained when the marker with this number was published, below the
  /// topics to which the bridge had subscribed, have arrived.
  func link(markerArrived number: Int) {
    if number == marker { markerArrived() }
    sessions.markerArrived(number)
    // Whoever sees this machine online also sees its part in each session.
    if number == marker { publishPresence(.online) }
    absenceTimer.arm(atUsec: loop.now.boottimeUsec + Mirror.presenceUsec)
  }

  /// A message arrived. It may be a marker.
  func link(received message: BrokerMessage) {
    if home.received(message) { return report.received(message.payload.count) }
    let session = sessions.session(of: message.topic)
    let prefix = session?.address.topicPrefix(below: settings.prefix) ?? settings.prefix
    guard let topic = Topic(message.topic, prefix: prefix) else { return }
    report.received(message.payload.count)
    if topic.address == settings.address, session == nil { return receivedOwn(topic, message) }
    let delivery = Delivery(
      topic, message.payload, isRetained: message.isRetained,
      expirySeconds: message.expirySeconds, in: session?.address)
    apply(mirror.received(delivery, nowUsec: loop.now.realtimeUsec))
    if mirror.takeNewcomer(), newcomerTimer.armedAtUsec == nil {
      newcomerTimer.arm(atUsec: loop.now.boottimeUsec + Mirror.answerNewcomerUsec)
    }
    guard let session else { return }
    if case .timer(settings.address, let name) = topic {
      publish(own.received(name, message.payload, in: session.address))
    }
    // A person who joins later is known by the first message.
    if session.marker == nil, !presences.contains(topic.person) { _ = subscribeToPresence() }
  }

  private func receivedOwn(_ topic: Topic, _ message: BrokerMessage) {
    switch topic {
    case .timer(_, let name): publish(own.received(name, message.payload))
    case .call: incoming.received(message, from: caller(of: message))
    case .reply:
      outgoing.answered(message.correlation ?? [], message.payload)
    case .presence: checkInstance(message)
    case .marker, .status, .event, .ring: break
    }
  }

  /// Two bridges of the same name take the connection from each other. mosquitto 2.0.11 does not
  /// report the reason to the bridge that loses its connection. When that bridge has connected
  /// again, it finds the other bridge's word in the presence, and stays disconnected.
  private func checkInstance(_ message: BrokerMessage) {
    // The broker may still have the presence of an earlier run of this bridge. It is older.
    guard message.isRetained, !isTakenOver, let firstOnlineUsec,
      let presence = DevicePresence(payload: message.payload), let other = presence.instance,
      other != instance, presence.sentUsec ?? 0 > firstOnlineUsec
    else { return }
    isTakenOver = true
    loop.later { [weak self] in self?.broker.close() }
  }

  /// Makes the daemon carry out a permitted call of another machine.
  func answer(_ call: RemoteCall, _ reply: @escaping (OwnerAnswer) -> Void) {
    let noDaemon = CallRefusal.noDaemon(of: settings.address.device)
    guard link.isAnswered else { return reply(.error(noDaemon.name, noDaemon.parameters)) }
    if call.method == RemoteCall.ledgerMethod {
      guard let after = call.parameters["after"]?.integerValue, after >= 0 else {
        return reply(
          .error("\(VarlinkError.invalidParameter(parameter: "").name)", ["parameter": "after"]))
      }
      return link.readLedger(after: after) {
        reply($0 ?? .error(noDaemon.name, noDaemon.parameters))
      }
    }
    guard link.ask(call.method, call.parameters, reply) else {
      return reply(.error(noDaemon.name, noDaemon.parameters))
    }
  }

  /// The topic for the reply to a call; nil if that topic does not belong to a machine of the same
  /// user.
  private func caller(of message: BrokerMessage) -> Topic? {
    guard let topic = message.responseTopic.flatMap({ Topic($0, prefix: settings.prefix) }),
      case .reply = topic, topic.person == settings.address.person
    else { return nil }
    return topic
  }

  /// The broker acknowledged a message that was published at QoS 1.
  func link(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    if sessions.acknowledged(mid, acknowledgement) { return }
    sleepWatch.acknowledged(mid)
    incoming.acknowledged(mid)
    if case .taken = acknowledgement { return }
    if case .refused(let reason) = acknowledgement { refused("publish to", reason) }
    outgoing.failed(mid, acknowledgement)
  }

  /// The broker answered the subscription with this number. `refusal`: why this machine may not
  /// read those topics; nil: it may.
  func link(subscribed mid: Int32, refusal: Sentence?) {
    let person = presenceIDs.removeValue(forKey: mid)
    guard !sessions.subscribed(mid, refusal: refusal), let refusal else { return }
    guard let person else { return refused("read", refusal) }
    limited.write(
      "presence", .warning,
      "the broker does not let this machine see whether the machines of \(person) are connected "
        + "(\(refusal)); correct the broker's access list, see nightjar-mqtt(1)")
  }

  private func refused(_ what: String, _ reason: Sentence) {
    let person = "\(settings.prefix)/\(settings.address.person)/#"
    let problem = BrokerProblem(
      "the broker does not let this machine \(what) a topic in \(person) (\(reason))",
      "correct the broker's access list")
    report.problem = problem
    limited.write("refused", .error, problem.description)
  }

  private func logAnew(_ line: String, after last: inout String) {
    if line != last { Log.write(.warning, line) }
    last = line
  }

  /// A connection ended, or could not be made. No message of that connection follows.
  func linkEnded(_ end: BrokerSession.End) {
    let wasConnected = report.isConnected
    own.disconnected()
    mirror.disconnected()
    for timer in [absenceTimer, newcomerTimer] { timer?.arm(atUsec: nil) }
    presenceIDs = [:]
    remote.disconnected()
    home.disconnected()
    outgoing.disconnected()
    incoming.disconnected()
    questions.disconnected()
    sleepWatch.connectionEnded()
    if let exitCode { return loop.exit(exitCode) }
    defer { if wasConnected { sessions.disconnected() } }
    switch isTakenOver ? .takenOver : end {
    case .closed:
      // The bridge itself closes the connection only for a sleep, or at its end, which was handled
      // above. The sleep may have been cancelled in the meantime.
      let problem = BrokerProblem("this machine is about to sleep")
      Log.write(.info, "disconnected: \(problem)")
      report.lost(problem, at: loop.now.realtimeUsec)
    case .takenOver:
      isTakenOver = true
      // Do not connect again: two bridges of the same name would take the connection from each
      // other without end.
      Log.write(
        .error,
        "another machine is connected as \(settings.address); give this one another 'device', then run "
          + "systemctl --user restart nightjar-mqtt")
      report.lost(
        BrokerProblem(
          "another machine is connected as \(settings.address)",
          "give one of the two another 'device' in [mqtt]"), at: loop.now.realtimeUsec)
    case .failed(let problem):
      links?.isListening = true
      logAnew("not connected to \(settings.broker): \(problem)", after: &lastLines.broker)
      report.lost(problem, at: loop.now.realtimeUsec)
    }
  }
}

// MARK: - Messages of the daemon

extension Bridge {
  /// A reply of `Watch`.
  func daemon(watched reply: JSONValue) {
    let wasSettled = own.isSettled
    publish(own.take(reply, nowUsec: loop.now.realtimeUsec))
    if reply["synced"]?.boolValue == true {
      link.askStatus()
      if own.isSettled, !wasSettled {
        showHome()
        publishStatus()
        sessions.publishStatus()
        removeFormerNames()
      }
    }
    for (key, answer) in own.takeAnswers() { apply(mirror.take(own: answer, to: key)) }
    answerOwnRings()
    if let event = reply["event"] { home.happened(event) }
    guard reply["event"]?["name"] == nil, let type = reply["event"]?["type"]?.stringValue else {
      return
    }
    let event = Wire.EventType(rawValue: type)
    if event == .willEnterForeground, let span = reply["event"]?["span"] { spanEnded(span) }
    switch event {
    // These events move deadlines, or stop or continue timers.
    case .didEnterBackground, .willEnterForeground, .spanCorrected, .clockStepped, .zoneChanged:
      link.askTimers()
      link.askStatus()
      remote.look()
    default: break
    }
  }

  /// Handles the end of a background span, which is on the daemon's disk now.
  private func spanEnded(_ span: JSONValue) {
    if let number = span["span"]?.integerValue { hold.ended(span: number) }
    // If the present connection is older than the sleep, the bridge did not disconnect before the
    // sleep, because logind did not announce it in time. The messages that arrive now may then be
    // older than the sleep. So this reads the retained messages again.
    let wasAsleep = span["causes"]?.arrayValue?.contains {
      $0.stringValue == Wire.Cause.sleep.rawValue
    }
    guard wasAsleep == true, report.isConnected,
      let enteredUsec = span["entered_usec"]?.integerValue,
      report.sinceUsec ?? 0 < enteredUsec
    else { return }
    remote.woke()
    broker.readRetained()
  }

  /// The present state of a timer, apart from the stream of changes.
  func daemon(showed timer: JSONValue) {
    publish(own.refresh(timer, nowUsec: loop.now.realtimeUsec))
  }

  /// The reply to `Status`.
  func daemon(reported status: JSONValue) {
    var new = RemoteRings.LocalState()
    let (presence, ring) = (status["presence"], status["ring"])
    new.canRing = ring?["seen"]?.boolValue == true || ring?["heard"]?.boolValue == true
    if presence?["seen"]?.boolValue == true {
      new.active = presence?["away"]?.boolValue == true ? .no : .yes
    }
    new.isSynchronized = status["clock_synchronized"]?.boolValue
    // The daemon does not know yet whether it can show popups, and sends no event when it does.
    if ring?["unseen"]?.stringValue == Wire.RingLack.asking.rawValue { askStatusSoon() }
    guard new != remote.localState else { return }
    remote.localStateChanged(new)
    if own.isSettled { publishStatus() }
  }

  /// The daemon holds back the rings of a background span.
  func daemon(holds hold: Int64, span: Int64) { self.hold.began(hold, span: span) }

  /// The daemon begins to answer, or no longer does.
  func daemonAnswers(_ isAnswered: Bool) {
    home.daemonAnswers(isAnswered)
    // Without its daemon, the machine cannot ring. No other machine must see that before it sees
    // that the daemon does not answer.
    if isAnswered { publishStatus() }
    publishPresence(.online)
    guard isAnswered else { return }
    report.daemonReason = nil
    lastLines.daemon = ""
    // Other machines may have answered these rings while the daemon did not answer.
    own.renewRings()
    answerOwnRings()
  }

  /// The daemon does not answer. Called for each failed attempt.
  func daemonLost(_ reason: Sentence) {
    logAnew("the daemon does not answer: \(reason)", after: &lastLines.daemon)
    report.daemonReason = reason
    incoming.daemonLost()
    hold.daemonLost()
  }
}

// MARK: - Sleep and network

extension Bridge {
  /// Publishes the presence `asleep`.
  ///
  /// - Returns: the number of the message; nil: there is no connection.
  func machineWillSleep() -> Int32? {
    if statusTimer.armedAtUsec != nil { publishStatus() }
    sessions.renewStatus()
    return publishPresence(.asleep)
  }

  /// Closes the connection to the broker cleanly.
  ///
  /// - Returns: whether there was a connection. If so, `SleepWatch.connectionEnded` follows.
  func machineSleeps() -> Bool { broker.close() }

  /// The machine is awake again, or its sleep was cancelled.
  func machineWoke() {
    remote.woke()
    // The connection still exists if the sleep was cancelled early.
    if mirror.isComplete {
      publishStatus()
      publishPresence(.online)
      remote.settled()
    }
    broker.connectAtOnce()
  }

  /// Asks the daemon for its status when it has handled what this process was told, too.
  func askStatusSoon() {
    presenceTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.presenceUsec)
  }

  private func watchLinks() {
    do {
      links = try LinkWatch(on: loop) { [weak self] in self?.linkCameUp() }
    } catch {
      Log.write(
        .warning, "cannot watch the network, so reconnecting may take up to 30 s: \(error)")
    }
  }

  private func linkCameUp() {
    guard !report.isConnected, !isTakenOver, sleepWatch.isAwake else { return }
    limited.write("link", .info, "an address was added, or a link came up: connecting at once")
    broker.connectAtOnce()
  }
}
