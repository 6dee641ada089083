internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// One machine as the broker sees it. It subscribes, publishes and reads as a bridge does, with the
/// topics and values of NightjarMirror. Its timers come from the recorded replies of a daemon
/// (`RecordedWatch`). It has no daemon and no rings.
///
/// It takes the same steps as `Bridge` in NightjarMQTT.
final class SimulatedDevice {
  let address: DeviceAddress
  private let port: Int
  private let instance: String
  private var own: OwnTimers
  private(set) var mirror: Mirror
  private(set) var client: BrokerClient?
  /// What earlier connections sent and received.
  private var earlier = (sent: Traffic(), received: Traffic(), unretained: 0)
  private(set) var isComplete = false
  /// How many times it would have asked an owner for all its timers.
  private(set) var gaps = 0
  private var reading = 0
  private var publishedDigest: String?

  init(_ address: DeviceAddress, port: Int) {
    self.address = address
    self.port = port
    instance = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
    own = OwnTimers(address: address)
    mirror = Mirror(own: address)
  }

  var sent: Traffic { earlier.sent + (client?.sent ?? Traffic()) }
  var received: Traffic { earlier.received + (client?.received ?? Traffic()) }
  /// Messages that the broker does not retain.
  var sentUnretained: Int { earlier.unretained + (client?.sentUnretained ?? 0) }
  /// Whether the broker has acknowledged all messages that were published.
  var isTaken: Bool { client?.unacknowledged == 0 }
  /// Whether the published status describes other timers than the present ones.
  var isStatusDue: Bool { own.isSettled && own.main.digest.text != publishedDigest }

  // MARK: - The broker

  func connect() {
    let will = DevicePresence(.offline, instance: instance, sentUsec: nowUsec)
    isComplete = false
    let client = BrokerClient(
      "nightjar-\(address.person)-\(address.device)", port: port,
      will: (topic: text(.presence(address)), payload: will.payload))
    client.onConnected = { [unowned self] in readRetained() }
    client.onMessage = { [unowned self] in received($0, $1, isRetained: $2) }
    self.client = client
  }

  /// Closes the connection without DISCONNECT, as if it was lost.
  func cut() {
    earlier = (sent, received, sentUnretained)
    client = nil
    own.disconnected()
    mirror.disconnected()
  }

  private func readRetained() {
    let everyDevice = "nightjar/\(address.person)/+"
    own.connected()
    mirror.connected()
    reading += 1
    for (filter, qos, isOwnLeftOut) in [
      (text(.marker(address)), 1, false), ("\(everyDevice)/presence", 1, true),
      ("\(everyDevice)/status", 1, true), ("\(everyDevice)/event", 1, true),
      ("\(everyDevice)/timer/#", 0, true),
      ("nightjar/\(address.person)/\(DeviceAddress.ringWord)/#", 1, true),
      (text(.call(address)), 1, true), (text(.reply(address)), 1, true),
    ] as [(String, Int32, Bool)] {
      client?.subscribe(filter, qos: qos, isOwnLeftOut: isOwnLeftOut)
    }
    client?.publish(text(.marker(address)), Array("\(reading)".utf8))
  }

  private func received(_ text: String, _ payload: [UInt8], isRetained: Bool) {
    guard let topic = Topic(text, prefix: "nightjar") else { return }
    guard topic.address == address else {
      let delivery = Delivery(topic, payload, isRetained: isRetained)
      return note(mirror.received(delivery, nowUsec: nowUsec))
    }
    switch topic {
    case .marker:
      publish(own.markerArrived())
      note(mirror.markerArrived())
      isComplete = true
      publishStatus()
      publishPresence()
    case .timer(_, let name): publish(own.received(name, payload))
    case .presence, .status, .event, .call, .reply, .ring: break
    }
  }

  private func note(_ changes: [MirrorChange]) {
    for case .gap in changes { gaps += 1 }
  }

  private func publish(_ publications: [Delivery]) {
    for publication in publications {
      client?.publish(
        text(publication.topic), publication.payload, isRetained: publication.isRetained)
    }
  }

  func publishStatus() {
    let isKnown = own.isSettled
    publishedDigest = own.main.digest.text
    let status = DeviceStatus(
      ledger: isKnown ? own.ledger : nil, lastSeq: isKnown ? own.lastSeq : nil,
      timers: isKnown ? Int64(own.main.count) : nil, digest: isKnown ? publishedDigest : nil,
      isSynchronized: true, active: .yes, canRing: true)
    client?.publish(text(.status(address)), status.payload, isRetained: true)
  }

  private func publishPresence() {
    let presence = DevicePresence(
      .online, instance: instance, sinceUsec: nowUsec, sentUsec: nowUsec)
    client?.publish(text(.presence(address)), presence.payload, isRetained: true)
  }

  private var nowUsec: Int64 { Clocks.read().realtimeUsec }

  private func text(_ topic: Topic) -> String { topic.text(prefix: "nightjar") }

  // MARK: - The daemon

  /// Publishes all timers of the daemon.
  func show(_ snapshot: [JSONValue]) {
    own.beginSnapshot()
    for reply in snapshot { change(reply) }
  }

  /// Publishes a change of the daemon's timers.
  func change(_ reply: JSONValue) {
    publish(own.take(reply, nowUsec: nowUsec))
  }
}
