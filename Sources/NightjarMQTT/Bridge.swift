internal import CMosquitto
internal import Glibc
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// Connects this machine's daemon to the broker: publishes its timers, and mirrors those of the person's other machines.
final class Bridge {
  /// The pauses between two attempts to connect, in microseconds.
  static let pauseUsec: ClosedRange<Int64> = 1_000_000...30_000_000
  /// So long after a timer was started or removed the status says so, in microseconds: of many changes in a row there is
  /// one status.
  static let statusUsec: Int64 = 2_000_000
  /// How long the marker may take before the bridge asks for all retained messages once more, in microseconds.
  static let markerUsec: Int64 = 15_000_000

  private let loop: EventLoop
  private let settings: BridgeSettings
  private var link: DaemonLink!
  private var session: BrokerSession?
  private var own: OwnTimers
  private(set) var mirror: Mirror
  private var sockets: BridgeSockets!
  private var outgoing: OutgoingCalls!
  private var incoming: IncomingCalls!
  /// The machines that are being asked for all their timers.
  private var questions: [String: OwnerQuestion] = [:]
  private var statusTimer: TimerSource!
  /// Which timers the published status says there are.
  private var publishedDigest: String?
  private var retry: TimerSource!
  private var markerTimer: TimerSource!
  private var pauseUsec = Bridge.pauseUsec.lowerBound
  /// What the status says beside what is counted anew each time.
  private var daemon = DaemonFacts()
  private(set) var report: BridgeReport
  /// The code to end with, while the connection is closed in order.
  private var exitCode: Int32?

  /// What the daemon's `Status` says that others need.
  private struct DaemonFacts: Equatable {
    var canRing = false
    var active = DeviceStatus.Active.unknown
    var isSynchronized: Bool?
  }

  /// Makes a bridge that is not connected yet.
  ///
  /// - Parameters:
  ///   - socketPath: the daemon's socket.
  ///   - folder: where the sockets of the other machines are.
  init(
    loop: EventLoop, settings: BridgeSettings, socketPath: String, folder: String
  ) throws(SystemError) {
    mosquitto_lib_init()
    self.loop = loop
    self.settings = settings
    own = OwnTimers(address: settings.address)
    mirror = Mirror(own: settings.address)
    report = BridgeReport(settings: settings)
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    markerTimer = try loop.timer(on: .boottime) { [weak self] in self?.markerIsLate() }
    statusTimer = try loop.timer(on: .boottime) { [weak self] in self?.publishStatus(.online) }
    sockets = try BridgeSockets(loop: loop, folder: folder, source: self)
    let link = try DaemonLink(loop: loop, path: socketPath, delegate: self)
    self.link = link
    outgoing = try OutgoingCalls(loop: loop) { [weak self] in self?.publish($0) }
    incoming = try IncomingCalls(
      loop: loop, allowed: settings.others,
      ask: { [weak self] in self?.answer($0, $1) },
      send: { [weak self] topic, payload, correlation in
        self?.publish(topic, payload, CallProperties(responseTopic: nil, correlation: correlation))
      })
  }

  /// Connects to the daemon and to the broker.
  func start() {
    link.connect()
    connect()
  }

  /// Says at the broker that this machine is offline, disconnects, and ends the loop.
  func stop(_ code: Int32) {
    guard exitCode == nil else { return }
    exitCode = code
    sockets.close()
    guard let session, report.isConnected else { return loop.exit(code) }
    publishStatus(.offline)
    session.close()
  }

  // MARK: - The broker

  private func connect() {
    guard session == nil, exitCode == nil else { return }
    report.attempts += 1
    let will = DeviceStatus(.offline, sinceUsec: loop.now.realtimeUsec)
    do {
      let session = try BrokerSession(
        loop: loop, settings: settings,
        will: (topic: text(.status(settings.address)), payload: will.payload), delegate: self)
      self.session = session
      try session.open()
    } catch {
      session = nil
      failed("\(error)")
    }
  }

  private func failed(_ reason: String) {
    if report.reason != reason {
      Log.write(.warning, "not connected to \(settings.broker): \(reason)")
    }
    report.lost(reason, at: loop.now.realtimeUsec)
    retry.arm(atUsec: Clocks.read().boottimeUsec + pauseUsec)
    pauseUsec = min(pauseUsec * 2, Self.pauseUsec.upperBound)
  }

