internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Provides the timers that a socket of the bridge serves.
protocol TimerView: AnyObject {
  /// The names of the timers, sorted.
  var names: [String] { get }
  /// A timer in its present state, as a Timer of org.nightjar.Timers; nil: there is none of that
  /// name.
  func timer(_ name: String) -> JSONValue?
  /// The number of the last event whose effect is in the timers.
  var lastSeq: Int64 { get }
  /// The name of the ledger of the timers' events. Nil: it is unknown, or there are several
  /// ledgers.
  var ledger: String? { get }
  /// Sends a client the events after a number, and then new events.
  func readLedger(after: Int64, _ prefix: String?, _ peer: VarlinkPeer)
  /// Called for a timer that the view lacks. If its owner has it, calls `found` with it; otherwise
  /// answers the client with an error.
  func find(
    _ name: String, _ peer: VarlinkPeer,
    _ found: @escaping (_ peer: VarlinkPeer, _ timer: JSONValue) -> Void)
  /// Answers a call of a method other than `Get`, `List`, `Watch` and `Events`.
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) throws(VarlinkError)
}

extension TimerView {
  func failNotFound(_ name: String, _ peer: VarlinkPeer) {
    peer.fail("\(TimersInterface.name).TimerNotFound", ["name": .string(name)])
  }
}

/// Serves the timers of a view, like a daemon: the methods `Get`, `List`, `Watch` and `Events` of
/// org.nightjar.Timers.
final class TimerStreams {
  /// How long after the value of a timer its event may arrive, in microseconds.
  private static let eventUsec: Int64 = 200_000

  private let loop: EventLoop
  private unowned let view: any TimerView
  private var streams: [ObjectIdentifier: Stream] = [:]
  /// The names of timers that were set or removed, and whose events have not arrived yet.
  private var withoutEvent: Set<String> = []
  private var eventTimer: TimerSource?

  /// A call for a stream, and the client that made it.
  private struct Stream {
    enum Subject {
      case timer(String)
      case timers(prefix: String?)
      /// `Events`: the events after a number; if there is no number, only new events.
      case events(after: Int64?, prefix: String?)
    }

    let peer: VarlinkPeer
    var subject: Subject
    let ticks: TimerSource?

    var isOfOneTimer: Bool {
      if case .timer = subject { return true }
      return false
    }

    func watches(_ name: String) -> Bool {
      switch subject {
      case .timer(let only): only == name
      case .timers(let prefix): TimerStreams.matches(name, prefix)
      case .events: false
      }
    }
  }

  init(loop: EventLoop, view: any TimerView) throws(SystemError) {
    self.loop = loop
    self.view = view
    eventTimer = try loop.timer(on: .monotonic) { [weak self] in self?.showWithoutEvents() }
  }

  // MARK: - Changes

  /// Handles a timer that was set or removed in the view. Usually its event follows, and clients
  /// get both in one reply. If no event arrives within `eventUsec`, for example because the owner
  /// was offline, clients get the timer alone.
  func timerChanged(_ name: String) {
    guard !streams.isEmpty else { return }
    if withoutEvent.isEmpty { eventTimer?.arm(atUsec: loop.now.monotonicUsec + Self.eventUsec) }
    withoutEvent.insert(name)
  }

  private func showWithoutEvents() {
    let names = withoutEvent.sorted()
    withoutEvent = []
    for name in names {
      let timer = view.timer(name)
      for stream in Array(streams.values) where stream.watches(name) && keepsUp(stream) {
        let isLast = stream.isOfOneTimer && timer == nil
        if isLast { end(stream) }
        stream.peer.reply(withoutEvent(name, timer), continues: !isLast)
      }
    }
  }

  /// The reply about a timer that was set or removed without an event. If events have numbers, the
  /// reply says that some events were missed. Otherwise, a removal is reported as an event.
  private func withoutEvent(_ name: String, _ timer: JSONValue?) -> JSONValue {
    guard view.ledger == nil else {
      return [
        "missed_after": .integer(view.lastSeq),
        timer == nil ? "name" : "timer": timer ?? .string(name),
      ]
    }
    if let timer { return ["timer": timer] }
    return [
      "event": [
        "seq": .integer(view.lastSeq), "time_usec": .integer(loop.now.realtimeUsec),
        "type": .string(Wire.EventType.removed.rawValue), "name": .string(name),
      ]
    ]
  }

