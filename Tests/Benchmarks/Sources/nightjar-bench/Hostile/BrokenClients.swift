/// Many clients that send their calls one byte at a time.
final class ByteSenders: HostileClient {
  private let call = frame("Get", #"{"name":"bench/0000000002"}"#)
  private let sockets: [HostileSocket]
  private let scratch = Scratch()
  private var (next, place) = (0, 0)
  private(set) var count = 0

  init(path: String) {
    sockets = (0..<50).map { _ in HostileSocket.awaited(path: path) }
  }

  func step() -> Bool {
    let socket = sockets[next]
    let outcome = socket.send(call[place...place])
    guard outcome == .moved(1) else {
      if outcome == .closed { fail("the daemon has closed a connection that broke no rule") }
      return false
    }
    count += 1
    next += 1
    if next == sockets.count {
      next = 0
      place = (place + 1) % call.count
    }
    // The answer to the call before this one.
    if place == 0 { _ = socket.receive(into: scratch.bytes) }
    return true
  }
}

/// A client that connects and disconnects at once, again and again.
final class ConnectionStorm: HostileClient {
  /// The largest number of connections.
  private static let most = 50_000

  private let path: String
  private(set) var count = 0

  init(path: String) { self.path = path }

  func step() -> Bool {
    guard count < Self.most, HostileSocket(path: path) != nil else { return false }
    count += 1
    return true
  }
}

/// Clients that send messages nearly as long as the protocol allows, 128 KiB. The messages consist
/// of escape sequences, which take longest to read.
final class HugeFrames: HostileClient {
  private static let atOnce = 16 * 1024

  private let call = frame(
    "Get", #"{"name":"x","text":""# + String(repeating: #"\n"#, count: 65_000) + #""}"#)
  private let sockets: [HostileSocket]
  private var sent: [Int]
  private var next = 0
  private let scratch = Scratch()
  private(set) var count = 0

  init(path: String) {
    sockets = (0..<4).map { _ in HostileSocket.awaited(path: path) }
    sent = sockets.map { _ in 0 }
  }

  func step() -> Bool {
    next = (next + 1) % sockets.count
    let end = min(sent[next] + Self.atOnce, call.count)
    switch sockets[next].send(call[sent[next]..<end]) {
    case .moved(let moved):
      sent[next] += moved
      guard sent[next] == call.count else { return true }
      sent[next] = 0
      count += 1
      // The answer to the call before this one.
      _ = sockets[next].receive(into: scratch.bytes)
      return true
    case .blocked: return false
    case .closed: fail("the daemon has closed a connection that broke no rule")
    }
  }
}

/// A client that sends invalid JSON, for which the daemon closes the connection, again and again.
final class BrokenFrames: HostileClient {
  /// The largest number of connections.
  private static let most = 50_000

  private let path: String
  private let text = Array(#"{"method":"org.nightjar.Timers.Get","parameters":{"name":\#0"#.utf8)
  private var socket: HostileSocket?
  private let scratch = Scratch()
  private(set) var count = 0

  init(path: String) { self.path = path }

  func step() -> Bool {
    guard let socket else {
      guard count < Self.most, let socket = HostileSocket(path: path) else { return false }
      self.socket = socket
      _ = socket.send(text[...])
      count += 1
      return true
    }
    switch socket.receive(into: scratch.bytes) {
    case .moved: fail("the daemon has answered invalid JSON")
    case .blocked: return false
    case .closed:
      self.socket = nil
      return true
    }
  }
}
