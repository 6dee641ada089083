import Glibc
import NightjarSystem
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct EpollSetTests {
  private let set: EpollSet
  private let pair: Pair

  init() throws {
    set = try EpollSet()
    pair = try Pair()
  }

  /// Two connected sockets, of which the tests watch the first.
  private final class Pair {
    let ours: Int32
    let theirs: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
      (ours, theirs) = (ends[0], ends[1])
    }

    deinit { for end in [ours, theirs] { close(end) } }

    /// Gives the first socket something to read.
    func fill() { #expect(write(theirs, "x", 1) == 1) }
  }

  private struct Event: Equatable {
    let token: UInt64
    let events: EpollSet.Events
  }

  private func fetch(maximum: Int = 16) throws -> [Event] {
    var result: [Event] = []
    try set.wait(maximum: maximum) { result.append(Event(token: $0, events: $1)) }
    return result
  }

  @Test func `All 64 bits of a token are returned`() throws {
    try set.add(pair.ours, token: 0xfedc_ba98_7654_3210)
    pair.fill()
    #expect(try fetch() == [Event(token: 0xfedc_ba98_7654_3210, events: .readable)])
    // Level-triggered: unread input is reported again.
    #expect(try fetch().count == 1)
  }

  @Test func `Room to write is reported where it was requested`() throws {
    try set.add(pair.ours, token: 1, .writable)
    #expect(try fetch() == [Event(token: 1, events: .writable)])
    try set.modify(pair.ours, token: 2, .readable)
    // An empty result comes without waiting.
    #expect(try fetch() == [])
    try set.modify(pair.ours, token: 3, [.readable, .writable])
    pair.fill()
    #expect(try fetch() == [Event(token: 3, events: [.readable, .writable])])
  }

  @Test func `A closed connection is reported even to a watch for nothing`() throws {
    try set.add(pair.ours, token: 1, [])
    // After close(2) alone, a process that another test forks would keep the connection open.
    shutdown(pair.theirs, Int32(SHUT_RDWR))
    let events = try fetch()
    #expect(events.count == 1 && !events[0].events.isDisjoint(with: .closed))
  }

  @Test func `An event of a reused descriptor carries the old registration's token`() throws {
    let ours = pair.ours
    try set.add(ours, token: 1 << 32 | UInt64(ours))
    pair.fill()
    var stale: [UInt64] = []
    let other = try Pair()
    try set.wait(maximum: 16) { token, _ in
      // A server that closes a connection on the first event of a batch may give the number to the
      // next client.
      #expect(dup2(other.ours, ours) == ours)
      stale.append(token)
    }
    try set.add(ours, token: 2 << 32 | UInt64(ours))
    #expect(stale == [1 << 32 | UInt64(ours)])
    other.fill()
    #expect(try fetch().map(\.token).contains(2 << 32 | UInt64(ours)))
  }

  @Test func `A removed descriptor is silent, and cannot be removed twice`() throws {
    try set.add(pair.ours, token: 1)
    pair.fill()
    try set.remove(pair.ours)
    #expect(try fetch() == [])
    #expect(throws: SystemError(operation: "epoll_ctl remove", code: ENOENT)) {
      try set.remove(pair.ours)
    }
  }

  @Test func `Descriptors beyond the maximum of one call are reported in the next calls`() throws {
    let pairs = try (0..<100).map { _ in try Pair() }
    for (token, pair) in pairs.enumerated() {
      try set.add(pair.ours, token: UInt64(token))
      pair.fill()
    }
    var seen: Set<UInt64> = []
    for _ in 0..<10 {
      let events = try fetch(maximum: 10)
      #expect(events.count == 10)
      seen.formUnion(events.map(\.token))
    }
    #expect(seen.count == 100)
    #expect(try fetch(maximum: 1000).count == 100)
    withExtendedLifetime(pairs) {}
  }

  @Test func `The loop watches the set as one source`() throws {
    let loop = try EventLoop()
    try set.add(pair.ours, token: 5)
    var tokens: [UInt64] = []
    let source = try loop.watchReadable(set.raw) { [set, pair] in
      do {
        try set.wait(maximum: 16) { token, _ in
          tokens.append(token)
          var byte: UInt8 = 0
          #expect(read(pair.ours, &byte, 1) == 1)
        }
      } catch {
        Issue.record(error)
      }
    }
    pair.fill()
    #expect(try pump(loop) { !tokens.isEmpty })
    #expect(tokens == [5])
    source.cancel()
  }
}
