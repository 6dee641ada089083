/// Many clients that watch one timer and never read, while another client sets this timer again and
/// again.
final class SilentWatchers: HostileClient {
  private let watchers: [HostileSocket]
  private let updates: Int
  private let updater: HostileSocket
  private let scratch = Scratch()
  private let update = frame(
    "Start", #"{"name":"bench/0000000000","duration_usec":36000000000,"replace":true}"#)
  private var isAnswered = true
  private(set) var count = 0

  convenience init(path: String) { self.init(path: path, watchers: 200) }

  /// - Parameter updates: how many times the timer is set at most.
  init(path: String, watchers count: Int, updates: Int = 2_000) {
    self.updates = updates
    // The clients watch only the timer that changes. A list of all timers at the beginning would
    // fill the output queue of each connection.
    let call = frame("Watch", #"{"prefix":"bench/0000000000"}"#, more: true)
    watchers = (0..<count).map { _ in
      let watcher = HostileSocket.awaited(path: path)
      guard watcher.send(call[...]) == .moved(call.count) else { fail("a watcher cannot call") }
      return watcher
    }
    updater = HostileSocket.awaited(path: path)
  }

  func step() -> Bool {
    if isAnswered {
      guard count < updates else { return false }
      guard updater.send(update[...]) == .moved(update.count) else { fail("no update can be sent") }
      isAnswered = false
      return true
    }
    guard case .moved(let received) = updater.receive(into: scratch.bytes) else { return false }
    guard scratch.frames(in: received) == 1 else { return true }
    isAnswered = true
    count += 1
    return true
  }
}

/// A client that sends calls without end and reads no answer. When the daemon accepts no more
/// calls, the client connects again.
final class SilentPipeline: HostileClient {
  /// How many sends in a row may block before the client connects again.
  private static let maximumRefusals = 100

  private let path: String
  private let calls: [UInt8]
  private var socket: HostileSocket?
  private var sent = 0
  private var blocked = 0
  private(set) var count = 0

  init(path: String) {
    self.path = path
    calls = (0..<100).flatMap { _ in frame("Get", #"{"name":"bench/0000000001"}"#) }
  }

  func step() -> Bool {
    guard let socket else {
      socket = HostileSocket(path: path)
      (sent, blocked) = (0, 0)
      return socket != nil
    }
    switch socket.send(calls[sent...]) {
    case .moved(let moved):
      sent = (sent + moved) % calls.count
      blocked = 0
      count += moved * 100 / calls.count
      return true
    case .blocked:
      blocked += 1
      if blocked > Self.maximumRefusals { self.socket = nil }
      return false
    case .closed: fail("the daemon has closed a connection that broke no rule")
    }
  }
}
