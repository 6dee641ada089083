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
  /// that the user left or came back. The daemon gets the same report at the same time, and needs
  /// time to handle it.
  static let presenceUsec: Int64 = 500_000
  private let loop: EventLoop
  private let settings: BridgeSettings
  private var link: DaemonLink!
  private var broker: BrokerLink!
  private var own: OwnTimers
  private(set) var mirror: Mirror
  private var sockets: BridgeSockets!
  private var outgoing: OutgoingCalls!
  private var incoming: IncomingCalls!
  private var limited: LimitedLog!
  /// The last lines about the broker and the daemon that do not answer. If an attempt fails as the
  /// one before, no line is added.
  private var lastLines: (broker: String, daemon: String) = ("", "")
  /// Rings on this machine for timers of the user's other machines.
  private var remote: RemoteRinging!
  /// Applies answers from other machines to the rings of this machine's timers.
  private var hold: RingHold!
  private(set) var sessions: SharedSessions!
  private var home: HomeAssistant!
  /// Machines that the bridge must ask again for their timers, because it missed messages while it
  /// last asked them.
  private var askAgain: Set<String> = []
  /// Machines whose timers changed while the bridge was reading the broker's retained messages.
  private var changedWhileReading: Set<String> = []
  /// The random word that identifies this run of the bridge in its status.
  private let instance = String(UInt64.random(in: 0...UInt64.max), radix: 16)
  /// When this bridge first published that it is online, on CLOCK_REALTIME; nil: not yet. If a
  /// later status has another word, it comes from another bridge of the same name.
  private var firstOnlineUsec: Int64?
  private var isTakenOver = false
  private var sleepWatch: SleepWatch!
  private var links: LinkWatch?
  private var isStatusDue = false
  /// The unanswered requests for all timers of a machine, by machine.
  private var questions: [String: OwnerQuestion] = [:]
  private var statusTimer: TimerSource!
  private var presenceTimer: TimerSource!
  /// The digest of the timers in the last status that was published.
  private var publishedDigest: String?
  /// Whether the kernel reported the clock as synchronised at the last tick of the link.
  private var isDisciplined = false
  /// The facts about this machine, as the daemon last reported them.
  private var localState = RemoteRings.LocalState()
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
    sleepWatch = try SleepWatch(loop: loop, delegate: self)
    watchLinks()
    statusTimer = try loop.timer(on: .boottime) { [weak self] in
      self?.publishStatus(.online)
      self?.link.askStatus()
    }
    sockets = try BridgeSockets(loop: loop, folder: folder, source: self)
    broker = try BrokerLink(
      loop: loop, settings: settings,
      client: "nightjar-\(settings.address.person)-\(settings.address.device)",
      marker: text(.marker(settings.address)), delegate: self)
    let link = try DaemonLink(loop: loop, path: socketPath, delegate: self)
    self.link = link
    sessions = try SharedSessions(
      loop: loop, settings: settings, daemonPath: socketPath, folder: folder,
      file: SessionFile(path: "\(statePath)/sessions.json"),
      isWanted: { [weak self] in self?.linkMayConnect ?? false },
      isOnline: { [weak self] in self?.report.isConnected ?? false },
      isMachine: { [weak self] in self?.mirror.devices[$0] != nil })
    home = try HomeAssistant(
      loop: loop, names: settings.homeAssistant,
      topics: HomeTopics(settings.address, prefix: settings.prefix), allowed: settings.others,
      program: .beside(socketPath),
      publish: { [weak self] in self?.publish($0, $1, isRetained: $2) },
      ask: { [weak self] in self?.link.ask($0, $1, $2) ?? false },
      spend: { [weak self] in self?.incoming.spend() ?? false })
    hold = RingHold(
      ask: { [weak self] in self?.link.ask("\(TimersInterface.name).\($0)", $1, $2) ?? false },
      nowUsec: { loop.now.realtimeUsec }, onProgress: { [weak self] in self?.answerOwnRings() })
    remote = try RemoteRinging(
      loop: loop, device: settings.address.device, desktop: desktop,
      note: Note(path: "\(BridgePaths.status(in: folder)).popups"), source: self,
      askStatus: { [weak self] in self?.link.askStatus() },
      onChange: { [weak self] in self?.sockets.changed($0) },
      onAnswer: { [weak self] key, answer in
        guard let self else { return }
        apply(mirror.take(answer, to: key))
      })
    outgoing = try OutgoingCalls(
      loop: loop, owner: { [weak self] in self?.mirror.devices[$0] },
      mostBytes: { [weak self] in self?.mostCallBytes ?? 0 }
    ) { [weak self] in self?.publish($0) }
    incoming = try IncomingCalls(
      loop: loop, allowed: settings.others,
      mostBytes: { [weak self] in self?.mostCallBytes ?? 0 },
      ask: { [weak self] in self?.answer($0, $1) },
      send: { [weak self] topic, payload, correlation in
        self?.publish(topic, payload, CallProperties(responseTopic: nil, correlation: correlation))
      })
  }

  /// Connects to the daemon and to the broker.
  func start() {
    link.connect()
    broker.connect()
    sessions.start()
  }

  /// Publishes that this machine is offline, disconnects, and ends the loop.
  func stop(_ code: Int32) {
    guard exitCode == nil else { return }
    exitCode = code
    sockets.close()
    sessions.end()
    remote.end()
    guard broker.session != nil, report.isConnected else { return loop.exit(code) }
    // At QoS 0, libmosquitto sends the message before the connection ends. At QoS 1, earlier
    // messages without acknowledgement could delay it.
    publishStatus(.offline, qos: 0)
    broker.close()
  }

  // MARK: - The broker

  /// Removes the timers from the broker that this machine published under a former name. Otherwise
  /// other machines would ring twice for each of them.
  private func removeFormerNames() {
    guard own.isSettled, mirror.isComplete, let ledger = own.ledger else { return }
    for device in mirror.formerNames(ofLedger: ledger) {
      guard let address = DeviceAddress(person: settings.address.person, device: device) else {
        continue
      }
      Log.write(.notice, "removing the former name \(device) of this machine from the broker")
      let names = mirror.devices[device]?.names ?? []
      for topic in names.map({ Topic.timer(address, name: $0) }) + [.status(address)] {
        publish([Publication(topic, [], isRetained: true)])
        // The broker does not send a bridge its own messages, so apply the removal here.
        apply(
          mirror.received(
            Delivery(topic, [], isRetained: false), nowUsec: loop.now.realtimeUsec))
      }
      home.remove(former: address, prefix: settings.prefix)
    }
  }

  private func markerArrived() {
    publish(own.markerArrived())
    showHome()
    apply(mirror.markerArrived())
    for device in changedWhileReading { sockets.showAnew(device) }
    changedWhileReading = []
    sockets.mirrorIsComplete()
    publishStatus(.online)
    removeFormerNames()
    remote.settled()
    publishAnswers()
    // Other machines may have answered these rings while this machine was not connected.
    own.renewRings()
    answerOwnRings()
  }

  private func publish(_ publications: [Publication]) {
    guard report.isConnected else { return }
    if own.isSettled, !isStatusDue, own.digest.text != publishedDigest {
      isStatusDue = true
      statusTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.statusUsec)
    }
    for publication in publications {
      publish(
        text(publication.topic), publication.payload, isRetained: publication.isRetained)
      if case .timer(settings.address, let name) = publication.topic {
        home.timerChanged(name, publication.payload)
      }
    }
  }

  /// - Returns: the number of the message; nil: it was not sent.
  @discardableResult
  private func publish(
    _ topic: String, _ payload: [UInt8], qos: Int32 = 1, isRetained: Bool,
    expirySeconds: UInt32? = nil
  ) -> Int32? {
    guard report.isConnected, let session = broker.session else { return nil }
    guard topic.utf8.count + payload.count <= session.mostBytes else {
      // An event is as long as its timer, which is reported by its name.
      if isRetained { report.problem = BrokerProblem(tooLong: [topic], most: session.mostBytes) }
      return nil
    }
    report.published(payload.count)
    return session.publish(
      topic, payload, qos: qos, isRetained: isRetained, expirySeconds: expirySeconds)
  }

  /// Shows the timers to Home Assistant, as soon as they and the broker's messages are known.
  private func showHome() { if own.isSettled { home.settled(own.payloads) } }

  private func publish(_ call: OutgoingCalls.Message) -> Int32? {
    guard
      let address = DeviceAddress(person: settings.address.person, device: call.device)
    else { return nil }
    return publish(
      .call(address), call.payload,
      CallProperties(
        responseTopic: text(.reply(settings.address)), correlation: call.correlation))
  }

  /// The longest call or answer that the broker takes, in bytes. Its message also has two topics and
  /// the id of the call.
  private var mostCallBytes: Int {
    let topicBytes = text(.reply(settings.address)).utf8.count
    return (broker.session?.mostBytes ?? .max) - 2 * topicBytes - 64
  }

  @discardableResult
  private func publish(_ topic: Topic, _ payload: [UInt8], _ call: CallProperties) -> Int32? {
    report.published(payload.count)
    return broker.session?.publish(text(topic), payload, call: call)
  }

  /// - Returns: the number of the message; nil: no status was sent.
  @discardableResult
  private func publishStatus(_ state: DeviceStatus.State, qos: Int32 = 1) -> Int32? {
    isStatusDue = false
    guard report.isConnected, !isTakenOver else { return nil }
    // After the status `asleep`, no status `online` is published until the sleep is over.
    guard state != .online || sleepWatch.isAwake else { return nil }
    let nowUsec = loop.now.realtimeUsec
    if state == .online, firstOnlineUsec == nil { firstOnlineUsec = nowUsec }
    // Until the daemon has sent all its timers, the status says nothing about them. If some timers
    // cannot be published, the status has no digest, because other machines could not compute the
    // same digest.
    let isKnown = own.isSettled && link.isAnswered
    publishedDigest = own.digest.text
    let silentUsec = state == .online ? link.silentSinceUsec : nil
    let status = DeviceStatus(
      silentUsec == nil ? state : .noDaemon, instance: instance,
      sinceUsec: silentUsec ?? (state == .online ? report.sinceUsec ?? nowUsec : nowUsec),
      sentUsec: nowUsec,
      ledger: isKnown ? own.ledger : nil, lastSeq: isKnown ? own.lastSeq : nil,
      timers: own.isSettled ? Int64(own.count) : nil,
      digest: own.isSettled && own.unpublished.union(own.tooLong).isEmpty ? publishedDigest : nil,
      isSynchronized: localState.isSynchronized ?? Clocks.readWithSynchronization().isSynchronized,
      active: localState.active,
      canRing: link.isAnswered && localState.canRing)
    return publish(text(.status(settings.address)), status.payload, qos: qos, isRetained: true)
  }

  private func text(_ topic: Topic) -> String { topic.text(prefix: settings.prefix) }

  private func apply(_ changes: [MirrorChange]) {
    for change in changes {
      if mirror.isComplete { sockets.changed(change) } else { noteWhileReading(change) }
      remote.changed(change)
      switch change {
      case .status(let device):
        switch mirror.devices[device]?.status?.state {
        case .online: outgoing.sendAgain(to: device)
        case .offline: removeFormerNames()
        case .asleep, .noDaemon, nil: break
        }
      case .gap(let device): askOwner(device)
      case .ring(let key): if mirror.isComplete { answerOwnRing(key) }
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
    case .timer(let device, _), .event(let device, _), .gap(let device):
      changedWhileReading.insert(device)
    case .ring: break
    }
  }

  private func askOwner(_ device: String) {
    guard questions[device] == nil else {
      askAgain.insert(device)
      return
    }
    questions[device] = OwnerQuestion(
      ask: { [weak self] call, reply in self?.forward(call, to: device, reply) },
      nowUsec: { [loop] in loop.now.realtimeUsec }
    ) { [weak self] answer in
      guard let self else { return }
      // Do this later: the `OwnerQuestion` is still running this closure, and the line below
      // releases it.
      loop.later {
        self.questions[device] = nil
        if self.askAgain.remove(device) != nil { self.askOwner(device) }
      }
      guard let answer else { return }
      let changes = mirror.merge(
        answer.values, of: device, ledger: answer.ledger, lastSeq: answer.lastSeq)
      for change in changes { remote.changed(change) }
      sockets.showAnew(device)
    }
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
        text(.ring(person: settings.address.person, key)), answer.payload, isRetained: true,
        expirySeconds: UInt32(leftUsec / 1_000_000 + 1))
    }
  }

  /// Applies the answers of other machines to this machine's new rings. Then makes the daemon show
  /// the remaining rings, which it has held back.
  private func answerOwnRings() {
    guard own.isSettled, mirror.isComplete else { return }
    for ring in own.takeAnswered(mirror.answers) { hold.answer(ring) }
    hold.release(seq: own.lastSeq)
  }

  private func answerOwnRing(_ key: RingKey) {
    if let ring = own.answered(key, mirror.answers) { hold.answer(ring) }
  }
}

