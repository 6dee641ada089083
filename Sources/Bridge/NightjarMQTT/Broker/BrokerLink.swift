internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem

/// Receives the events of a broker link, across lost connections.
protocol BrokerLinkDelegate: AnyObject {
  var linkMayConnect: Bool { get }
  /// The topic and payload of the message that the broker publishes when it loses this client.
  var linkWill: (topic: String, payload: [UInt8]) { get }
  /// The broker accepted a connection. `linkWillReadRetained` follows.
  func linkConnected()
  /// The link is about to read the retained messages. The delegate subscribes to them now.
  func linkWillReadRetained(_ session: BrokerSession)
  /// All messages that were retained when the marker with this number was published, below the
  /// topics to which the delegate had subscribed, have arrived.
  func link(markerArrived number: Int)
  /// A message arrived. It may be a marker.
  func link(received message: BrokerMessage)
  /// The broker acknowledged a message that was published at QoS 1.
  func link(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement)
  /// The broker answered the subscription with this number. `refusal`: why this client may not read
  /// those topics; nil: it may.
  func link(subscribed mid: Int32, refusal: Sentence?)
  /// Called several times per keepalive, while this process is awake anyway.
  func linkTicks()
  /// A connection ended, or could not be made. After this call, no message of that connection
  /// arrives.
  func linkEnded(_ end: BrokerSession.End)
}

/// Keeps a connection to the broker. It connects again after a loss, and reads all retained
/// messages on each connection.
final class BrokerLink {
  /// The pauses between two attempts to connect, in microseconds.
  static let pauseUsec: ClosedRange<Int64> = 1_000_000...30_000_000
  /// How long to wait for the marker, in microseconds. After that, the link reads the retained
  /// messages again.
  static let markerUsec: Int64 = 15_000_000

  private let loop: EventLoop
  private let settings: BridgeSettings
  private let marker: String
  private unowned let delegate: any BrokerLinkDelegate
  private(set) var session: BrokerSession?
  private var retry: TimerSource!
  private var markerTimer: TimerSource!
  private var pauseUsec = BrokerLink.pauseUsec.lowerBound
  /// The number of the last marker that was published. A marker contains its number.
  private(set) var lastMarker = 0

  /// - Parameter marker: a topic that only this client uses. A message that is published there
  ///   arrives after the retained messages.
  init(
    loop: EventLoop, settings: BridgeSettings, marker: String,
    delegate: any BrokerLinkDelegate
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.marker = marker
    self.delegate = delegate
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    markerTimer = try loop.timer(on: .boottime) { [weak self] in self?.markerIsLate() }
  }

  /// Connects, unless there is a connection or the delegate does not allow one.
  func connect() {
    guard session == nil, delegate.linkMayConnect else { return }
    let will = delegate.linkWill
    do {
      let session = try BrokerSession(
        loop: loop, settings: settings,
        will: (will.topic, will.payload, DevicePresence.willSeconds), delegate: self)
      self.session = session
      try session.open()
    } catch {
      session = nil
      delegate.linkEnded(.failed(error as? BrokerProblem ?? BrokerProblem("\(error)")))
      connectLater()
    }
  }

  /// Connects without a pause. If that fails, the next pause is the shortest one.
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

  /// Closes the connection cleanly. The link does not connect again until `connect` is called. A
  /// delegate must not call this from a function of the protocol.
  ///
  /// - Returns: whether there was a connection. If there was, `linkEnded` follows.
  @discardableResult
  func close() -> Bool {
    retry.arm(atUsec: nil)
    session?.close()
    return session != nil
  }

  /// Subscribes to the retained messages, and then publishes a marker.
  func readRetained() {
    guard let session else { return }
    session.subscribe(marker, qos: 1, isOwnLeftOut: false)
    delegate.linkWillReadRetained(session)
    mark()
  }

  /// Publishes a marker, which arrives after the retained messages of all earlier subscriptions.
  ///
  /// - Returns: the number of the marker.
  @discardableResult
  func mark() -> Int {
    lastMarker += 1
    session?.publish(marker, Array("\(lastMarker)".utf8))
    markerTimer.arm(atUsec: Clocks.read().boottimeUsec + Self.markerUsec)
    return lastMarker
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
    guard message.topic == marker,
      let number = String(validating: message.payload, as: UTF8.self).flatMap({ Int($0) }),
      number <= lastMarker
    else { return }
    if number == lastMarker { markerTimer.arm(atUsec: nil) }
    delegate.link(markerArrived: number)
  }

  func session(acknowledged mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    delegate.link(acknowledged: mid, acknowledgement)
  }

  func sessionTicks() { delegate.linkTicks() }

  func session(subscribed mid: Int32, refusal: Sentence?) {
    delegate.link(subscribed: mid, refusal: refusal)
  }

  func sessionEnded(_ end: BrokerSession.End) {
    session = nil
    markerTimer.arm(atUsec: nil)
    delegate.linkEnded(end)
    switch end {
    // The delegate may allow a connection again by now.
    case .closed: connect()
    case .takenOver: break
    case .failed: connectLater()
    }
  }
}
