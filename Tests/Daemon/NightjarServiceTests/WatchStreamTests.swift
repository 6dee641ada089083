import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarService

/// What a watch writes, and in which order, with and without room in its output.
@Suite(.blocking) struct WatchStreamTests {
  private let now = Moment(
    realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 1000 * second, monotonicUsec: 900 * second,
    bootID: BootID(high: 1, low: 1))
  private let engine: Engine
  private let outlet = Outlet()
  private let stream: WatchStream

  /// A watch of three timers, `a`, `b` and `c`, that has sent their states.
  init() throws {
    let bus = NotificationBus()
    let background = Background(at: now, bus: bus)
    engine = Engine(background: background, bus: bus, calendar: NoCalendar(), maximumTimers: 10)
    bus.register(engine)
    for name in ["a", "b", "c"] {
      _ = try engine.start(name, durationUsec: hour, clock: .elapsed, at: now)
    }
    stream = Self.stream(of: engine, tickUsec: nil)
    #expect(stream.pump(outlet, at: now) == .waiting)
    outlet.output = []
  }

  private static func stream(of engine: Engine, tickUsec: Int64?) -> WatchStream {
    WatchStream(
      engine: engine, filter: TimerFilter(), name: nil, tickUsec: tickUsec, ledgerName: "ledger",
      lastSeq: 3, continued: nil)
  }

  private func extended(_ name: String, seq: Int64) throws -> Event {
    let slot = try #require(engine.slot(named: name))
    return Event(
      seq: seq, timeUsec: now.realtimeUsec,
      subject: .init(slot: slot, id: 1, name: name, previous: 0),
      kind: .extended(byUsec: second, deadline: hour))
  }

  private func deliver(_ events: [Event]) -> StreamState {
    stream.deliver(events, durable: true, to: outlet, at: now)
  }

  /// Reads and removes the replies that have been written.
  private func takeReplies(from outlet: Outlet) throws -> [JSONValue] {
    defer { (outlet.output, outlet.sent) = ([], 0) }
    return try outlet.output.split(separator: 0).map { frame in
      try frame.withUnsafeBytes { try VarlinkReply.parse($0).json.value }
    }
  }

  /// Reads and removes what has been written: `a 5` for an event, `a behind 4` for folded changes,
  /// `a` for a state.
  private func takeWritten(to outlet: Outlet? = nil) throws -> [String] {
    try takeReplies(from: outlet ?? self.outlet).map { reply in
      let name = reply["timer"]?["name"]?.stringValue ?? reply["name"]?.stringValue ?? "?"
      if let seq = reply["event"]?["seq"]?.integerValue { return "\(name) \(seq)" }
      return name + (reply["missed_after"]?.integerValue.map { " behind \($0)" } ?? "")
    }
  }

  @Test func `Folded events of a timer that is gone are reported by its name`() throws {
    fill()
    let slot = try #require(engine.slot(named: "b"))
    try engine.remove(slot, at: now)
    let removed = Event(
      seq: 4, timeUsec: now.realtimeUsec,
      subject: .init(slot: slot, id: 1, name: "b", previous: 0), kind: .removed(ring: 0))
    #expect(deliver([removed]) == .hasMore)
    outlet.output = []
    #expect(stream.pump(outlet, at: now) == .waiting)
    #expect(try takeWritten() == ["b behind 3"])
    #expect(stream.position == 4)
  }

  @Test func `Events of the machine that had no room are one reply, behind the timers`() throws {
    fill()
    let step = Event(
      seq: 4, timeUsec: now.realtimeUsec, subject: nil, kind: .clockStepped(byUsec: second))
    #expect(deliver([step, try extended("a", seq: 5)]) == .hasMore)
    #expect(stream.position == 3)
    outlet.output = []
    #expect(stream.pump(outlet, at: now) == .waiting)
    #expect(try takeWritten() == ["a behind 4", "? behind 3"])
    #expect(stream.position == 5)
  }

  private func fill() { outlet.output = [UInt8](repeating: 0, count: WireLimits.outputBytes) }

  @Test
  func
    `While all states are sent once more, events follow them: a stream that is cut has no number`()
    throws
  {
    fill()
    // More timers than are folded one by one.
    let flood = (4...4100).map { seq in
      Event(
        seq: seq, timeUsec: now.realtimeUsec,
        subject: .init(slot: 2, id: 1, name: "x\(seq)", previous: 0),
        kind: .paused(remainingUsec: hour))
    }
    #expect(deliver(flood) == .hasMore)
    // Room for one.
    outlet.output = [UInt8](repeating: 0, count: outlet.limitBytes - 1)
    #expect(stream.pump(outlet, at: now) == .hasMore)
    outlet.output = []
    #expect(deliver([try extended("a", seq: 4101)]) == .hasMore)
    #expect(outlet.output.isEmpty)
    #expect(stream.position == nil)
    #expect(stream.pump(outlet, at: now) == .waiting)
    #expect(try takeWritten() == ["b", "c", "? behind 3", "a behind 4100"])
    #expect(stream.position == 4101)
  }

