internal import CMosquitto
internal import COpenSSL
internal import Glibc
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem

struct BrokerMessage {
  let topic: String
  let payload: [UInt8]
  let qos: Int32
  let isRetained: Bool
  /// After how many seconds the broker discards the message (section 3.3.2.3.3); nil: never.
  var expirySeconds: UInt32?
  /// The topic on which the sender expects a reply (MQTT 5, section 3.3.2.3.5).
  var responseTopic: String?
  /// Data that the reply to this message must contain unchanged (section 3.3.2.3.6).
  var correlation: [UInt8]?
}

/// The properties of a message that is a call or a reply.
struct CallProperties {
  /// The topic for the reply to this message; nil: the message itself is a reply.
  let responseTopic: String?
  /// The data that relates a reply to its call: the same in both.
  let correlation: [UInt8]
}

/// One connection to the broker: libmosquitto, with MQTT 5, on a socket that our event loop
/// watches.
///
/// The connection begins with a clean start, and the broker keeps no session after its end. Each
/// connection has its own client object of libmosquitto, so no data of one connection is sent on
/// the next.
final class BrokerSession {
  enum End {
    /// `close` was called.
    case closed
    /// Another client with the same name connected: a machine of the same person with the same
    /// device name.
    case takenOver
    /// The connection ended for any other reason. Another attempt may succeed.
    case failed(BrokerProblem)
  }

  /// The broker's answer to a published message (MQTT 5, section 3.4.2.1).
  enum Acknowledgement {
    case taken
    /// The broker has the message, but no client subscribes to its topic.
    case noSubscriber
    /// The broker rejected the message, usually because this client may not publish there.
    case refused(Sentence)
  }

  /// How long the broker may take to accept a connection, in microseconds.
  static let timeoutUsec: Int64 = 10_000_000

  /// The most bytes of a message's headers.
  fileprivate static let headerBytes = 32

  /// How long the broker may take to close the connection after DISCONNECT, in microseconds.
  private static let disconnectUsec: Int64 = 1_000_000

  /// The folder in which Debian and most other systems store trusted certificates
  /// (ca-certificates).
  private static let systemAuthorities = "/etc/ssl/certs"

  private let loop: EventLoop
  private let settings: BridgeSettings
  private unowned let link: BrokerLink
  private let client: OpaquePointer
  private var reachability: Reachability?
  private var source: Source?
  private var timer: TimerSource?
  private var isConnected = false
  /// The most bytes of a message's topic, payload and properties that the broker passes on to a
  /// bridge (MQTT 5, sections 3.1.2.11.4 and 3.2.2.3.6). libmosquitto counts a few bytes less than
  /// it sends, so callers check this limit themselves.
  private(set) var mostBytes = MirrorLimits.messageBytes - BrokerSession.headerBytes
  private var isOver = false
  /// The errors that OpenSSL and libmosquitto reported during the TLS handshake.
  private var tlsFailure = TLSFailure()
  /// A second descriptor of the connection, which exists while the connection is being closed; see
  /// `close`.
  private var duplicateSocket: Int32?
  /// Whether `close` was called. In that case libmosquitto reports the end of the connection, too.
  private var isClosing = false