// MARK: - The sockets

extension Bridge: BridgeSource {
  var statusReply: BridgeWire.Status.Reply {
    report.reply(
      own: own, mirror: mirror, missed: remote.missed, sessions: sessions,
      pid: Int64(getpid()),
      tooLong: BrokerProblem(tooLong: own.tooLong, most: broker.session?.mostBytes))
  }

  func forward(
    _ call: ReceivedCall, to device: String, _ reply: @escaping (OwnerAnswer) -> Void
  ) {
    outgoing.call(call, to: device, reply)
  }

  func ring(of name: String, on device: String) -> RingStatus? {
    remote.ringStatus(of: name, on: device)
  }

  func openRing(
    of name: String, on device: String, snoozes: Bool
  ) -> (key: RingKey, dueUsec: Int64)? {
    remote.openRing(of: name, on: device, snoozes: snoozes)
  }

  func answer(_ ring: (key: RingKey, dueUsec: Int64), snoozeUsec: Int64?) {
    remote.answer(ring, snoozeUsec: snoozeUsec)
  }
}

// MARK: - Messages of the broker

extension Bridge: BrokerLinkDelegate {
  var linkMayConnect: Bool { exitCode == nil && !isTakenOver && sleepWatch.isAwake }

  var linkWill: (topic: String, payload: [UInt8]) {
    // The will says whether the clock is synchronised, because other machines may receive no other
    // message of this machine.
    let will = DeviceStatus(
      .offline, instance: instance, sentUsec: loop.now.realtimeUsec,
      isSynchronized: Clocks.readWithSynchronization().isSynchronized)
    return (text(.status(settings.address)), will.payload)
  }