  /// Sends all timers to watching clients again. Sends the missed events to clients that called
  /// `Events`.
  func showAnew() {
    for stream in Array(streams.values) {
      switch stream.subject {
      case .events(let after, let prefix):
        guard let after else { continue }
        end(stream)
        view.readLedger(after: after, prefix, stream.peer)
      case .timer(let name) where view.timer(name) == nil:
        end(stream)
        stream.peer.reply(withoutEvent(name, nil))
      case .timer, .timers: show(stream, missedAfter: view.lastSeq)
      }
    }
  }

  /// Sends all timers of a stream, and then the reply with `synced`.
  private func show(_ stream: Stream, missedAfter: Int64?) {
    guard keepsUp(stream) else { return }
    for name in view.names where stream.watches(name) {
      if let timer = view.timer(name) { stream.peer.reply(["timer": timer], continues: true) }
    }
    var last: [JSONValue.Member] = [
      JSONValue.Member("synced", true), JSONValue.Member("seq", .integer(view.lastSeq)),
    ]
    if let ledger = view.ledger {
      last.append(JSONValue.Member("ledger", .string(ledger)))
    }
    if let missedAfter, view.ledger != nil {
      last.append(JSONValue.Member("missed_after", .integer(missedAfter)))
    }
    stream.peer.reply(.object(last), continues: true)
  }

  /// Whether a client reads its messages fast enough. If it does not, this disconnects it. The
  /// client can call again.
  private func keepsUp(_ stream: Stream) -> Bool {
    guard stream.peer.isBehind else { return true }
    stream.peer.close()
    return false
  }

  /// Handles an event that the owner has published.
  func happened(_ event: JSONValue) {
    let name = event["name"]?.stringValue
    if let name { withoutEvent.remove(name) }
    let seq = event["seq"]?.integerValue ?? 0
    for stream in Array(streams.values) where keepsUp(stream) {
      switch stream.subject {
      case .events(let after, let prefix):
        if let after {
          guard seq > after else { continue }
          streams[ObjectIdentifier(stream.peer)]?.subject = .events(after: seq, prefix: prefix)
        }
        guard name.map({ Self.matches($0, prefix) }) ?? true else { continue }
        stream.peer.reply(["event": event], continues: true)
      case .timer, .timers:
        guard name.map(stream.watches) ?? true else { continue }
        var reply: [JSONValue.Member] = [JSONValue.Member("event", event)]
        let timer = name.flatMap { view.timer($0) }
        if let timer { reply.append(JSONValue.Member("timer", timer)) }
        let isLast = stream.isOfOneTimer && name != nil && timer == nil
        if isLast { end(stream) }
        stream.peer.reply(.object(reply), continues: !isLast)
      }
    }
  }

  private func end(_ stream: Stream) {
    stream.ticks?.cancel()
    streams[ObjectIdentifier(stream.peer)] = nil
  }

  static func matches(_ name: String, _ prefix: String?) -> Bool {
    guard let prefix else { return true }
    return Array(name.utf8).withUnsafeBytes { name in
      Array(prefix.utf8).withUnsafeBytes { TimerName.matches(name, prefix: $0) }
    }
  }
}

// MARK: - Answering

extension TimerStreams: VarlinkAnswering {
  var interface: (name: String, description: String) {
    (TimersInterface.name, TimersInterface.description)
  }

