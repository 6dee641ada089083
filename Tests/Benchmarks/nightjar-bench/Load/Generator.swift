internal import Glibc
internal import NightjarSystem
internal import Varlink

/// The load: clients that each keep a number of requests on their way, each over its own socket.
///
/// The thread that calls `run` serves all of them, and checks every reply.
final class Generator<Work: Workload> {
  /// One connection and its unanswered requests.
  private final class Client {
    let connection: VarlinkConnection
    var output = RequestBuffer()
    var input = RequestBuffer()
    /// A ring buffer of the numbers of the unanswered requests.
    let asked: UnsafeMutablePointer<Int>
    let depth: Int
    var first = 0
    var count = 0
    var wantsToWrite = false

    init(path: String, depth: Int) throws(ConnectFailure) {
      connection = try VarlinkConnection(path: path)
      self.depth = depth
      asked = .allocate(capacity: depth)
      asked.initialize(repeating: 0, count: depth)
    }

    deinit { asked.deallocate() }
  }

  /// Which numbers are asked about.
  enum Numbers {
    /// Random numbers below this one.
    case random(below: Int)
    /// Each number below this one once, in order.
    case each(below: Int)
  }

  private let work: Work
  private let clients: [Client]
  private let epoll: EpollSet
  private let numbers: Numbers
  private var random: Xorshift
  private var next = 0
  /// How many replies have come since `begin` was called.
  private var replies = 0

  /// Connects.
  ///
  /// - Parameters:
  ///   - depth: how many requests of each client are on their way at a time.
  ///   - seed: of the random numbers.
  init(
    _ work: Work, to path: String, clients count: Int, depth: Int, numbers: Numbers,
    seed: UInt64 = 1
  ) {
    self.work = work
    self.numbers = numbers
    random = Xorshift(seed: seed)
    do {
      epoll = try EpollSet()
      var clients: [Client] = []
      for index in 0..<count {
        let client = try Client(path: path, depth: depth)
        try epoll.add(client.connection.descriptor, token: UInt64(index))
        clients.append(client)
      }
      self.clients = clients
    } catch { fail("\(error)") }
  }

  /// Keeps all clients busy for `msec`, and then waits for the last replies, which the returned
  /// rate does not include.
  ///
  /// - Returns: replies a second.
  func run(msec: Int64) -> Double {
    begin()
    let begin = Clock.nsec()
    let end = begin + msec * 1_000_000
    var now = begin
    while now < end {
      wait()
      runIteration(asking: true)
      now = Clock.nsec()
    }
    let rate = Double(replies) * 1e9 / Double(now - begin)
    finish()
    return rate
  }

  /// Sends a request about each number once, and waits for all replies.
  func runToEnd() {
    begin()
    while isWaiting {
      wait()
      runIteration(asking: true)
    }
  }

  /// Sends the first requests.
  func begin() {
    replies = 0
    for client in clients {
      ask(client)
      send(client)
    }
  }

  /// Waits until there is something for `runIteration` to do. Ends the program after 10 s.
  func wait() {
    var set = pollfd(fd: epoll.raw, events: Int16(POLLIN), revents: 0)
    if poll(&set, 1, 10_000) == 0 { fail("no reply within 10 s") }
  }

  /// Handles the replies that have arrived. If `asking` is true, it sends new requests in their
  /// place.
  func runIteration(asking: Bool) {
    do {
      try epoll.wait(maximum: 256) { token, events in
        let client = clients[Int(token)]
        if events.contains(.writable) { send(client) }
        guard events.contains(.readable), client.input.receive(from: client.connection.descriptor)
        else {
          return
        }
        take(client)
        if asking { ask(client) }
        send(client)
      }
    } catch { fail("\(error)") }
  }

  /// Waits for the replies that are still on their way.
  func finish() {
    while isWaiting {
      wait()
      runIteration(asking: false)
    }
  }

  private var isWaiting: Bool { clients.contains { $0.count > 0 } }

  private func take(_ client: Client) {
    while client.count > 0, !client.input.isEmpty {
      let length = work.replyLength(client.input.pending, about: client.asked[client.first])
      guard length > 0 else { return }
      client.input.take(length)
      client.first = client.first + 1 == client.depth ? 0 : client.first + 1
      client.count -= 1
      replies += 1
    }
  }

  private func ask(_ client: Client) {
    while client.count < client.depth, client.output.room > Work.longestRequest {
      guard let number = draw() else { return }
      work.ask(number, in: &client.output)
      let place = client.first + client.count
      client.asked[place < client.depth ? place : place - client.depth] = number
      client.count += 1
    }
  }

  private func send(_ client: Client) {
    client.output.send(to: client.connection.descriptor)
    let wantsToWrite = !client.output.isEmpty
    guard wantsToWrite != client.wantsToWrite else { return }
    client.wantsToWrite = wantsToWrite
    let token = UInt64(clients.firstIndex { $0 === client }!)
    do {
      try epoll.modify(
        client.connection.descriptor, token: token,
        wantsToWrite ? [.readable, .writable] : .readable)
    } catch { fail("\(error)") }
  }

  /// The next number; nil: there is none left.
  private func draw() -> Int? {
    switch numbers {
    case .each(let count):
      guard next < count else { return nil }
      next += 1
      return next - 1
    case .random(let count): return random.draw(below: count)
    }
  }
}

enum Clock {
  /// CLOCK_MONOTONIC in nanoseconds.
  static func nsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