  /// Makes a session that is not connected yet.
  init(
    loop: EventLoop, settings: BridgeSettings, link: BrokerLink
  ) throws(BrokerProblem) {
    self.loop = loop
    self.settings = settings
    self.link = link
    let password = try settings.passwordPath.map { (path) throws(BrokerProblem) in
      try PasswordFile.read(path, key: settings.passwordKey)
    }
    let id = ClientID.text(settings.address, password: password)
    guard let client = mosquitto_new(id, true, nil) else {
      throw BrokerProblem("libmosquitto has no memory for a client")
    }
    self.client = client
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5))
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    // libmosquitto then writes only in `mosquitto_loop_write`. Otherwise it writes the answer to a
    // message while it reads. If the broker has closed the connection, that write fails, and
    // libmosquitto does not read the broker's reason, which is behind the message.
    mosquitto_threaded_set(client, true)
    mosquitto_connect_v5_callback_set(client, brokerAnswered)
    mosquitto_disconnect_v5_callback_set(client, brokerLost)
    mosquitto_message_v5_callback_set(client, messageArrived)
    mosquitto_publish_v5_callback_set(client, messageTaken)
    mosquitto_subscribe_v5_callback_set(client, subscriptionAnswered)
    let will = link.bridge.linkWill
    // libmosquitto takes ownership of the properties, unless it refuses the will.
    var properties: OpaquePointer?
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue),
      DevicePresence.willSeconds)
    let code = mosquitto_will_set_v5(
      client, will.topic, Int32(will.payload.count), will.payload, 1, true, properties)
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      mosquitto_property_free_all(&properties)
      throw BrokerProblem("the will is refused: \(Self.words(Int32(code)))")
    }
    if let user = settings.user { mosquitto_username_pw_set(client, user, password) }
    try setCertificates()
  }

  deinit {
    source?.cancel()
    closeDuplicate()
    mosquitto_destroy(client)
  }

  private func setCertificates() throws(BrokerProblem) {
    guard case .tls = settings.broker else { return }
    if let problem = TLSFiles.problems(in: settings).first { throw problem }
    mosquitto_log_callback_set(client, clientLogged)
    // libmosquitto requires a file or a folder of certificates. If the user names no file, pass the
    // system's folder.
    let code = mosquitto_tls_set(
      client, settings.authorityPath, settings.authorityPath == nil ? Self.systemAuthorities : nil,
      settings.certificatePath, settings.keyPath, nil)
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      throw BrokerProblem("the certificates are refused: \(Self.words(code))")
    }
    mosquitto_tls_opts_set(client, 1, nil, nil)
  }

  // MARK: - Connecting

  /// Begins to connect. The link is called when the broker has accepted the connection, or when the
  /// attempt has failed.
  func open() throws(SystemError) {
    let timer = try loop.timer(on: .boottime) { [weak self] in self?.timerFired() }
    self.timer = timer
    timer.arm(atUsec: Clocks.read().boottimeUsec + Self.timeoutUsec)
    switch settings.broker {
    case .tcp(let host, let port), .tls(let host, let port):
      reachability = Reachability(loop: loop, host: host, port: port) { [weak self] problem in
        self?.reachability = nil
        if let problem { self?.end(.failed(problem)) } else { self?.connect(host, port) }
      }
    case .unix(let path): loop.later { [weak self] in self?.connect(path, 0) }
    }
  }

  private func connect(_ host: String, _ port: Int) {
    guard !isOver else { return }
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
      UInt32(MirrorLimits.messageBytes))
    let code = mosquitto_connect_bind_v5(
      client, host, Int32(port), Int32(settings.keepaliveSeconds), nil, properties)
    guard code == MOSQ_ERR_SUCCESS.rawValue else { return end(.failed(problem(code))) }
    watch()
  }

  private func watch() {
    let descriptor = mosquitto_socket(client)
    guard descriptor >= 0 else { return end(.failed(noAnswer)) }
    do {
      source = try loop.watch(descriptor) { [weak self] in self?.socketIsReady($0) }
      wantWrite()
    } catch {
      end(.failed(BrokerProblem(Sentence(error.description))))
    }
  }

  private func socketIsReady(_ events: EpollSet.Events) {
    if !events.isDisjoint(with: [.readable, .closed]) {
      check(mosquitto_loop_read(client, 1))
      acknowledgeAtOnce()
    }
    guard !isOver else { return }
    if events.contains(.writable) { write() }
    wantWrite()
  }

  /// Writes what waits, as far as the socket takes it.
  ///
  /// If the broker has closed the connection, its last packet says why. A write would fail, and
  /// libmosquitto would not read the rest.
  private func write() {
    guard !Descriptor.isClosedByPeer(mosquitto_socket(client)) else { return }
    check(mosquitto_loop_write(client, 1))
  }

  /// Makes the kernel acknowledge the data that was just read without a delay.
  ///
  /// A timer's value and its event arrive in two packets. A broker with Nagle's algorithm (RFC 896)
  /// sends the second packet only when the first is acknowledged. mosquitto uses this algorithm
  /// unless `set_tcp_nodelay` is set. A kernel that has no data to send delays acknowledgements by
  /// 40 ms. The kernel resets the option TCP_QUICKACK by itself, so the bridge sets it after each
  /// reading (tcp(7)).
  private func acknowledgeAtOnce() {
    if case .unix = settings.broker { return }
    var isOn: Int32 = 1
    setsockopt(
      mosquitto_socket(client), Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn,
      socklen_t(MemoryLayout<Int32>.size))
  }

  private func wantWrite() {
    guard !isOver else { return }
    source?.watchesWritable = mosquitto_socket(client) >= 0 && mosquitto_want_write(client)
  }

  private func timerFired() {
    if isClosing { return end(.closed) }
    guard isConnected else {
      return end(.failed(reachability == nil ? noAnswer : .unreachable(code: ETIMEDOUT)))
    }
    // Sends a ping if nothing was sent for the length of a keepalive. Ends the connection if the
    // last ping was not answered.
    check(mosquitto_loop_misc(client))
    armKeepalive()
    wantWrite()
    link.bridge.linkTicks()
  }

  /// The broker ends a connection that was silent for one and a half keepalives. libmosquitto sends
  /// a ping only if it is called at least one keepalive after its last packet. The bridge calls
  /// libmosquitto three times per keepalive, so a ping is sent after at most 4/3 keepalives.
  private func armKeepalive() {
    let usec = max(1, Int64(settings.keepaliveSeconds) / 3) * 1_000_000
    timer?.arm(atUsec: Clocks.read().boottimeUsec + usec)
  }

  private func check(_ code: Int32) {
    if isClosing, mosquitto_socket(client) < 0 { return awaitClose() }
    guard code != MOSQ_ERR_SUCCESS.rawValue, !isOver else { return }
    if isClosing { return end(.closed) }
    end(.failed(problem(code)))
  }

  /// Why a call of libmosquitto failed.
  private func problem(_ code: Int32) -> BrokerProblem {
    let error = code == MOSQ_ERR_ERRNO.rawValue ? errno : 0
    // libmosquitto reports each failed read or write of OpenSSL as EPROTO.
    let isOfTLS =
      code == MOSQ_ERR_TLS.rawValue || code == MOSQ_ERR_CONN_LOST.rawValue || error == EPROTO
    if isOfTLS, let tlsProblem { return tlsProblem }
    if isConnected { return BrokerProblem(Sentence(Self.words(code))) }
    return [0, ECONNRESET, EPIPE].contains(error) ? noAnswer : .unreachable(code: error)
  }

  /// Before the broker accepted the connection, it was ended, or time passed.
  private var noAnswer: BrokerProblem {
    var remedy: Sentence = "'broker' has to name an MQTT 5 broker, whose log may say more"
    if case .tcp = settings.broker {
      remedy = "if that port is for TLS, write mqtts:// in place of mqtt://; else \(remedy)"
    }
    return BrokerProblem("the broker does not answer in MQTT 5", remedy)
  }

  /// Why the TLS handshake failed, if the connection ended because of that; nil otherwise.
  /// OpenSSL's text says more than libmosquitto's code.
  private var tlsProblem: BrokerProblem? {
    guard !isConnected, case .tls = settings.broker else { return nil }
    return tlsFailure.problem(settings)
  }

  /// The problem for a reason of the broker (MQTT 5, sections 3.2.2.2 and 3.14.2.1).
  private func refusal(_ reason: Int32) -> BrokerProblem {
    let remedy: Sentence? =
      switch reason {
      case 0x84: "'broker' has to name an MQTT 5 broker"
      case 0x86, 0x87, 0x8A, 0x8C:
        "give in 'user' and 'password_file' what the broker knows, or correct its list of users"
      case 0x95: "raise the broker's limit (max_packet_size)"
      default: nil
      }
    return BrokerProblem("the broker refuses: \(words(ofReason: reason))", remedy)
  }

  private func words(ofReason reason: Int32) -> Sentence {
    Sentence(String(cString: mosquitto_reason_string(reason)))
  }

  // MARK: - Called back by libmosquitto

  fileprivate func answered(_ reason: Int32, mostBytes: UInt32) {
    guard !isOver else { return }
    guard reason == 0 else { return end(.failed(refusal(reason))) }
    isConnected = true
    self.mostBytes = min(self.mostBytes, Int(mostBytes) - Self.headerBytes)
    // Stop reading the log, because it has a line for each packet.
    mosquitto_log_callback_set(client, nil)
    armKeepalive()
    link.connected()
  }

  fileprivate func lost(_ reason: Int32) {
    guard !isOver else { return }
    if isClosing { return }
    if reason == 0x8E { return end(.takenOver) }
    if reason >= 0x80 { return end(.failed(refusal(reason))) }
    end(.failed(tlsProblem ?? (isConnected ? BrokerProblem("it was lost") : noAnswer)))
  }

  /// Reads a line of libmosquitto's log. Asks OpenSSL at once whether the broker's certificate is
  /// valid, because libmosquitto frees OpenSSL's data of the connection before it returns.
  fileprivate func logged(_ line: String) {
    tlsFailure.note(
      line, verdict: mosquitto_ssl_get(client).map { SSL_get_verify_result(OpaquePointer($0)) })
  }

  fileprivate func received(_ message: BrokerMessage) {
    guard !isOver, !isClosing else { return }
    link.received(message)
  }

  fileprivate func taken(_ mid: Int32, _ reason: Int32) {
    guard !isOver else { return }
    let acknowledgement: Acknowledgement =
      switch reason {
      case 0x10: .noSubscriber
      case 0x80...: .refused(words(ofReason: reason))
      default: .taken
      }
    link.bridge.link(acknowledged: mid, acknowledgement)
  }

  fileprivate func subscribed(_ mid: Int32, _ reasons: [Int32]) {
    guard !isOver else { return }
    let refusal = reasons.first { $0 >= 0x80 }
    link.bridge.link(subscribed: mid, refusal: refusal.map(words(ofReason:)))
  }

  // MARK: - Using the connection

  /// Publishes a message. While the socket's buffer is full, the message waits in memory.
  ///
  /// - Parameters:
  ///   - qos: 0 or 1.
  ///   - call: the properties of a call or a reply.
  ///   - expirySeconds: the broker discards the message after this time (MQTT 5, section
  ///     3.3.2.3.3); nil: never.
  /// - Returns: the number of the message, which `acknowledged` reports; nil if libmosquitto
  ///   refuses the message, or the connection has ended.
  @discardableResult
  func publish(
    _ topic: String, _ payload: [UInt8], qos: Int32 = 1, isRetained: Bool = false,
    call: CallProperties? = nil, expirySeconds: UInt32? = nil
  ) -> Int32? {
    guard isConnected, !isOver, !isClosing else { return nil }
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if let call {
      if let topic = call.responseTopic {
        mosquitto_property_add_string(&properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), topic)
      }
      mosquitto_property_add_binary(
        &properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), call.correlation,
        UInt16(call.correlation.count))
    }
    if let expirySeconds {
      mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expirySeconds)
    }
    var mid: Int32 = 0
    let code = mosquitto_publish_v5(
      client, &mid, topic, Int32(payload.count), payload, qos, isRetained, properties)
    wantWrite()
    return code == MOSQ_ERR_SUCCESS.rawValue ? mid : nil
  }

  /// Subscribes to all topics that match a filter.
  ///
  /// - Parameter isOwnLeftOut: whether the broker leaves out this client's own messages (No Local).
  /// - Returns: the number of the subscription; nil: the connection has ended.
  @discardableResult
  func subscribe(_ filter: String, qos: Int32, isOwnLeftOut: Bool) -> Int32? {
    guard isConnected, !isOver else { return nil }
    let options = isOwnLeftOut ? MQTT_SUB_OPT_NO_LOCAL.rawValue : 0
    var mid: Int32 = 0
    check(mosquitto_subscribe_v5(client, &mid, filter, qos, Int32(options), nil))
    wantWrite()
    return mid
  }

  func unsubscribe(_ filter: String) {
    guard isConnected, !isOver else { return }
    check(mosquitto_unsubscribe(client, nil, filter))
    wantWrite()
  }

  /// Closes the connection cleanly, so that the broker does not publish the will.
  /// `BrokerLink.ended` follows when the broker has closed the connection, or after
  /// `disconnectUsec`.
  ///
  /// libmosquitto closes its socket as soon as it has written DISCONNECT. If a socket with unread
  /// data is closed, the kernel resets the connection, and the broker does not read DISCONNECT.
  /// Therefore this keeps a second descriptor of the connection open until the broker has closed
  /// the connection. The loop watches only the second descriptor: epoll(7) keeps the entry of a
  /// closed descriptor while another descriptor of the same connection is open, and that entry
  /// could not be removed.
  ///
  /// This must not be called while the session calls its link or the bridge. libmosquitto holds a
  /// lock during each callback, and it calls back again when it has sent DISCONNECT.
  func close() {
    guard !isOver, !isClosing else { return }
    isClosing = true
    source?.cancel()
    let second = fcntl(mosquitto_socket(client), F_DUPFD_CLOEXEC, 0)
    if second >= 0 { duplicateSocket = second }
    // The closure keeps this session until its end, because its owner may release it now.
    source = second < 0 ? nil : try? loop.watch(second) { self.duplicateIsReady($0) }
    guard isConnected else { return end(.closed) }
    timer?.arm(atUsec: Clocks.read().boottimeUsec + Self.disconnectUsec)
    mosquitto_disconnect_v5(client, 0, nil)
    write()
    guard !isOver, source != nil else { return end(.closed) }
    if mosquitto_socket(client) < 0 { awaitClose() } else { wantWrite() }
  }

  private func duplicateIsReady(_ events: EpollSet.Events) {
    if mosquitto_socket(client) >= 0 { socketIsReady(events) } else { awaitClose() }
  }

  /// Reads until the broker closes the connection. DISCONNECT has been sent.
  private func awaitClose() {
    guard !isOver, let duplicateSocket else { return }
    source?.watchesWritable = false
    var bytes = [UInt8](repeating: 0, count: 4096)
    var count = 0
    repeat {
      count = recv(duplicateSocket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    } while count > 0
    if count == 0 || errno != EAGAIN { end(.closed) }
  }

  private func end(_ end: End) {
    guard !isOver else { return }
    isOver = true
    source?.cancel()
    (source, timer, reachability) = (nil, nil, nil)
    closeDuplicate()
    // In a later iteration, because the link releases this session, which must not happen in a
    // callback.
    loop.later { [weak self] in self?.link.ended(end) }
  }

  private func closeDuplicate() {
    if let duplicateSocket { Glibc.close(duplicateSocket) }
    duplicateSocket = nil
  }

  private static func words(_ code: Int32) -> String {
    var text = String(cString: mosquitto_strerror(code))
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}

/// Why the bridge cannot connect, or what the broker refuses.
struct BrokerProblem: Error, CustomStringConvertible {
  let reason: Sentence
  /// What the user can do about it; nil: the bridge tries again by itself.
  let remedy: Sentence?

  /// Both, as one sentence.
  var sentence: Sentence { remedy.map { "\(reason); \($0)" } ?? reason }
  var description: String { sentence.description }

  init(_ reason: Sentence, _ remedy: Sentence? = nil) {
    (self.reason, self.remedy) = (reason, remedy)
  }

  /// The problem of messages, or of timers, that are too long for the broker; nil: there are none.
  init?(tooLong names: some Collection<String>, most: Int?) {
    guard let most, !names.isEmpty else { return nil }
    let list = names.sorted().prefix(16).map { "'\($0)'" }.joined(separator: ", ")
    let mostBytes = most + BrokerSession.headerBytes
    self.init(
      "the broker takes messages of at most \(mostBytes) bytes, too few for \(list)",
      "raise the broker's limit (max_packet_size), or shorten the timer's data, labels or message")
  }

  /// The problem of a broker that cannot be reached. `code`: the reason, as in errno(3).
  static func unreachable(code: Int32) -> BrokerProblem {
    let remedy: Sentence =
      [ECONNREFUSED, ENOENT].contains(code)
      ? "start the broker, or correct 'broker'"
      : "see that the network leads to the broker, or correct 'broker'"
    return BrokerProblem(Sentence(String(cString: strerror(code))), remedy)
  }
}

// The session that belongs to a callback. The callbacks of libmosquitto are free functions, because
// a C callback can capture nothing. The session lives longer than its client object, so the pointer
// is valid in each callback.

private func session(_ userdata: UnsafeMutableRawPointer?) -> BrokerSession {
  Unmanaged<BrokerSession>.fromOpaque(userdata!).takeUnretainedValue()
}

private func brokerAnswered(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ reason: Int32, _: Int32,
  _ properties: OpaquePointer?
) {
  var mostBytes = UInt32.max
  mosquitto_property_read_int32(
    properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &mostBytes, false)
  session(userdata).answered(reason, mostBytes: mostBytes)
}

private func clientLogged(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _: Int32, _ line: UnsafePointer<CChar>?
) {
  if let line { session(userdata).logged(String(cString: line)) }
}

private func brokerLost(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ reason: Int32, _: OpaquePointer?
) {
  session(userdata).lost(reason)
}

private func messageArrived(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _ message: UnsafePointer<mosquitto_message>?, _ properties: OpaquePointer?
) {
  guard let message = message?.pointee, let topic = message.topic else { return }
  let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
  var received = BrokerMessage(
    topic: String(cString: topic), payload: Array(payload), qos: message.qos,
    isRetained: message.retain)
  var text: UnsafeMutablePointer<CChar>?
  if mosquitto_property_read_string(
    properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil, let text
  {
    received.responseTopic = String(cString: text)
    free(text)
  }
  var seconds: UInt32 = 0
  if mosquitto_property_read_int32(
    properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false) != nil
  {
    received.expirySeconds = seconds
  }
  var (bytes, count): (UnsafeMutableRawPointer?, UInt16) = (nil, 0)
  if mosquitto_property_read_binary(
    properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), &bytes, &count, false) != nil, let bytes
  {
    received.correlation = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    free(bytes)
  }
  session(userdata).received(received)
}

private func messageTaken(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ mid: Int32, _ reason: Int32,
  _: OpaquePointer?
) {
  session(userdata).taken(mid, reason)
}

private func subscriptionAnswered(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ mid: Int32, _ count: Int32,
  _ reasons: UnsafePointer<Int32>?, _: OpaquePointer?
) {
  session(userdata).subscribed(
    mid, Array(UnsafeBufferPointer(start: reasons, count: Int(count))))
}
