/// A call to a service in a `VarlinkServer`, and where its replies go.
public struct VarlinkExchange {
  /// The call. It is valid only while its method runs.
  public let call: VarlinkCall
  private let client: ServedClient
  /// Where the replies begin in the client's output.
  private let start: Int

  init(_ call: VarlinkCall, of client: ServedClient) {
    self.call = call
    self.client = client
    start = client.connection.outlet.output.count
  }

  /// The process at the other end; nil if unknown.
  public var peer: PeerCredentials? { client.connection.peer }

  /// Answers the call.
  public func reply<Method: WireMethod>(to _: Method, _ reply: Method.Reply) -> VarlinkAnswer {
    client.write { $0.reply(reply) }
    return VarlinkAnswer()
  }

  /// Begins a stream of replies, which lasts longer than the method if it keeps the stream. Nil:
  /// the client has not asked for more than one reply; the error for that is `expectedMore`.
  public func stream<Method: WireMethod>(_: Method) -> VarlinkStream<Method>? {
    guard call.more else { return nil }
    let stream = VarlinkStream<Method>(to: client)
    client.pending = ObjectIdentifier(stream)
    return stream
  }

  /// Leaves the call without a reply, which the method or the program sends later.
  public func answerLater<Method: WireMethod>(_: Method) -> VarlinkPending<Method> {
    let pending = VarlinkPending<Method>(to: client)
    client.pending = ObjectIdentifier(pending)
    return pending
  }

  /// Answers with an error instead of all replies so far.
  func refuse(_ error: some WireFailure) {
    dropReplies()
    client.write(error.write)
  }

  /// Takes back the replies so far.
  func dropReplies() {
    client.connection.outlet.output.removeSubrange(start...)
    client.pending = nil
    client.isForgotten = false
  }

  /// Answers a call of `org.varlink.service`, or of a method that the service does not have.
  func describe(_ info: ServiceInterface.GetInfo.Reply, _ services: [VarlinkServer.Service]) {
    let interfaces = services.map { service in
      let type = type(of: service)
      return ("\(type.interfaceName)", type.interfaceDescription)
    }
    client.write { writer in
      do throws(VarlinkError) {
        try ServiceInterface.answer(call, info, interfaces, to: &writer)
      } catch {
        writer.writeError(error)
      }
    }
  }
}

extension WireService<VarlinkExchange, VarlinkAnswer> {
  /// Answers a call, or refuses it.
  ///
  /// - Returns: whether the interface has the method.
  func answers(_ exchange: VarlinkExchange) -> Bool {
    guard let method = exchange.call.method(in: Self.interfaceName) else { return false }
    var own = exchange
    do throws(Failure) {
      return try perform(method, exchange.call.parameterBytes, &own) != nil
    } catch {
      exchange.refuse(error)
      return true
    }
  }
}

/// What a method of a service returns: the proof that its call has a reply, or a stream of them.
public struct VarlinkAnswer {
  init() {}
}

/// A call that has not got its last reply. Until then, the next calls of its client wait.
///
/// The service keeps it. If it is released before its last reply, the client is disconnected,
/// because it would wait for ever.
public class VarlinkPending<Method: WireMethod> {
  /// Weak: what a service keeps of a call does not keep the connection open.
  fileprivate weak var client: ServedClient?

  fileprivate init(to client: ServedClient) { self.client = client }

  deinit {
    guard isOpen else { return }
    client?.pending = nil
    client?.isForgotten = true
  }

  /// Whether the client still waits for replies.
  public var isOpen: Bool { client?.pending == ObjectIdentifier(self) }

  /// What the method returns whose call this is.
  public var answer: VarlinkAnswer { VarlinkAnswer() }

  /// Sends the last reply.
  public func end(with reply: Method.Reply) {
    end { $0.reply(reply) }
  }

  /// Sends an error as the last reply.
  public func end(with error: some WireFailure) {
    end(error.write)
  }

  private func end(_ write: (inout JSONWriter) -> Void) {
    guard isOpen, let client else { return }
    client.write(write)
    client.pending = nil
  }
}

/// The replies to a call with `more`.
///
/// A client that reads more slowly than the service sends gets all replies, later. It is
/// disconnected when it has read nothing for ten seconds, or when a reply is sent and more than
/// `WireLimits.streamBytes` wait already.
public final class VarlinkStream<Method: WireMethod>: VarlinkPending<Method> {
  /// Whether the client keeps up. If not, a service should leave out what the client can do
  /// without.
  public var hasRoom: Bool { isOpen && client?.connection.outlet.hasRoom == true }

  /// Sends a reply. More replies must follow it.
  public func send(_ reply: Method.Reply) {
    guard isOpen, let client else { return }
    guard client.connection.outlet.backlogBytes <= WireLimits.streamBytes else {
      client.connection.isBroken = true
      return
    }
    client.write { $0.reply(reply, continues: true) }
  }
}

/// A client of a `VarlinkServer`.
final class ServedClient {
  let connection: VarlinkConnection
  /// The client's call that has not got its last reply; nil: there is none.
  var pending: ObjectIdentifier?
  /// Whether the service has released that call without a last reply. An error that the method
  /// throws is one, too.
  var isForgotten = false
  /// Since when a stream has had no room and the client has read nothing, on CLOCK_MONOTONIC, and
  /// how much had been sent then; nil: this is not so.
  var stall: (sinceMsec: Int64, sentBytes: Int)?

  init(_ connection: VarlinkConnection) { self.connection = connection }

  func write(_ body: (inout JSONWriter) -> Void) {
    JSONWriter.append(to: &connection.outlet.output, body)
  }

  /// The next call, if the client can be answered now.
  func nextFrame() -> [UInt8]? {
    guard pending == nil, !connection.hasFailed, connection.outlet.hasRoom else { return nil }
    return connection.nextFrame()
  }

  /// Whether the connection can be closed.
  var isOver: Bool {
    connection.hasFailed
      || connection.hasInputEnded && connection.outlet.isDrained && pending == nil
  }
}