  func linkTicks() {
    link.look()
    // The daemon sends no event when this changes.
    let isDisciplined = Clocks.readWithSynchronization().isSynchronized
    if isDisciplined != self.isDisciplined { link.askStatus() }
    self.isDisciplined = isDisciplined
  }

  func linkConnected() {
    links?.isListening = false
    report.connected(at: loop.now.realtimeUsec)
    lastLines.broker = ""
    outgoing.connected()
    Log.write(.info, "connected to \(settings.broker) as \(settings.address)")
  }

  func linkWillReadRetained(_ session: BrokerSession) {
    let everyDevice = "\(settings.prefix)/\(settings.address.person)/+"
    own.connected(mostBytes: session.mostBytes - settings.prefix.utf8.count)
    mirror.connected()
    home.subscribe(session)
    session.subscribe("\(everyDevice)/status", qos: 1, isOwnLeftOut: true)
    session.subscribe("\(everyDevice)/event", qos: 1, isOwnLeftOut: true)
    // At QoS 0, a broker does not count retained messages towards the limit of a client's queue.
    session.subscribe("\(everyDevice)/timer/#", qos: 0, isOwnLeftOut: true)
    session.subscribe(
      "\(settings.prefix)/\(settings.address.person)/\(DeviceAddress.ringWord)/#", qos: 1,
      isOwnLeftOut: true)
    session.subscribe(text(.call(settings.address)), qos: 1, isOwnLeftOut: true)
    session.subscribe(text(.reply(settings.address)), qos: 1, isOwnLeftOut: true)
  }