  @Test func `Events are sent as they happen while there is room`() throws {
    #expect(deliver([try extended("a", seq: 4), try extended("b", seq: 5)]) == .waiting)
    #expect(try takeWritten() == ["a 4", "b 5"])
    #expect(stream.position == 5)
  }

  /// Otherwise a client that is cut off and asks again with the last number would never get the
  /// changes that were folded before it.
  @Test func `While anything is folded, everything is: no number overtakes a lower one`() throws {
    fill()
    #expect(deliver([try extended("a", seq: 4)]) == .hasMore)
    outlet.output = []
    // There is room again, and the folded changes have not been sent yet.
    #expect(deliver([try extended("b", seq: 5), try extended("a", seq: 6)]) == .hasMore)
    #expect(try takeWritten() == [] && stream.position == 3)
    #expect(stream.pump(outlet, at: now) == .waiting)
    #expect(Set(try takeWritten()) == ["a behind 3", "b behind 4"])
    #expect(deliver([try extended("c", seq: 7)]) == .waiting)
    #expect(try takeWritten() == ["c 7"])
  }

  @Test func `Folded events are sent as far as there is room`() throws {
    fill()
    #expect(deliver([try extended("a", seq: 4), try extended("b", seq: 5)]) == .hasMore)
    #expect(stream.pump(outlet, at: now) == .hasMore)
    outlet.output = []
    #expect(stream.pump(outlet, at: now) == .waiting)
    #expect(try takeWritten().count == 2)
    #expect(stream.position == 5)
  }

  @Test func `Folded changes of a timer are one reply, with its state after the last one`() throws {
    fill()
    for seq: Int64 in [4, 5] {
      try engine.extend(#require(engine.slot(named: "a")), byUsec: second, at: now)
      #expect(deliver([try extended("a", seq: seq)]) == .hasMore)
    }
    outlet.output = []
    #expect(stream.pump(outlet, at: now) == .waiting)
    let replies = try takeReplies(from: outlet)
    #expect(replies.count == 1 && replies.first?["missed_after"] == 3)
    #expect(replies.first?["timer"]?["duration_usec"] == .integer(hour + 2 * second))
  }

  // MARK: Ticks

  /// A watch with ticks that has sent the states.
  private func ticking(everyUsec tickUsec: Int64, to outlet: Outlet) throws -> WatchStream {
    let stream = Self.stream(of: engine, tickUsec: tickUsec)
    while stream.pump(outlet, at: now) == .hasMore { _ = try takeWritten(to: outlet) }
    _ = try takeWritten(to: outlet)
    #expect(stream.nextTickUsec == now.monotonicUsec + tickUsec)
    return stream
  }

  /// Advances to the time of the next tick, `usec` after the beginning.
  private func tick(_ stream: WatchStream, after usec: inout Int64, to outlet: Outlet) throws {
    usec = try #require(stream.nextTickUsec) - now.monotonicUsec
    stream.tick(outlet, at: now.earlier(byUsec: -usec))
  }

  @Test(arguments: [(10, 250), (100, 250), (1_000, 1_000)])
  func `No tick comes while the last is unread, nor a check before 250 ms; changes do come`(
    tickMsec: Int64, lookMsec: Int64
  ) throws {
    let (tickUsec, lookUsec) = (tickMsec * millisecond, lookMsec * millisecond)
    let stream = try ticking(everyUsec: tickUsec, to: outlet)
    var usec: Int64 = 0
    try tick(stream, after: &usec, to: outlet)
    #expect(usec == tickUsec && !outlet.output.isEmpty)
    // All of it but its last byte.
    let written = outlet.output.count
    outlet.sent = written - 1
    try tick(stream, after: &usec, to: outlet)
    #expect(usec == 2 * tickUsec && outlet.output.count == written)
    for looks in 1...3 as ClosedRange<Int64> {
      try tick(stream, after: &usec, to: outlet)
      #expect(usec == 2 * tickUsec + looks * lookUsec && outlet.output.count == written)
    }
    let change = try extended("b", seq: 4)
    #expect(stream.deliver([change], durable: true, to: outlet, at: now) == .waiting)
    #expect(try takeWritten() == ["a", "b", "c", "b 4"])
    try tick(stream, after: &usec, to: outlet)
    #expect(usec == 2 * tickUsec + 4 * lookUsec)
    #expect(try takeWritten() == ["a", "b", "c"])
    try tick(stream, after: &usec, to: outlet)
    #expect(usec == 3 * tickUsec + 4 * lookUsec)
  }

  /// With room for one reply at a time.
  @Test(arguments: [false, true])
  func `A tick is sent as far as there is room, and continues from there the next time`(
    sendsEveryTick: Bool
  ) throws {
    let narrow = Outlet(limitBytes: 1, sendsEverything: sendsEveryTick)
    let stream = try ticking(everyUsec: 100 * millisecond, to: narrow)
    var (usec, ticks): (Int64, [[String]]) = (0, [])
    for _ in 1...4 {
      try tick(stream, after: &usec, to: narrow)
      ticks.append(try takeWritten(to: narrow))
    }
    #expect(ticks == [["a"], ["b"], ["c"], ["a"]])
  }
}
