internal import NightjarHomeAssistant
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime
internal import NightjarWords
internal import Varlink

/// Shows this machine to Home Assistant through the broker, and carries out the buttons and texts
/// of Home Assistant.
final class HomeAssistant {
  /// How long `nightjar` may take to carry out a text, in microseconds.
  private static let timeoutUsec: Int64 = 10_000_000
  /// The most texts that are carried out at the same time.
  private static let texts = 8

  private let loop: EventLoop
  /// The names of the timers that have entities of their own; nil: the machine is not shown to Home
  /// Assistant.
  private let names: [String]?
  private let topics: HomeTopics
  private let device: HomeDevice
  private let allowed: RemotePermission
  private let program: HomeProgram
  private unowned let bridge: Bridge
  private let limited: LimitedLog
  private var state = HomeState()
  /// The states that were published on this connection, by topic.
  private var published: [String: [UInt8]] = [:]
  /// The description of the machine that the broker has.
  private var config: [UInt8] = []
  /// The entities in the description that the broker has, including those that are to be removed.
  private var former: [HomeEntity] = []
  private var isLive = false
  /// The processes that are carrying out texts.
  private var running: [PlayerProcess] = []

  /// - Parameters:
  ///   - names: the timers that have entities of their own; nil: the machine is not shown.
  ///   - allowed: what Home Assistant may do on this machine.
  ///   - program: the program that carries out texts.
  init(
    loop: EventLoop, names: [String]?, topics: HomeTopics, allowed: RemotePermission,
    program: HomeProgram, bridge: Bridge
  ) throws(SystemError) {
    self.loop = loop
    self.names = names
    self.topics = topics
    self.allowed = allowed
    self.program = program
    self.bridge = bridge
    device = HomeDevice(
      topics, names: names ?? [], allowed: allowed, version: NightjarVersion.current)
    limited = try LimitedLog(loop: loop)
  }

  // MARK: - The connection

  /// Subscribes to the retained topics, and to commands.
  func subscribe(_ session: BrokerSession) {
    (isLive, published, config, former) = (false, [:], [], [])
    session.subscribe(topics.config, qos: 1, isOwnLeftOut: true)
    guard names != nil else { return }
    session.subscribe(HomeTopics.birth, qos: 1, isOwnLeftOut: true)
    // Home Assistant publishes commands at QoS 0, so no command is delivered twice.
    for filter in topics.filters { session.subscribe(filter, qos: 0, isOwnLeftOut: true) }
  }

  /// Begins to publish, because all retained messages have arrived and all timers are known.
  ///
  /// - Parameter values: the published values of all timers, by name.
  func settled(_ values: [String: [UInt8]]) {
    guard !isLive else { return }
    isLive = true
    state = HomeState()
    state.isAnswered = bridge.link.isAnswered
    for (name, payload) in values { state.set(name, payload) }
    describe()
    showState()
  }

  private func publish(_ topic: String, _ payload: [UInt8], _ isRetained: Bool) {
    bridge.publish(topic, payload, isRetained: isRetained)
  }

  /// Records that the connection to the broker is lost.
  func disconnected() { isLive = false }

  func daemonAnswers(_ isAnswered: Bool) {
    state.isAnswered = isAnswered
    if isLive { showState() }
  }

  /// Removes the messages that this machine published under a former name from the broker. The
  /// bridge knows only the present names of timers, so messages about timers with other names stay.
  func remove(former address: DeviceAddress, prefix: String) {
    let former = HomeTopics(address, prefix: prefix)
    // Remove the description first. Without it, Home Assistant ignores the other messages.
    publish(former.config, [], true)
    for topic in former.retained(names: names ?? []) { publish(topic, [], true) }
  }

  /// Handles a message from the broker.
  ///
  /// - Returns: whether the message was for Home Assistant or from it.
  func received(_ message: BrokerMessage) -> Bool {
    switch message.topic {
    case topics.config:
      config = message.payload
      former = HomeDevice.entities(of: message.payload)
    case HomeTopics.birth:
      if message.payload == Array("online".utf8), isLive { publishAnew() }
    case topics.command: command(message)
    case topics.text(): text(message, for: nil)
    case let topic:
      guard let name = names?.first(where: { topics.text(for: $0) == topic }) else { return false }
      text(message, for: name)
    }
    return true
  }

  // MARK: - Showing timers

  /// Publishes the description of the machine, if the broker has a different one.
  private func describe() {
    // The bridge does not subscribe to its other retained messages. It computes from the old
    // description which of them it has to remove.
    let cleared = device.topicsToClear(former, isShown: names != nil)
    let wanted = names == nil ? [] : device.config(former: former)
    guard wanted != config else { return }
    config = wanted
    publish(topics.config, wanted, true)
    for topic in cleared { publish(topic, [], true) }
  }

