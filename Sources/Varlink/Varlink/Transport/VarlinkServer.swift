/// Serves interfaces on a UNIX socket in a loop of poll(2), for programs without an event loop of
/// their own.
public final class VarlinkServer {
  /// The methods of an interface.
  public typealias Service = any WireService<VarlinkExchange, VarlinkAnswer>

  private let listener: VarlinkListener
  private let info: ServiceInterface.GetInfo.Reply
  private let services: [Service]
  private var clients: [ServedClient] = []
  /// Whether there was no descriptor for the next client, who waits. Something else of the program
  /// may free one, so the server tries again after `pauseMsec`.
  private var isFull = false
  private static let pauseMsec: Int32 = 1_000
  private let patienceMsec: Int64
  /// CLOCK_MONOTONIC. A test has a clock of its own.
  package var nowMsec = { Poll.nowMsec }

  /// - Parameters:
  ///   - info: what the service is. Its interfaces are those of `services`.
  ///   - services: the methods of each interface.
  ///   - patienceMsec: how long a client may read nothing of a stream while more than
  ///     `WireLimits.outputBytes` of it wait, in milliseconds. After that it is disconnected.
  public init(
    _ listener: VarlinkListener, info: ServiceInterface.GetInfo.Reply, services: [Service],
    patienceMsec: Int64 = 10_000
  ) {
    self.patienceMsec = patienceMsec
    self.listener = listener
    self.info = info
    self.services = services
  }

  /// Serves for ever.
  public func run() -> Never {
    while true { step() }
  }

  /// Waits for something to happen, once, and handles it. O(number of clients).
  ///
  /// - Parameters:
  ///   - others: descriptors of the program that the wait includes, and what for.
  ///   - msec: the longest wait in milliseconds; -1: without a limit.
  /// - Returns: what was found on each of the others, in the same order.
  @discardableResult
  public func step(
    others: [(descriptor: Int32, awaited: VarlinkConnection.Readiness)] = [], msec: Int32 = -1
  ) -> [VarlinkConnection.Readiness] {
    // An answer may end the stream of another client, whose next call has arrived before. A call
    // that is left after this waits for room in an outlet, and so does the loop.
    repeat { flush() } while clients.reduce(false, { answer($1) || $0 })
    let count = clients.count
    clients.removeAll(where: \.isOver)
    if clients.count < count { isFull = false }
    let looksAgain = isFull || clients.contains { $0.stall != nil }
    let msec = looksAgain && !(0..<Self.pauseMsec).contains(msec) ? Self.pauseMsec : msec
    let found = Poll.wait(
      for: others + [(listener.descriptor, isFull ? [] : .readable)]
        + clients.map { ($0.connection.descriptor, $0.connection.awaited) }, msec: msec)
    for (client, found) in zip(clients, found[(others.count + 1)...]) {
      client.connection.advance(found)
    }
    isFull = false
    if found[others.count].contains(.readable) {
      isFull = !listener.accept { clients.append(ServedClient(VarlinkConnection(owning: $0))) }
    }
    return Array(found[..<others.count])
  }

  private func flush() {
    for client in clients {
      let connection = client.connection
      connection.flush()
      if client.isForgotten { connection.isBroken = true }
      guard client.pending != nil, !connection.outlet.hasRoom else {
        client.stall = nil
        continue
      }
      let nowMsec = nowMsec()
      var stall = client.stall ?? (nowMsec, connection.sentBytes)
      if stall.sentBytes != connection.sentBytes { stall = (nowMsec, connection.sentBytes) }
      client.stall = stall
      if nowMsec - stall.sinceMsec >= patienceMsec { connection.isBroken = true }
    }
  }

  /// - Returns: whether a call was waiting.
  private func answer(_ client: ServedClient) -> Bool {
    guard let frame = client.nextFrame() else { return false }
    frame.withUnsafeBytes { frame in
      guard let call = try? VarlinkCall.parse(frame) else {
        client.connection.isBroken = true
        return
      }
      let exchange = VarlinkExchange(call, of: client)
      if call.upgrade {
        exchange.refuse(VarlinkError.methodNotImplemented(method: call.method.string))
      } else if !services.contains(where: { $0.answers(exchange) }) {
        exchange.describe(info, services)
      }
      if call.oneway { exchange.dropReplies() }
    }
    return true
  }
}
