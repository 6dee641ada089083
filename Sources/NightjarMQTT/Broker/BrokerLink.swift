internal import NightjarConfig
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem

/// Gets what the way to the broker has, across lost connections.
protocol BrokerLinkDelegate: AnyObject {
  /// Whether there is to be a connection now.
  var linkMayConnect: Bool { get }
  /// What the broker publishes when it loses this client.
  var linkWill: (topic: String, payload: [UInt8]) { get }
  /// The broker accepted a connection. `linkReads` follows.
  func linkConnected()
  /// What the broker retains is about to be read: subscribes to it.
  func linkReads(_ session: BrokerSession)
  /// All that the broker retained has arrived.
  func linkHasRead()
  /// A message arrived; the marker, too.
  func link(received message: BrokerMessage)
  /// The broker has answered to a message that was published at QoS 1.
  func link(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement)
  /// The broker does not let this client read something that it subscribed to.
  func linkSubscriptionRefused(_ reason: String)
  /// A connection is over, or could not be made. Nothing of it comes behind this.
  func linkEnded(_ end: BrokerSession.End)
}

/// The way to the broker: one connection after the other. On each, what the broker retains is read to its end.
final class BrokerLink {
  /// The pauses between two attempts to connect, in microseconds.
  static let pauseUsec: ClosedRange<Int64> = 1_000_000...30_000_000
  /// How long the marker may take before all retained messages are asked for once more, in microseconds.
  static let markerUsec: Int64 = 15_000_000

  private let loop: EventLoop
  private let settings: BridgeSettings
  private let client: String
  private let marker: String
  private unowned let delegate: any BrokerLinkDelegate
  private(set) var session: BrokerSession?
  private var retry: TimerSource!
  private var markerTimer: TimerSource!
  private var pauseUsec = BrokerLink.pauseUsec.lowerBound
  /// Counts the readings of what the broker retains; the marker has the number.
  private var reading = 0

  /// - Parameters:
  ///   - client: the client's name, which its id at the broker begins with: of two with the same id the
  ///     broker keeps the later one.
  ///   - marker: a topic of this client alone. What is published there comes behind what the broker retained before.
  init(
    loop: EventLoop, settings: BridgeSettings, client: String, marker: String,
    delegate: any BrokerLinkDelegate
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.client = client
    self.marker = marker
    self.delegate = delegate
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    markerTimer = try loop.timer(on: .boottime) { [weak self] in self?.markerIsLate() }
  }

  /// Connects, unless there is a connection, or is to be none.
  func connect() {
    guard session == nil, delegate.linkMayConnect else { return }
    let will = delegate.linkWill
    do {
      let session = try BrokerSession(
        loop: loop, settings: settings, client: client,
        will: (will.topic, will.payload, DeviceStatus.willSeconds), delegate: self)
      self.session = session
      try session.open()
    } catch {
      session = nil
      delegate.linkEnded(.failed("\(error)"))
      connectLater()
    }
  }

  /// The next attempt does not wait, and the pauses begin anew.
  func connectAtOnce() {
    pauseUsec = Self.pauseUsec.lowerBound
    guard session == nil else { return }
    retry.arm(atUsec: nil)
    connect()
  }

  private func connectLater() {
    retry.arm(atUsec: Clocks.read().boottimeUsec + pauseUsec)
    pauseUsec = min(pauseUsec * 2, Self.pauseUsec.upperBound)
  }

  /// Ends the connection in order, and tries no other until it is asked to. Not from within a call of the delegate.
  ///
  /// - Returns: whether there was one; `linkEnded` follows then.
  @discardableResult
  func close() -> Bool {
    retry.arm(atUsec: nil)
    session?.close()
    return session != nil
  }

  /// Asks for all that the broker retains, and sends the marker behind that.
  func readRetained() {
    guard let session else { return }
    reading += 1
    session.subscribe(marker, qos: 1, isOwnLeftOut: false)
    delegate.linkReads(session)
    session.publish(marker, Array("\(reading)".utf8))
    markerTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.markerUsec)
  }

  private func markerIsLate() {
    Log.write(.warning, "the broker did not send all that it retains; asking once more")
    readRetained()
  }
}

extension BrokerLink: BrokerSessionDelegate {
  func sessionConnected() {
    pauseUsec = Self.pauseUsec.lowerBound
    delegate.linkConnected()
    readRetained()
  }

  func session(received message: BrokerMessage) {
    delegate.link(received: message)
    // That of an earlier reading may come late.
    guard message.topic == marker, message.payload == Array("\(reading)".utf8) else { return }
    markerTimer.arm(atUsec: nil)
    delegate.linkHasRead()
  }

  func session(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    delegate.link(acknowledged: mid, acknowledgement)
  }

  func sessionSubscriptionRefused(_ reason: String) { delegate.linkSubscriptionRefused(reason) }

  func sessionEnded(_ end: BrokerSession.End) {
    session = nil
    markerTimer.arm(atUsec: nil)
    delegate.linkEnded(end)
    switch end {
    // It may be wanted again by now.
    case .closed: connect()
    case .takenOver: break
    case .refused, .failed: connectLater()
    }
  }
}