  func linkDidReadRetained() { markerArrived() }

  func link(received message: BrokerMessage) {
    if home.received(message) { return report.received(message.payload.count) }
    guard let topic = Topic(message.topic, prefix: settings.prefix) else { return }
    report.received(message.payload.count)
    let delivery = Delivery(
      topic, message.payload, isRetained: message.isRetained,
      expirySeconds: message.expirySeconds)
    guard topic.address == settings.address else {
      return apply(mirror.received(delivery, nowUsec: loop.now.realtimeUsec))
    }
    switch topic {
    case .timer(_, let name): publish(own.received(name, message.payload))
    case .call: incoming.received(message, from: caller(of: message))
    case .reply:
      outgoing.answered(message.correlation ?? [], message.payload)
    case .status: checkInstance(message)
    case .marker, .event, .ring: break
    }
  }

  /// Two bridges of the same name take the connection from each other. mosquitto 2.0.11 does not
  /// report the reason to the bridge that loses its connection. When that bridge has connected
  /// again, it finds the other bridge's word in the status, and stays disconnected.
  private func checkInstance(_ message: BrokerMessage) {
    // The broker may still have the status of an earlier run of this bridge. That status is older.
    guard message.isRetained, !isTakenOver, let firstOnlineUsec,
      let status = DeviceStatus(payload: message.payload), let other = status.instance,
      other != instance, status.sentUsec ?? 0 > firstOnlineUsec
    else { return }
    isTakenOver = true
    loop.later { [weak self] in self?.broker.close() }
  }