  /// Subscribes, and sends the marker behind that: what the broker retained comes before the marker does.
  private func readRetained() {
    let everyDevice = "\(settings.prefix)/\(settings.address.person)/+"
    own.connected()
    mirror.connected()
    session?.subscribe(text(.marker(settings.address)), qos: 1, isOwnLeftOut: false)
    session?.subscribe("\(everyDevice)/status", qos: 1, isOwnLeftOut: true)
    session?.subscribe("\(everyDevice)/event", qos: 1, isOwnLeftOut: true)
    // At QoS 0 a broker does not count retained messages against what it queues for one client.
    session?.subscribe("\(everyDevice)/timer/#", qos: 0, isOwnLeftOut: true)
    session?.subscribe(text(.call(settings.address)), qos: 1, isOwnLeftOut: true)
    session?.subscribe(text(.reply(settings.address)), qos: 1, isOwnLeftOut: true)
    session?.publish(text(.marker(settings.address)), [])
    markerTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.markerUsec)
  }

  private func markerIsLate() {
    Log.write(.warning, "the broker did not send all that it retains; asking once more")
    readRetained()
  }

  private func markerArrived() {
    markerTimer.arm(atUsec: nil)
    publish(own.markerArrived())
    apply(mirror.markerArrived())
    publishStatus(.online)
  }

  private func publish(_ publications: [Publication]) {
    guard report.isConnected else { return }
    if own.isSettled, own.digest.text != publishedDigest {
      statusTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.statusUsec)
    }
    for publication in publications {
      session?.publish(
        text(publication.topic), publication.payload, isRetained: publication.isRetained)
      report.published(publication.payload.count)
    }
  }

  private func publish(_ call: OutgoingCalls.Message) -> Int32? {
    guard
      let address = DeviceAddress(person: settings.address.person, device: call.device)
    else { return nil }
    return publish(
      .call(address), call.payload,
      CallProperties(
        responseTopic: text(.reply(settings.address)), correlation: call.correlation))
  }

  @discardableResult
  private func publish(_ topic: Topic, _ payload: [UInt8], _ call: CallProperties) -> Int32? {
    report.published(payload.count)
    return session?.publish(text(topic), payload, call: call)
  }

  private func publishStatus(_ state: DeviceStatus.State) {
    guard report.isConnected else { return }
    let nowUsec = loop.now.realtimeUsec
    publishedDigest = own.digest.text
    let status = DeviceStatus(
      state, sinceUsec: report.sinceUsec ?? nowUsec, sentUsec: nowUsec, ledger: own.ledger,
      lastSeq: own.lastSeq, timers: Int64(own.count), digest: publishedDigest,
      isSynchronized: daemon.isSynchronized, active: daemon.active,
      canRing: link.isConnected && daemon.canRing)
    session?.publish(text(.status(settings.address)), status.payload, isRetained: true)
    report.published(status.payload.count)
  }

  private func text(_ topic: Topic) -> String { topic.text(prefix: settings.prefix) }

  private func apply(_ changes: [MirrorChange]) {
    for change in changes {
      sockets.changed(change)
      switch change {
      case .status(let device):
        if mirror.devices[device]?.status?.state == .online { outgoing.sendAgain(to: device) }
      case .gap(let device): askOwner(device)
      case .timer, .event: break
      }
    }
  }

  private func askOwner(_ device: String) {
    guard questions[device] == nil else { return }
    questions[device] = OwnerQuestion(
      ask: { [weak self] call, reply in self?.forward(call, to: device, reply) },
      nowUsec: { [weak self] in
        guard let self else { return 0 }
        return loop.now.realtimeUsec + (mirror.devices[device]?.clockAheadUsec ?? 0)
      }
    ) { [weak self] answer in
      guard let self else { return }
      // Not from within the question.
      loop.later { self.questions[device] = nil }
      guard let answer else { return }
      apply(
        mirror.merge(
          answer.values, of: device, ledger: answer.ledger, lastSeq: answer.lastSeq))
    }
  }
}

// MARK: - What the sockets serve

extension Bridge: BridgeSource {
  var statusReply: JSONValue {
    report.reply(own: own, mirror: mirror, pid: Int64(getpid()))
  }

  func forward(
    _ call: ReceivedCall, to device: String, _ reply: @escaping (OwnerAnswer) -> Void
  ) {
    outgoing.call(call, to: device, mirror.devices[device], reply)
  }
}

// MARK: - What the broker says

extension Bridge: BrokerSessionDelegate {
  func sessionConnected() {
    pauseUsec = Self.pauseUsec.lowerBound
    report.connected(at: loop.now.realtimeUsec)
    Log.write(.info, "connected to \(settings.broker) as \(settings.address)")
    readRetained()
  }