  /// Ends the streams of a client that has disconnected.
  func peerEnded(_ peer: VarlinkPeer) {
    if let stream = streams[ObjectIdentifier(peer)] { end(stream) }
  }

  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) {
    do {
      switch call.name {
      case "Get": try get(call, peer)
      case "List": try list(call, peer)
      case "Watch": try watch(call, peer)
      case "Events": try events(call, peer)
      default: try view.answer(call, of: peer)
      }
    } catch {
      peer.fail(error)
    }
  }

  private func get(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    let name = try call.read(Wire.Get.self).name
    guard let timer = view.timer(name) else {
      return view.find(name, peer) { peer, timer in peer.reply(["timer": timer]) }
    }
    peer.reply(["timer": timer])
  }

  private func list(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    let asked = try call.read(Wire.List.self)
    let most = Int64(Limits.pageTimers)
    try VarlinkError.check(asked.after, in: 0...Int64(Int32.max), "after")
    try VarlinkError.check(asked.limit, in: 1...most, "limit")
    let after = asked.after ?? 0
    let limit = call.more ? .max : asked.limit ?? most
    let names = view.names.filter { Self.matches($0, asked.prefix) }.dropFirst(Int(after))
    var timers: [JSONValue] = []
    var index = after
    for name in names {
      guard timers.count < limit else { break }
      index += 1
      func isAmong<Word: WireWord & Equatable>(_ words: [Word]?, _ member: JSONValue?) -> Bool {
        words?.contains(Word(rawValue: member?.stringValue ?? "")) ?? false
      }
      let wantsAll = asked.states == nil && asked.ringing == nil
      guard let timer = view.timer(name),
        wantsAll || isAmong(asked.states, timer["state"])
          || isAmong(asked.ringing, timer["ringing"])
      else { continue }
      if call.more {
        peer.reply(["timers": [timer]], continues: true)
      } else {
        timers.append(timer)
      }
    }
    let isLast = index - after >= Int64(names.count)
    peer.reply(
      isLast ? ["timers": .array(timers)] : ["timers": .array(timers), "next": .integer(index)])
  }

  private func watch(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    guard call.more else { throw .expectedMore }
    let asked = try call.read(Wire.Watch.self)
    guard asked.name == nil || asked.prefix == nil else {
      throw .invalidParameter(parameter: "prefix")
    }
    try VarlinkError.check(
      asked.tickUsec, in: Limits.tickUsec...Limits.durationUsec, "tick_usec")
    try VarlinkError.check(asked.after, in: 0...Int64.max, "after")
    guard isPresent(asked.ledger, peer) else { return }
    guard let name = asked.name, view.timer(name) == nil else {
      let subject = asked.name.map(Stream.Subject.timer) ?? .timers(prefix: asked.prefix)
      return begin(subject, asked.tickUsec, asked.after, peer)
    }
    view.find(name, peer) { [weak self] peer, timer in
      guard let self else { return }
      // If the view still lacks the timer, send the timer here. If it has the timer now, `begin`
      // sends it.
      if view.timer(name) == nil { peer.reply(["timer": timer], continues: true) }
      begin(.timer(name), asked.tickUsec, asked.after, peer)
    }
  }

  private func begin(
    _ subject: Stream.Subject, _ tickUsec: Int64?, _ after: Int64?, _ peer: VarlinkPeer
  ) {
    let stream = Stream(
      peer: peer, subject: subject, ticks: tickUsec.flatMap { ticks($0, peer) })
    streams[ObjectIdentifier(peer)] = stream
    // The view stores no past events, so the client gets all timers instead.
    show(stream, missedAfter: after)
  }

  private func ticks(_ usec: Int64, _ peer: VarlinkPeer) -> TimerSource? {
    var source: TimerSource?
    source = try? loop.timer(on: .monotonic) { [weak self, weak peer] in
      guard let self, let peer, let stream = streams[ObjectIdentifier(peer)], keepsUp(stream)
      else { return }
      for name in view.names where stream.watches(name) {
        guard let timer = view.timer(name), timer["state"]?.stringValue == "running" else {
          continue
        }
        peer.reply(["timer": timer], continues: true)
      }
      stream.ticks?.arm(atUsec: loop.now.monotonicUsec + usec)
    }
    source?.arm(atUsec: loop.now.monotonicUsec + usec)
    return source
  }

  /// Whether a client's ledger is the present ledger of the machine. If it is not, refuses the
  /// call.
  private func isPresent(_ ledger: String?, _ peer: VarlinkPeer) -> Bool {
    guard let ledger, let present = view.ledger, ledger != present else { return true }
    peer.fail("\(TimersInterface.name).LedgerChanged", ["ledger": .string(present)])
    return false
  }

  private func events(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    guard call.more else { throw .expectedMore }
    let asked = try call.read(Wire.Events.self)
    try VarlinkError.check(asked.after, in: 0...Int64.max, "after")
    guard isPresent(asked.ledger, peer) else { return }
    if let after = asked.after { return view.readLedger(after: after, asked.prefix, peer) }
    follow(after: view.ledger == nil ? nil : view.lastSeq, asked.prefix, peer)
  }

  /// Sends new events to a client.
  ///
  /// - Parameter after: the event number after which the stream begins; nil: it begins with new
  ///   events.
  func follow(after: Int64?, _ prefix: String?, _ peer: VarlinkPeer) {
    guard peer.isOpen else { return }
    streams[ObjectIdentifier(peer)] = Stream(
      peer: peer, subject: .events(after: after, prefix: prefix), ticks: nil)
  }
}