  /// The most events in one answer to a bridge that reads the ledger.
  private static let ledgerEvents = 500
  /// The most bytes of events in one such answer.
  private static let ledgerBytes = 256 * 1024

  private func answer(_ call: RemoteCall, _ reply: @escaping (OwnerAnswer) -> Void) {
    let noDaemon = CallRefusal.noDaemon(of: settings.address.device)
    guard link.isAnswered else { return reply(.error(noDaemon.name, noDaemon.parameters)) }
    if call.method == RemoteCall.ledgerMethod {
      guard let after = call.parameters["after"]?.integerValue, after >= 0 else {
        return reply(
          .error("\(VarlinkError.invalidParameter(parameter: "").name)", ["parameter": "after"]))
      }
      return link.readLedger(after: after, limit: Self.ledgerEvents, bytes: Self.ledgerBytes) {
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

  func link(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    sleepWatch.acknowledged(mid)
    incoming.acknowledged(mid)
    if case .taken = acknowledgement { return }
    if case .refused(let reason) = acknowledgement { refused("publish to", reason) }
    outgoing.failed(mid, acknowledgement)
  }

  func linkSubscriptionRefused(_ reason: Sentence) { refused("read", reason) }

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

  func linkEnded(_ end: BrokerSession.End) {
    own.disconnected()
    mirror.disconnected()
    remote.disconnected()
    home.disconnected()
    outgoing.disconnected()
    incoming.disconnected()
    // Drop the pending requests for timers. Their answers would be older than the values that the
    // bridge reads after it has connected again.
    (questions, askAgain) = ([:], [])
    sleepWatch.connectionEnded()
    if let exitCode { return loop.exit(exitCode) }
    let end = isTakenOver ? .takenOver : end
    switch end {
    case .closed:
      // The bridge itself closes the connection only for a sleep, or at its end, which was handled
      // above. The sleep may have been cancelled in the meantime.
      Log.write(.info, "disconnected: this machine is about to sleep")
      report.lost(
        BrokerProblem("this machine is about to sleep"), at: loop.now.realtimeUsec)
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

extension Bridge: DaemonLinkDelegate {
  func daemonBeginsSnapshot() { own.beginSnapshot() }

  func daemon(watched reply: JSONValue) {
    let wasSettled = own.isSettled
    publish(own.take(reply, nowUsec: loop.now.realtimeUsec))
    if reply["synced"]?.boolValue == true {
      link.askStatus()
      if own.isSettled, !wasSettled {
        showHome()
        publishStatus(.online)
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

  func daemon(showed timer: JSONValue) {
    publish(own.refresh(timer, nowUsec: loop.now.realtimeUsec))
  }

  func daemon(reported status: JSONValue) {
    var new = RemoteRings.LocalState()
    let (presence, ring) = (status["presence"], status["ring"])
    new.canRing = ring?["seen"]?.boolValue == true || ring?["heard"]?.boolValue == true
    if presence?["seen"]?.boolValue == true {
      new.active = presence?["away"]?.boolValue == true ? .no : .yes
    }
    new.isSynchronized = status["clock_synchronized"]?.boolValue
    guard new != localState else { return }
    localState = new
    remote.localStateChanged(new)
    if own.isSettled { publishStatus(.online) }
  }

  func daemon(holds hold: Int64, span: Int64?) {
    guard let span else { return }
    self.hold.began(hold, span: span)
  }

  func daemonAnswers(_ isAnswered: Bool) {
    home.daemonAnswers(isAnswered)
    publishStatus(.online)
    guard isAnswered else { return }
    report.daemonReason = nil
    lastLines.daemon = ""
    // Other machines may have answered these rings while the daemon did not answer.
    own.renewRings()
    answerOwnRings()
  }

  func daemonLost(_ reason: Sentence) {
    logAnew("the daemon does not answer: \(reason)", after: &lastLines.daemon)
    report.daemonReason = reason
    incoming.daemonLost()
    hold.daemonLost()
  }
}

// MARK: - Sleep and network

extension Bridge: SleepWatchDelegate {
  func machineWillSleep() -> Int32? {
    sessions.machineWillSleep()
    return publishStatus(.asleep)
  }

  func machineSleeps() -> Bool {
    sessions.disconnect()
    return broker.close()
  }

  func machineWoke() {
    remote.woke()
    // The connection still exists if the sleep was cancelled early.
    if mirror.isComplete {
      publishStatus(.online)
      remote.settled()
    }
    broker.connectAtOnce()
    sessions.connect()
  }

  func presenceChanged() {
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
    sessions.connect()
  }
}
