import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Calls with a time limit, and their answers as values.
extension Connection {
  private var bound: Deadline { .after(usec: 90 * second) }

  func timer(_ call: Call) throws -> Wire.Timer {
    try Wire.Timer(try #require(try self.call(call, deadline: bound)["timer"]))
  }

  @discardableResult
  func start(_ name: String, usec: Int64, clock: Wire.Clock? = nil) throws -> Wire.Timer {
    try timer(.start(name: name, durationUsec: usec, clock: clock))
  }

  func get(_ name: String) throws -> Wire.Timer { try timer(.get(name: name)) }

  func status() throws -> Wire.Status.Reply {
    try Wire.Status.Reply(try call(.status(), deadline: bound))
  }

  func names(prefix: String? = nil) throws -> [String] {
    var (names, after): ([String], Int64?) = ([], nil)
    repeat {
      let page = try call(.list(prefix: prefix, after: after), deadline: bound)
      names += try #require(page["timers"]?.arrayValue).compactMap { $0["name"]?.stringValue }
      after = page["next"]?.integerValue
    } while after != nil
    return names
  }

  func refusal(of call: Call) throws -> TimersError {
    switch try callAll([call], deadline: bound)[0] {
    case .success(let reply): throw Unmet(description: "\(call.method) was not refused: \(reply)")
    case .failure(let refusal): return refusal
    }
  }
}

extension DaemonProcess {
  func rawSocket() throws -> RawSocket { try RawSocket(path: options.socketPath) }

  /// A connection with a call that wants more than one reply.
  func rawStream(_ method: String, _ parameters: String) throws -> RawSocket {
    let socket = try rawSocket()
    try socket.send(frame: RawSocket.text(method, parameters, #","more":true"#))
    return socket
  }

  func status() throws -> Wire.Status.Reply { try connect().status() }
}

/// Streams, each on its own connection. A stream has begun when it is returned: later events, over
/// another connection, the bus or a signal, follow its beginning.
extension DaemonProcess {
  /// The events after `after`, or after the last one at present.
  func events(after: Int64? = nil, prefix: String? = nil) throws -> NightjarClient.ReplyStream {
    let last = try after ?? status().storage.lastSeq
    return try connect().stream(.events(after: last, prefix: prefix))
  }

  func watch(
    name: String? = nil, prefix: String? = nil, tickUsec: Int64? = nil
  ) throws -> NightjarClient.ReplyStream {
    let connection = try connect()
    let stream = try connection.stream(.watch(name: name, prefix: prefix, tickUsec: tickUsec))
    // The first reply has arrived: a timer, or the fact that there is none.
    var request = pollfd(fd: try #require(connection.descriptor), events: Int16(POLLIN), revents: 0)
    try #require(poll(&request, 1, 90_000) == 1)
    return stream
  }

  /// The ledger's events after `after`, up to the last one at present.
  func ledger(after: Int64 = 0) throws -> [Wire.Event] {
    let last = try status().storage.lastSeq
    guard last > after else { return [] }
    let stream = try events(after: after)
    var events: [Wire.Event] = []
    while events.last?.seq ?? 0 < last { events.append(try stream.event()) }
    return events
  }
}

extension DaemonProcess {
  /// The whole ledger with all events up to now. Events that the daemon causes itself may be
  /// published before their commit; a change is acknowledged only when it and everything before it
  /// is on disk. That change is left out.
  func settledLedger() throws -> [Wire.Event] {
    let mark = "settled/\(Now.boottimeUsec)"
    try connect().start(mark, usec: hour)
    return try ledger().filter { $0.name?.hasPrefix("settled/") != true }
  }

  /// The whole ledger up to the event that `matches`, which may not be on disk yet: a start does
  /// not wait for the commit of the span it has left.
  func ledger(until matches: (Wire.Event) -> Bool) throws -> [Wire.Event] {
    let stream = try events(after: 0)
    var events: [Wire.Event] = []
    do {
      repeat { events.append(try stream.event()) } while !matches(events[events.count - 1])
    } catch {
      let state = process.stateLetter.map(String.init) ?? "none"
      throw Unmet(
        description: """
          \(error); of the ledger came \(events.map(\.type)); the daemon's state is \(state)
          \(process.output)
          """)
    }
    return events
  }
}

extension Wire.Event {
  /// The span that this event reports as left; nil for another event.
  var leftSpan: Wire.Span? { type == "will_enter_foreground" ? span : nil }
}

extension NightjarClient.ReplyStream {
  func expectNext() throws -> JSONValue {
    try #require(try next(deadline: .after(usec: 90 * second)))
  }

  /// The next event of a stream of `Events`, or of `Watch`, that `matches`.
  func event(where matches: (Wire.Event) -> Bool = { _ in true }) throws -> Wire.Event {
    while true {
      let reply = try expectNext()
      guard let json = reply["event"] else { continue }
      let event = try Wire.Event(json)
      if matches(event) { return event }
    }
  }
}
