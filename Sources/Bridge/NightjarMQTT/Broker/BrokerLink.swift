internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem

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
  unowned let bridge: Bridge
  private(set) var session: BrokerSession?
  private var retry: TimerSource!
  private var markerTimer: TimerSource!
  private var pauseUsec = BrokerLink.pauseUsec.lowerBound
  /// The number of the last marker that was published. A marker contains its number.
  private(set) var lastMarker = 0

  /// - Parameter marker: a topic that only this client uses. A message that is published there
  ///   arrives after the retained messages.
  init(
    loop: EventLoop, settings: BridgeSettings, marker: String, bridge: Bridge
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.marker = marker
    self.bridge = bridge
    retry = try loop.timer(on: .boottime) { [weak self] in self?.connect() }
    markerTimer = try loop.timer(on: .boottime) { [weak self] in self?.markerIsLate() }
  }

  /// Connects, unless there is a connection or the bridge does not allow one.
  func connect() {
    guard session == nil, bridge.linkMayConnect else { return }
    do {
      let session = try BrokerSession(loop: loop, settings: settings, link: self)
      self.session = session
      try session.open()
    } catch {
      session = nil
      bridge.linkEnded(.failed(error as? BrokerProblem ?? BrokerProblem("\(error)")))
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

  /// Closes the connection cleanly. The link does not connect again until `connect` is called. See
  /// `BrokerSession.close` for when not to call this.
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
    bridge.linkWillReadRetained(session)
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

// MARK: - Called by the session

extension BrokerLink {
  /// The broker has accepted the connection.
  func connected() {
    pauseUsec = Self.pauseUsec.lowerBound
    bridge.linkConnected()
    readRetained()
  }

  func received(_ message: BrokerMessage) {
    bridge.link(received: message)
    guard message.topic == marker,
      let number = String(validating: message.payload, as: UTF8.self).flatMap({ Int($0) }),
      number <= lastMarker
    else { return }
    if number == lastMarker { markerTimer.arm(atUsec: nil) }
    bridge.link(markerArrived: number)
  }

  /// The connection ended, or could not be made. The session calls this once, and nothing after it.
  func ended(_ end: BrokerSession.End) {
    session = nil
    markerTimer.arm(atUsec: nil)
    bridge.linkEnded(end)
    switch end {
    // The bridge may allow a connection again by now.
    case .closed: connect()
    case .takenOver: break
    case .failed: connectLater()
    }
  }
}
