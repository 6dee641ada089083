internal import Glibc
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem

/// Tests asynchronously whether a TCP port of a host answers.
///
/// libmosquitto can announce a maximum packet size only if it connects synchronously
/// (`mosquitto_connect_bind_v5`). If the host did not answer, that would block the loop for
/// minutes. Therefore the bridge first connects with this class, asynchronously. When the port has
/// answered, libmosquitto connects.
final class Reachability {
  private let loop: EventLoop
  private let answer: (_ problem: BrokerProblem?) -> Void
  /// The host's addresses that have not been tried.
  private var addresses: [[UInt8]] = []
  private var socket: Int32?
  private var source: Source?
  private var isOver = false
  private var problem = BrokerProblem("the name has no address", "correct 'broker'")

  /// Resolves the host, and connects to its addresses one after the other. getaddrinfo(3) blocks
  /// while the resolver works. That cannot be avoided: libmosquitto calls getaddrinfo(3), too.
  ///
  /// - Parameter answer: called once from the loop: with nil, or with the reason if no address
  ///   answered. If an address neither answers nor refuses, it is not called.
  init(
    loop: EventLoop, host: String, port: Int,
    _ answer: @escaping (_ problem: BrokerProblem?) -> Void
  ) {
    self.loop = loop
    self.answer = answer
    resolve(host: host, port: port)
    loop.later { [weak self] in self?.tryNext() }
  }

  deinit { close() }

  private func resolve(host: String, port: Int) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      problem = BrokerProblem(
        "the name is not found (\(String(cString: gai_strerror(code))))",
        "correct 'broker', or see that this machine can look up names")
      return
    }
    defer { freeaddrinfo(list) }
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr {
        addresses.append(
          Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))))
      }
      next = entry.ai_next
    }
  }

  private func tryNext() {
    guard !isOver else { return }
    close()
    guard !addresses.isEmpty else { return end(problem) }
    let address = addresses.removeFirst()
    let code = address.withUnsafeBytes { bytes in
      let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let socket = Glibc.socket(Int32(address.pointee.sa_family), kind, 0)
      guard socket >= 0 else { return errno }
      self.socket = socket
      return connect(socket, address, socklen_t(bytes.count)) == 0 ? 0 : errno
    }
    guard code == 0 || code == EINPROGRESS, let socket else {
      problem = .unreachable(code: code)
      return tryNext()
    }
    do {
      let source = try loop.watch(socket) { [weak self] _ in self?.isConnected() }
      source.watchesWritable = true
      self.source = source
    } catch {
      end(BrokerProblem(Sentence(error.description)))
    }
  }

  private func isConnected() {
    guard let socket else { return }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
    guard code != 0 else { return end(nil) }
    problem = .unreachable(code: code)
    tryNext()
  }

  private func close() {
    source?.cancel()
    source = nil
    if let socket { Glibc.close(socket) }
    socket = nil
  }

  private func end(_ problem: BrokerProblem?) {
    guard !isOver else { return }
    isOver = true
    close()
    answer(problem)
  }
}