  func session(received message: BrokerMessage) {
    guard let topic = Topic(message.topic, prefix: settings.prefix) else { return }
    report.received(message.payload.count)
    let delivery = Delivery(topic, message.payload, isRetained: message.isRetained)
    guard topic.address == settings.address else {
      return apply(mirror.received(delivery, nowUsec: loop.now.realtimeUsec))
    }
    switch topic {
    case .marker: markerArrived()
    case .timer(_, let name): publish(own.received(name, message.payload))
    case .call: incoming.received(message, from: caller(of: message))
    case .reply: outgoing.answered(message.correlation ?? [], message.payload)
    case .status, .event: break
    }
  }

  /// Events in one answer to a bridge that reads the ledger.
  private static let ledgerEvents = 500

  private func answer(_ call: RemoteCall, _ reply: @escaping (OwnerAnswer) -> Void) {
    if call.method == RemoteCall.ledgerMethod {
      guard let after = call.parameters["after"]?.integerValue, after >= 0 else {
        return reply(
          .error("\(VarlinkError.invalidParameter(parameter: "").name)", ["parameter": "after"]))
      }
      return link.readLedger(after: after, limit: Self.ledgerEvents, reply)
    }
    let isAsked = link.ask(call.method, call.parameters) { answer in
      reply(answer.error.map { .error($0, answer.parameters) } ?? .reply(answer.parameters))
    }
    if !isAsked {
      reply(.error(CallRefusal.noDaemon.name, CallRefusal.noDaemon.parameters))
    }
  }

  /// Where to answer: only a machine of the same person gets anything, whatever a caller asks for.
  private func caller(of message: BrokerMessage) -> Topic? {
    guard let topic = message.responseTopic.flatMap({ Topic($0, prefix: settings.prefix) }),
      case .reply = topic, topic.address.person == settings.address.person
    else { return nil }
    return topic
  }

  func session(acknowledged mid: Int32, hasSubscribers: Bool) {
    guard !hasSubscribers else { return }
    outgoing.hadNoSubscriber(mid) { [mirror] in mirror.devices[$0]?.status }
  }

  func sessionEnded(_ end: BrokerSession.End) {
    session = nil
    markerTimer.arm(atUsec: nil)
    own.disconnected()
    mirror.disconnected()
    outgoing.disconnected()
    if let exitCode { return loop.exit(exitCode) }
    switch end {
    case .closed: failed("disconnected")
    case .takenOver:
      // Two bridges of one name would take the connection from each other for ever.
      Log.write(
        .error,
        "another machine is connected as \(settings.address); give this one another 'device', then run "
          + "systemctl --user restart nightjar-mqtt")
      report.lost("another machine is connected as \(settings.address)", at: loop.now.realtimeUsec)
      retry.arm(atUsec: nil)
    case .refused(let reason): failed("the broker refuses: \(reason)")
    case .failed(let reason): failed(reason)
    }
  }
}

// MARK: - What the daemon says

extension Bridge: DaemonLinkDelegate {
  func daemonBeginsSnapshot() { own.beginSnapshot() }

  func daemon(watched reply: JSONValue) {
    report.daemonReason = nil
    let wasSettled = own.isSettled
    publish(own.take(reply, nowUsec: loop.now.realtimeUsec))
    if reply["synced"]?.boolValue == true {
      link.askStatus()
      if own.isSettled, !wasSettled { publishStatus(.online) }
    }
    guard reply["event"]?["name"] == nil, let type = reply["event"]?["type"]?.stringValue else {
      return
    }
    switch TimersInterface.MachineEvent(rawValue: type) {
    // Deadlines moved, or timers stand still or continue.
    case .didEnterBackground, .willEnterForeground, .spanCorrected, .clockStepped, .zoneChanged:
      link.askTimers()
      link.askStatus()
    case .cameDue, nil: break
    }
  }

  func daemon(showed timer: JSONValue) {
    publish(own.refresh(timer, nowUsec: loop.now.realtimeUsec))
  }

  func daemon(is status: JSONValue) {
    var facts = DaemonFacts()
    let (presence, ring) = (status["presence"], status["ring"])
    facts.canRing = ring?["seen"]?.boolValue == true || ring?["heard"]?.boolValue == true
    if presence?["seen"]?.boolValue == true {
      facts.active = presence?["away"]?.boolValue == true ? .no : .yes
    }
    facts.isSynchronized = status["clock_synchronized"]?.boolValue
    guard facts != daemon else { return }
    daemon = facts
    if own.isSettled { publishStatus(.online) }
  }

  func daemonLost(_ reason: String) {
    if report.daemonReason != reason {
      Log.write(.warning, "the daemon does not answer: \(reason)")
    }
    report.daemonReason = reason
    incoming.daemonLost()
    guard own.isSettled, daemon.canRing else { return }
    daemon.canRing = false
    publishStatus(.online)
  }
}
