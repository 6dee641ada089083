internal import CMosquitto
internal import Glibc
internal import NightjarMirror

/// The number of messages, and the bytes of their payloads.
struct Traffic {
  var messages = 0
  var bytes = 0

  mutating func add(_ bytes: Int) {
    messages += 1
    self.bytes += bytes
  }

  static func + (one: Traffic, other: Traffic) -> Traffic {
    Traffic(messages: one.messages + other.messages, bytes: one.bytes + other.bytes)
  }

  static func - (one: Traffic, other: Traffic) -> Traffic {
    Traffic(messages: one.messages - other.messages, bytes: one.bytes - other.bytes)
  }
}

/// A client of the broker. It uses libmosquitto in the same way as the bridge. The caller waits for
/// its descriptor.
final class BrokerClient {
  /// Receives a message: its topic, its payload, and whether the broker had retained it.
  typealias OnMessage = (_ topic: String, _ payload: [UInt8], _ isRetained: Bool) -> Void

  private let client: OpaquePointer
  private(set) var isConnected = false
  /// What it has published, and what has arrived.
  private(set) var (sent, received) = (Traffic(), Traffic())
  /// How many of its messages the broker does not retain.
  private(set) var sentUnretained = 0
  /// Messages that the broker has not acknowledged.
  private(set) var unacknowledged = 0
  var onConnected: () -> Void = {}
  var onMessage: OnMessage = { _, _, _ in }

  /// Makes a client, and begins to connect.
  ///
  /// - Parameter will: what the broker publishes when it loses this client, retained.
  init(
    _ name: String, port: Int, keepaliveSeconds: Int32 = 600,
    will: (topic: String, payload: [UInt8])? = nil
  ) {
    mosquitto_lib_init()
    guard let client = mosquitto_new(name, true, nil) else { fail("libmosquitto has no memory") }
    self.client = client
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5))
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_connect_v5_callback_set(client, clientConnected)
    mosquitto_message_v5_callback_set(client, clientReceived)
    mosquitto_publish_v5_callback_set(client, clientAcknowledged)
    if let will {
      mosquitto_will_set_v5(
        client, will.topic, Int32(will.payload.count), will.payload, 1, true, nil)
    }
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(MirrorLimits.messageBytes))
    let code = mosquitto_connect_bind_v5(
      client, "127.0.0.1", Int32(port), keepaliveSeconds, nil, properties)
    guard code == MOSQ_ERR_SUCCESS.rawValue else { fail("mosquitto does not accept a connection") }
  }

  /// Closes the connection without DISCONNECT.
  deinit { mosquitto_destroy(client) }

  var descriptor: Int32 { mosquitto_socket(client) }
  var wantsToWrite: Bool { mosquitto_want_write(client) }

  /// Receives what has arrived, and sends what is queued.
  func serve() {
    check(mosquitto_loop_read(client, 1))
    // The bridge does the same: a broker with Nagle's algorithm waits for acknowledgements, and the
    // kernel would delay them.
    var isOn: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, socklen_t(MemoryLayout<Int32>.size))
    if wantsToWrite { check(mosquitto_loop_write(client, 1)) }
  }

  /// Serves the client until `isSo` is true. Ends the program if this takes more than 30 s.
  func serve(until what: String, _ isSo: () -> Bool) {
    let end = Clock.nsec() + 30_000_000_000
    while !isSo() {
      guard Clock.nsec() < end else { fail("\(what) did not come within 30 s") }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if wantsToWrite { request.events |= Int16(POLLOUT) }
      if poll(&request, 1, 1_000) > 0 { serve() }
    }
  }

  /// Publishes at QoS 1, as the bridge does.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
    sent.add(payload.count)
    if !isRetained { sentUnretained += 1 }
    unacknowledged += 1
    check(
      mosquitto_publish_v5(client, nil, topic, Int32(payload.count), payload, 1, isRetained, nil))
  }

  func subscribe(_ filter: String, qos: Int32, isOwnLeftOut: Bool) {
    let options = isOwnLeftOut ? MQTT_SUB_OPT_NO_LOCAL.rawValue : 0
    check(mosquitto_subscribe_v5(client, nil, filter, qos, Int32(options), nil))
  }

  private func check(_ code: Int32) {
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      fail("a connection to mosquitto: \(String(cString: mosquitto_strerror(code)))")
    }
  }

  fileprivate func connected(_ reason: Int32) {
    guard reason == 0 else { fail("mosquitto refuses a connection: \(reason)") }
    isConnected = true
    onConnected()
  }

  fileprivate func received(_ message: mosquitto_message) {
    let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    received.add(bytes.count)
    onMessage(String(cString: message.topic), Array(bytes), message.retain)
  }

  fileprivate func acknowledged() { unacknowledged -= 1 }
}

// libmosquitto's callbacks: free functions that capture nothing.

private func client(_ userdata: UnsafeMutableRawPointer?) -> BrokerClient {
  Unmanaged<BrokerClient>.fromOpaque(userdata!).takeUnretainedValue()
}

private func clientConnected(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ reason: Int32, _: Int32,
  _: OpaquePointer?
) {
  client(userdata).connected(reason)
}

private func clientReceived(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _ message: UnsafePointer<mosquitto_message>?, _: OpaquePointer?
) {
  if let message { client(userdata).received(message.pointee) }
}

private func clientAcknowledged(
  _: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _: Int32, _: Int32, _: OpaquePointer?
) {
  client(userdata).acknowledged()
}
