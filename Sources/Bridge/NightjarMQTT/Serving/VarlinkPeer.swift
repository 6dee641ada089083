internal import Glibc
internal import NightjarSystem
internal import NightjarTrust
internal import Varlink

/// A call, as a service receives it.
struct ReceivedCall {
  /// The method's full name.
  let method: String
  /// The parameters, an object. It is empty if the call had none.
  let parameters: JSONValue
  /// Whether the client accepts any number of replies.
  let more: Bool

  /// The name of the interface to which the method belongs.
  var interface: String { method.lastIndex(of: ".").map { String(method[..<$0]) } ?? "" }

  /// The method's name without the interface; nil: the method belongs to another interface.
  func method(in interface: String) -> String? {
    let start = "\(interface)."
    return method.hasPrefix(start) ? String(method.dropFirst(start.count)) : nil
  }

  /// The parameters as those of a method.
  ///
  /// - Throws: `VarlinkError.invalidParameter`.
  func read<Method: WireMethod>(_: Method.Type = Method.self) throws(VarlinkError) -> Method {
    do throws(WireError) {
      return try Method(parameters.bytes, isStrict: true)
    } catch {
      throw .invalidParameter(parameter: error.field)
    }
  }
}

extension VarlinkError {
  /// Throws if a parameter was given and is out of its range.
  static func check(
    _ value: Int64?, in range: ClosedRange<Int64>, _ parameter: String
  ) throws(VarlinkError) {
    if let value, !range.contains(value) { throw .invalidParameter(parameter: parameter) }
  }
}

/// Answers the calls of a socket's clients.
protocol VarlinkAnswering: AnyObject {
  /// Receives one call. The receiver must answer it with `reply` or `fail`, now or later. The
  /// client's next call is delivered after that.
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer)
  /// The client has disconnected. If it had a stream, that has ended, too.
  func peerEnded(_ peer: VarlinkPeer)
}

/// One client of a socket of the bridge. Its calls are answered one at a time.
final class VarlinkPeer {
  /// The most bytes that a client with a stream may leave unread. If there are more, the client is
  /// disconnected.
  private static let unreadBytes = 1024 * 1024

  private let connection: VarlinkConnection
  private var source: Source?
  private var isAnswering = false
  private var isTakingCalls = false
  private var wantsReply = true
  private weak var service: (any VarlinkAnswering)?

  init(
    loop: EventLoop, _ connection: VarlinkConnection, service: any VarlinkAnswering
  ) throws(SystemError) {
    self.connection = connection
    self.service = service
    source = try loop.watch(connection) { [weak self] in self?.advanced() }
  }

  deinit { source?.cancel() }

  /// Whether the client reads its replies too slowly.
  var isBehind: Bool { connection.outlet.backlogBytes > Self.unreadBytes }

  var isOpen: Bool { source != nil }

  // MARK: - Answering

  /// Sends one reply.
  ///
  /// - Parameter continues: whether more replies to the same call follow.
  func reply(_ parameters: JSONValue, continues: Bool = false) {
    send(error: nil, parameters, continues: continues)
  }

  /// Sends one reply, which ends the call.
  func reply(_ reply: some WireStructure) { self.reply(JSONValue(reply)) }

  /// Sends an error, which ends the call.
  func fail(_ error: String, _ parameters: JSONValue = .object([])) {
    send(error: error, parameters, continues: false)
  }

  /// Sends an error of `org.varlink.service`, which ends the call.
  func fail(_ error: VarlinkError) {
    var bytes: [UInt8] = []
    JSONWriter.append(to: &bytes) { $0.writeError(error) }
    send(bytes, continues: false)
  }

  private func send(error: String?, _ parameters: JSONValue, continues: Bool) {
    var members: [JSONValue.Member] = []
    if let error { members.append(JSONValue.Member("error", .string(error))) }
    members.append(JSONValue.Member("parameters", parameters))
    if continues { members.append(JSONValue.Member("continues", true)) }
    send(JSONValue.object(members).bytes + [0], continues: continues)
  }

