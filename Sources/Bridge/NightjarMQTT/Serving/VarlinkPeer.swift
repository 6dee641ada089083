internal import Glibc
internal import NightjarInterface
internal import NightjarMirror
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

  /// The method's name without that of the interface.
  var name: Substring { method.split(separator: ".").last ?? "" }

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
  /// The interface that the socket serves beside `org.varlink.service`.
  var interface: (name: String, description: String) { get }
  /// Receives one call of a method of the interface, or of one that it lacks. The receiver must
  /// answer it with `reply` or `fail`, now or later. The client's next call is delivered after
  /// that.
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
  private let ended: (VarlinkPeer) -> Void

  /// - Parameter ended: called once when the client has disconnected.
  init(
    loop: EventLoop, _ connection: VarlinkConnection, service: any VarlinkAnswering,
    ended: @escaping (VarlinkPeer) -> Void
  ) throws(SystemError) {
    self.connection = connection
    self.service = service
    self.ended = ended
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

  /// Sends the answer of an owner, which ends the call.
  func reply(_ answer: OwnerAnswer) {
    switch answer {
    case .reply(let parameters): reply(parameters)
    case .error(let name, let parameters): fail(name, parameters)
    }
  }

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
    let reply = JSONValue.object(of: [
      ("error", error.map(JSONValue.string)), ("parameters", parameters),
      ("continues", continues ? true : nil),
    ])
    send(reply.bytes + [0], continues: continues)
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
    while !isAnswering, isOpen, let service, let frame = connection.nextFrame() {
      isAnswering = true
      frame.withUnsafeBytes { answer($0, service) }
    }
  }

  /// Answers a call, or closes the connection if the client sent no valid call.
  private func answer(_ frame: UnsafeRawBufferPointer, _ service: any VarlinkAnswering) {
    guard let call = try? VarlinkCall.parse(frame) else { return close() }
    wantsReply = !call.oneway
    guard call.interfaceName == service.interface.name else {
      return describe(call, service.interface)
    }
    // The parameters were validated when the call was parsed.
    let parameters = call.parameters.flatMap { try? JSONValue.parse($0) } ?? .object([])
    service.answer(
      ReceivedCall(method: call.method.string, parameters: parameters, more: call.more), of: self)
  }

  /// Answers a call of `org.varlink.service`, or of an interface that the socket lacks.
  private func describe(_ call: VarlinkCall, _ interface: (name: String, description: String)) {
    let info = ServiceInterface.GetInfo.Reply(
      vendor: "Nightjar", product: "nightjar-mqtt", version: NightjarVersion.current,
      url: "man:nightjar-mqtt(1)")
    var reply: [UInt8] = []
    JSONWriter.append(to: &reply) { writer in
      do throws(VarlinkError) {
        try ServiceInterface.answer(call, info, [interface], to: &writer)
      } catch {
        writer.writeError(error)
      }
    }
    send(reply, continues: false)
  }

  /// Closes the connection.
  func close() {
    guard isOpen else { return }
    source?.cancel()
    source = nil
    service?.peerEnded(self)
    ended(self)
  }
}

/// A listening socket, and the clients that are connected to it.
final class PeerListener {
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
        guard peers.count < Self.mostPeers, let service, let user = connection.peer?.uid,
          PeerTrust.mayCall(user)
        else { continue }
        let peer = try VarlinkPeer(loop: loop, connection, service: service) { [weak self] in
          self?.peerEnded($0)
        }
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

  private func peerEnded(_ peer: VarlinkPeer) {
    // In a later iteration, because the peer is calling this, and it would be released now.
    loop.later { [weak self] in
      self?.peers[ObjectIdentifier(peer)] = nil
      self?.source?.isEnabled = true
    }
  }
}
