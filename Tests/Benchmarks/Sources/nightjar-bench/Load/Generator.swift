internal import Glibc
internal import NightjarSystem

/// Clients that keep so many requests each on their way, over sockets of their own: the load.
///
/// All of them are served by the one thread that runs `run`. Every reply is looked at.
final class Generator<Work: Workload> {
  /// One connection and what it has asked.
  private final class Client {
    let socket: Descriptor
    var output = RequestBuffer()
    var input = RequestBuffer()
    /// The numbers that were asked about and not answered, and when, in a ring.
    var asked: UnsafeMutablePointer<(number: Int, nsec: Int64)>
    let depth: Int
    var first = 0
    var count = 0
    var wantsToWrite = false

    init(path: String, depth: Int) throws(SystemError) {
      socket = try UnixSocket.connect(path: path)
      self.depth = depth
      asked = .allocate(capacity: depth)
      asked.initialize(repeating: (0, 0), count: depth)
    }

    deinit { asked.deallocate() }
  }

  /// Which numbers are asked about.
  enum Numbers {
    /// Any of those below.
    case random(below: Int)
    /// Each of them once, in order.
    case each(below: Int)
  }

  private let work: Work
  private let clients: [Client]
  private let epoll: EpollSet
  private let numbers: Numbers
  private var random: Xorshift
  private var next = 0
  /// How many replies have come since `run` was called.
  private(set) var replies = 0
  /// How long they took since `run` was called.
  private(set) var latency = Histogram()

  /// Connects.
  ///
  /// - Parameters:
  ///   - depth: so many requests of each client are on their way at a time.
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
        try epoll.add(client.socket.raw, token: UInt64(index))
        clients.append(client)
      }
      self.clients = clients
    } catch { fail("\(error)") }
  }

  /// The descriptor that is readable when there is something for `runIteration` to do.
  var descriptor: Int32 { epoll.raw }

  /// Keeps all clients busy for so long, and then waits for the last replies, which do not count.
  ///
  /// - Parameter goingOn: replies and latencies are added to those that there are.
  /// - Returns: replies a second.
  func run(msec: Int64, goingOn: Bool = false) -> Double {
    let before = goingOn ? (replies, latency) : (0, Histogram())
    begin()
    (replies, latency) = before
    let begin = Clock.nsec()
    let end = begin + msec * 1_000_000
    var now = begin
    while now < end, !isDone {
      wait()
      now = runIteration(asking: true)
    }
    let rate = Double(replies - before.0) * 1e9 / Double(max(1, now - begin))
    finish()
    return rate
  }

  /// Asks about each number once.
  ///
  /// - Returns: how many nanoseconds that took.
  func runToEnd() -> Int64 {
    begin()
    let begin = Clock.nsec()
    while !isDone {
      wait()
      _ = runIteration(asking: true)
    }
    return Clock.nsec() - begin
  }

  // MARK: For those who have more than one generator

  /// Asks first.
  func begin() {
    (replies, latency) = (0, Histogram())
    let now = Clock.nsec()
    for client in clients {
      ask(client, at: now)
      send(client)
    }
  }

  /// Whether something has come.
  var isReady: Bool { epoll.isAnyReady }

  /// Waits for something to come.
  func wait() {
    var set = pollfd(fd: epoll.raw, events: Int16(POLLIN), revents: 0)
    if poll(&set, 1, 10_000) == 0 { fail("no reply within 10 s") }
  }

  /// Deals with what has come; asks anew as well, or lets it come to its end.
  ///
  /// - Returns: CLOCK_MONOTONIC in nanoseconds.
  func runIteration(asking: Bool) -> Int64 {
    var now: Int64 = 0
    do {
      try epoll.wait(maximum: 256) { token, events in
        let client = clients[Int(token)]
        if events.contains(.writable) { send(client) }
        guard events.contains(.readable), client.input.receive(from: client.socket.raw) else {
          return
        }
        now = Clock.nsec()
        take(client, at: now)
        if asking { ask(client, at: now) }
        send(client)
      }
    } catch { fail("\(error)") }
    return now == 0 ? Clock.nsec() : now
  }

  /// Waits for what is still on its way.
  func finish() {
    while clients.contains(where: { $0.count > 0 }) {
      wait()
      _ = runIteration(asking: false)
    }
  }

  private var isDone: Bool {
    if case .each(let count) = numbers {
      next >= count && !clients.contains { $0.count > 0 }
    } else {
      false
    }
  }

  private func take(_ client: Client, at now: Int64) {
    while client.count > 0, !client.input.isEmpty {
      let (number, nsec) = client.asked[client.first]
      let length = work.replyLength(client.input.pending, about: number)
      guard length > 0 else { return }
      client.input.take(length)
      client.first = client.first + 1 == client.depth ? 0 : client.first + 1
      client.count -= 1
      replies += 1
      latency.add(now - nsec)
    }
  }

  private func ask(_ client: Client, at now: Int64) {
    while client.count < client.depth, client.output.room > Work.longestRequest {
      guard let number = draw() else { return }
      work.ask(number, in: &client.output)
      let place = client.first + client.count
      client.asked[place < client.depth ? place : place - client.depth] = (number, now)
      client.count += 1
    }
  }

  private func send(_ client: Client) {
    client.output.send(to: client.socket.raw)
    let wantsToWrite = !client.output.isEmpty
    guard wantsToWrite != client.wantsToWrite else { return }
    client.wantsToWrite = wantsToWrite
    let token = UInt64(clients.firstIndex { $0 === client }!)
    do {
      try epoll.modify(client.socket.raw, token: token, readable: true, writable: wantsToWrite)
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