  private func send(_ bytes: [UInt8], continues: Bool) {
    guard isOpen else { return }
    if wantsReply { connection.outlet.output += bytes }
    connection.flush()
    source?.update()
    guard !continues, isOpen else { return }
    isAnswering = false
    answerNext()
  }

  // MARK: - The socket

  private func advanced() {
    answerNext()
    guard isOpen else { return }
    if connection.isBroken || connection.hasInputEnded { close() }
  }

  /// Answers the waiting calls, until one of them is not answered immediately. An immediate answer
  /// calls this function again; that inner call returns at once, because the outer loop continues
  /// with the next call.
  private func answerNext() {
    guard !isTakingCalls else { return }
    isTakingCalls = true
    defer { isTakingCalls = false }
    while !isAnswering, isOpen, let call = nextCall() {
      isAnswering = true
      service?.answer(call, of: self)
    }
  }

  /// The next complete call. Nil if there is none, or if the connection was closed because the
  /// client sent no valid call.
  private func nextCall() -> ReceivedCall? {
    guard let frame = connection.nextFrame() else { return nil }
    do {
      return try frame.withUnsafeBytes { (frame) throws(VarlinkProtocolError) in
        let call = try VarlinkCall.parse(frame)
        wantsReply = !call.oneway
        return ReceivedCall(
          method: call.method.string, parameters: Self.parameters(call), more: call.more)
      }
    } catch {
      close()
      return nil
    }
  }

  /// The parameters of a call. They were validated when the call was parsed.
  private static func parameters(_ call: VarlinkCall) -> JSONValue {
    call.parameters.flatMap { try? JSONValue.parse($0) } ?? .object([])
  }

  /// Closes the connection.
  func close() {
    guard isOpen else { return }
    source?.cancel()
    source = nil
    service?.peerEnded(self)
  }
}

/// A listening socket, and the clients that are connected to it.
final class VarlinkListener {
  /// The most clients of one socket.
  private static let mostPeers = 64

  private let path: String
  private let socket: Descriptor
  private let loop: EventLoop
  private var source: Source?
  private var peers: [ObjectIdentifier: VarlinkPeer] = [:]
  private weak var service: (any VarlinkAnswering)?

  /// Creates a socket at a path and listens on it.
  init(loop: EventLoop, path: String, service: any VarlinkAnswering) throws(SystemError) {
    self.loop = loop
    self.path = path
    self.service = service
    socket = try UnixSocket.listen(path: path)
    source = try loop.watchReadable(socket.raw) { [weak self] in self?.accept() }
  }

  private func accept() {
    do {
      while let descriptor = try UnixSocket.accept(from: socket.raw) {
        let connection = VarlinkConnection(owning: descriptor.take())
        // Only programs of this user and of root may connect, as to the daemon's socket.
        guard peers.count < Self.mostPeers, let user = connection.peer?.uid,
          PeerTrust.mayCall(user)
        else { continue }
        let peer = try VarlinkPeer(loop: loop, connection, service: self)
        peers[ObjectIdentifier(peer)] = peer
      }
    } catch {
      // No descriptor is free, so the client waits in the socket's queue until another client
      // disconnects.
      Log.write(.warning, "\(path): a client cannot be served until another ends: \(error)")
      source?.isEnabled = false
    }
  }

  /// Ends all connections, and removes the socket.
  func close() {
    guard source != nil else { return }
    source?.cancel()
    source = nil
    // Remove the socket first, so that a client that is disconnected cannot connect again.
    unlink(path)
    for peer in Array(peers.values) { peer.close() }
  }
}

extension VarlinkListener: VarlinkAnswering {
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) { service?.answer(call, of: peer) }

  func peerEnded(_ peer: VarlinkPeer) {
    service?.peerEnded(peer)
    // In a later iteration, because the peer is calling this, and it would be released now.
    loop.later { [weak self] in
      self?.peers[ObjectIdentifier(peer)] = nil
      self?.source?.isEnabled = true
    }
  }
}