  /// Publishes the description again, because Home Assistant has started. Home Assistant removes
  /// only entities that it has seen since its start. So the bridge first publishes a description
  /// with the removed entities, and then the present one.
  private func publishAnew() {
    if let all = device.configToRemove(former) { publish(topics.config, all, true) }
    config = device.config(former: former)
    publish(topics.config, config, true)
    published = [:]
    showState()
  }

  /// Publishes the state of a timer that has changed.
  func timerChanged(_ name: String, _ payload: [UInt8]) {
    guard isLive, names != nil else { return }
    state.set(name, payload)
    showState()
  }

  private func showState() {
    guard let names else { return }
    show(topics.next, state.overview)
    for name in names { show(topics.timer(name), state.timer(name)) }
  }

  private func show(_ topic: String, _ payload: [UInt8]) {
    guard published[topic] != payload else { return }
    published[topic] = payload
    publish(topic, payload, true)
  }

  /// Publishes a ring or a crossed band, if the daemon's event is one.
  func happened(_ event: JSONValue) {
    guard isLive, let names, let name = event["name"]?.stringValue else { return }
    var members: [JSONValue.Member]
    switch event["type"]?.stringValue.flatMap(Wire.EventType.init(rawValue:)) {
    case .rang, .rangAgain:
      members = [.init("event_type", .string(HomeDevice.finished))]
    case .bandCrossed:
      // The timer may be in no band: it was given more time.
      guard let band = event["band"]?["name"] else { return }
      members = [.init("event_type", .string(HomeDevice.bandCrossed)), .init("band", band)]
    default: return
    }
    members.append(.init("timer", .string(name)))
    let payload = JSONValue.object(members).bytes
    // Not retained: Home Assistant would handle a retained ring as a new ring whenever it starts.
    publish(topics.rings(), payload, false)
    if names.contains(name) { publish(topics.rings(of: name), payload, false) }
  }

  // MARK: - Commands and texts

  private func command(_ message: BrokerMessage) {
    // The bridge would carry out a retained command again on each connection.
    guard !message.isRetained else { return log("a button that the broker has kept") }
    guard allowed >= .change else {
      return log("a button, because others = \"look\" is in [mqtt] of the configuration")
    }
    guard let command = HomeCommand(payload: message.payload) else {
      return log("a button that makes no sense")
    }
    guard let name = command.timer ?? state.meant(by: command.action) else {
      return log("\(command.action.rawValue), for which there is no timer")
    }
    guard bridge.incoming.spend() else {
      return log("a button, because too many came in too short a time")
    }
    let call = command.call(on: name)
    let method = "\(TimersInterface.name).\(call.method)"
    let isAsked = bridge.link.ask(method, call.parameters) { [weak self] in
      guard case .error(let error, _) = $0 else { return }
      self?.log("\(command.action.rawValue) of \(name): \(error)")
    }
    if !isAsked { log("\(command.action.rawValue) of \(name): the daemon does not answer") }
  }

  private func log(_ what: String) {
    limited.write("home", .warning, "of Home Assistant is not carried out: \(what)")
  }

  private func text(_ message: BrokerMessage, for name: String?) {
    guard !message.isRetained else { return log("a text that the broker has kept") }
    func answer(_ words: String) {
      let text = String(words.prefix(HomeDevice.textLength))
      publish(topics.answer(to: name), Array(text.utf8), true)
    }
    guard allowed >= .start else {
      return answer("not allowed: write others = \"start\" under [mqtt] of this machine")
    }
    // If no daemon answered, `nightjar` would start a second daemon beside the service.
    guard state.isAnswered else { return answer("the daemon of this machine does not answer") }
    let text = String(decoding: message.payload, as: UTF8.self)
    let wall = WallClock(nowUsec: loop.now.realtimeUsec, zone: ZoneDatabase.local)
    switch HomeProgram.words(text, for: name, at: wall) {
    case .refused(let reason): answer(reason)
    case .words(let words):
      guard running.count < Self.texts, bridge.incoming.spend() else {
        return answer("too many at once; try again")
      }
      do throws(SystemError) {
        var process: PlayerProcess?
        process = try program.start(words, limitUsec: Self.timeoutUsec, on: loop) { [weak self] in
          answer($0)
          self?.running.removeAll { $0 === process }
          process = nil
        }
        if let process { running.append(process) }
      } catch {
        answer("nightjar cannot be started: \(error)")
      }
    }
  }
}
