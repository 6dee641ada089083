internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// Another machine as a daemon: `org.nightjar.Timers`, answered from the mirror, and by the machine itself where the
/// mirror does not know.
final class DeviceService {
  /// How long the event of a timer may come after the timer, in microseconds.
  private static let eventUsec: Int64 = 200_000

  let device: String
  private let loop: EventLoop
  private unowned let source: any BridgeSource
  private let methods = ServiceMethods(
    interface: TimersInterface.name, description: TimersInterface.description)
  private var streams: [ObjectIdentifier: Stream] = [:]
  /// Timers that were set or removed, and whose event has not come.
  private var withoutEvent: Set<String> = []
  private var lone: TimerSource?

  /// A client that watches or follows events.
  private struct Stream {
    enum Follows {
      case timer(String)
      case timers(prefix: String?)
      /// Those behind a number.
      case events(after: Int64, prefix: String?)
    }

    let peer: VarlinkPeer
    var follows: Follows
    let ticks: TimerSource?

    var isOfOneTimer: Bool {
      if case .timer = follows { return true }
      return false
    }

    func watches(_ name: String) -> Bool {
      switch follows {
      case .timer(let only): only == name
      case .timers(let prefix): DeviceService.matches(name, prefix)
      case .events: false
      }
    }
  }

  init(device: String, loop: EventLoop, source: any BridgeSource) throws(SystemError) {
    self.device = device
    self.loop = loop
    self.source = source
    lone = try loop.timer(on: .monotonic) { [weak self] in self?.showWithoutEvents() }
  }

  private var mirrored: MirroredDevice? { source.mirror.devices[device] }

  private func timer(_ name: String) -> JSONValue? {
    mirrored?.timer(
      name, realtimeUsec: loop.now.realtimeUsec, boottimeUsec: loop.now.boottimeUsec,
      standing: source.ring(of: name, on: device))
  }

  // MARK: - Changes

  /// A timer was set or removed. Its event comes next and is shown with it; if none comes, as after the owner was
  /// offline, the timer is shown by itself.
  func timerChanged(_ name: String) {
    guard !streams.isEmpty else { return }
    if withoutEvent.isEmpty { lone?.arm(atUsec: loop.now.monotonicUsec + Self.eventUsec) }
    withoutEvent.insert(name)
  }

  private func showWithoutEvents() {
    let names = withoutEvent.sorted()
    withoutEvent = []
    for name in names {
      let timer = timer(name)
      for stream in Array(streams.values) where stream.watches(name) && keepsUp(stream) {
        let isLast = stream.isOfOneTimer && timer == nil
        if isLast { end(stream) }
        stream.peer.reply(
          [
            "missed_after": .integer(lastSeq),
            timer == nil ? "name" : "timer": timer ?? .string(name),
          ], continues: !isLast)
      }
    }
  }

  /// Shows all timers once more to those who watch, and has those who follow events read what they missed.
  func showAnew() {
    for stream in Array(streams.values) {
      switch stream.follows {
      case .events(let after, let prefix):
        end(stream)
        readLedger(after: after, prefix, stream.peer)
      case .timer(let name) where timer(name) == nil:
        end(stream)
        stream.peer.reply(["missed_after": .integer(lastSeq), "name": .string(name)])
      case .timer, .timers: show(stream, missedAfter: lastSeq)
      }
    }
  }

  private var lastSeq: Int64 { mirrored?.lastEvent?.seq ?? mirrored?.status?.lastSeq ?? 0 }

  /// Sends all timers of a stream, and that this was all.
  private func show(_ stream: Stream, missedAfter: Int64?) {
    guard keepsUp(stream) else { return }
    for name in mirrored?.names ?? [] where stream.watches(name) {
      if let timer = timer(name) { stream.peer.reply(["timer": timer], continues: true) }
    }
    var last: [JSONValue.Member] = [
      JSONValue.Member("synced", true), JSONValue.Member("seq", .integer(lastSeq)),
    ]
    if let ledger = mirrored?.lastEvent?.ledger ?? mirrored?.status?.ledger {
      last.append(JSONValue.Member("ledger", .string(ledger)))
    }
    if let missedAfter { last.append(JSONValue.Member("missed_after", .integer(missedAfter))) }
    stream.peer.reply(.object(last), continues: true)
  }

  /// Whether the client reads what it is sent; one that does not is disconnected, and asks again.
  private func keepsUp(_ stream: Stream) -> Bool {
    guard stream.peer.isBehind else { return true }
    stream.peer.close()
    return false
  }

  /// The machine published an event.
  func happened(_ event: JSONValue) {
    let name = event["name"]?.stringValue
    if let name { withoutEvent.remove(name) }
    let seq = event["seq"]?.integerValue ?? 0
    for stream in Array(streams.values) where keepsUp(stream) {
      switch stream.follows {
      case .events(let after, let prefix):
        guard seq > after else { continue }
        streams[ObjectIdentifier(stream.peer)]?.follows = .events(after: seq, prefix: prefix)
        guard name.map({ Self.matches($0, prefix) }) ?? true else { continue }
        stream.peer.reply(["event": event], continues: true)
      case .timer, .timers:
        guard name.map(stream.watches) ?? true else { continue }
        var reply: [JSONValue.Member] = [JSONValue.Member("event", event)]
        let timer = name.flatMap { self.timer($0) }
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

  private static func matches(_ name: String, _ prefix: String?) -> Bool {
    guard let prefix else { return true }
    return Array(name.utf8).withUnsafeBytes { name in
      Array(prefix.utf8).withUnsafeBytes { TimerName.matches(name, prefix: $0) }
    }
  }
}

// MARK: - Answering

extension DeviceService: VarlinkAnswering {
  func peerEnded(_ peer: VarlinkPeer) {
    if let stream = streams[ObjectIdentifier(peer)] { end(stream) }
  }

  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) {
    if methods.answer(call, of: peer) { return }
    guard let method = call.method(in: TimersInterface.name) else {
      return peer.fail(.interfaceNotFound(interface: Self.interface(of: call.method)))
    }
    do {
      switch method {
      case "Get": try get(call, peer)
      case "List": try list(call, peer)
      case "Watch": try watch(call, peer)
      case "Events": try events(call, peer)
      case "Dismiss": try dismiss(call, peer)
      case "Snooze": try snooze(call, peer)
      default: forward(call, peer)
      }
    } catch {
      peer.fail(error)
    }
  }

  private static func interface(of method: String) -> String {
    method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
  }

  private func forward(_ call: ReceivedCall, _ peer: VarlinkPeer) {
    source.forward(call, to: device) { [weak peer] answer in
      switch answer {
      case .reply(let parameters): peer?.reply(parameters)
      case .error(let name, let parameters): peer?.fail(name, parameters)
      }
    }
  }

  // A ring whose owner is away is answered here, and the owner hears of it when it is back.

  private func dismiss(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    var reader = Parameters(call)
    guard let (ring, timer) = try unpublishedRing(&reader) else { return forward(call, peer) }
    guard try isMeant(timer, &reader, peer) else { return }
    source.answer(ring, of: device, snoozeUsec: nil)
    // As the daemon does, it shows the timer as it was before.
    peer.reply(["timer": timer])
  }

  private func snooze(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    var reader = Parameters(call)
    guard let (ring, timer) = try unpublishedRing(&reader) else { return forward(call, peer) }
    let usec = try reader.required(
      try reader.integer("by_usec", in: 1...Limits.durationUsec), "by_usec")
    guard try isMeant(timer, &reader, peer) else { return }
    source.answer(ring, of: device, snoozeUsec: usec)
    // The ring ends behind this iteration of the loop.
    loop.later { [weak self, weak peer] in
      let name = timer["name"]?.stringValue ?? ""
      peer?.reply(["timer": self?.timer(name) ?? timer])
    }
  }

  /// The ring that the owner of the timer has not published, and the timer; nil: the owner has to answer the call.
  private func unpublishedRing(
    _ reader: inout Parameters
  ) throws(VarlinkError) -> (RingKey, timer: JSONValue)? {
    let name = try reader.required(try reader.text("name"), "name")
    guard let timer = timer(name) else { return nil }
    switch source.ring(of: name, on: device) {
    case .on(let ring, _), .due(let ring, _): return (ring, timer)
    case .dismissed, .snoozed, nil: return nil
    }
  }

  /// Reads what a change may have besides.
  ///
  /// - Returns: false: the timer is not as the client knows it, and the call was refused.
  private func isMeant(
    _ timer: JSONValue, _ reader: inout Parameters, _ peer: VarlinkPeer
  ) throws(VarlinkError) -> Bool {
    _ = (try reader.text("undo_id"), try reader.text("request"))
    let wanted = try reader.integer("if_seq", in: 0...Int64.max)
    try reader.finish()
    let seq = timer["seq"]?.integerValue ?? 0
    guard let wanted, wanted != seq else { return true }
    peer.fail(
      "\(TimersInterface.name).TimerChanged",
      ["name": timer["name"] ?? "", "seq": .integer(seq)])
    return false
  }

  private func get(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    var reader = Parameters(call)
    let name = try reader.required(try reader.text("name"), "name")
    try reader.finish()
    guard let timer = timer(name) else {
      return askOwner(for: name, peer) { peer, timer in peer.reply(["timer": timer]) }
    }
    peer.reply(["timer": timer])
  }

  /// Asks the machine for a timer that the mirror does not have.
  ///
  /// The machine answers a change when it is on its disk, and the timer itself comes by another
  /// message. Until then a client does not find here what that answer spoke of: a timer that was
  /// started, or one that has the name already.
  private func askOwner(
    for name: String, _ peer: VarlinkPeer,
    _ found: @escaping (_ peer: VarlinkPeer, _ timer: JSONValue) -> Void
  ) {
    let notFound = "\(TimersInterface.name).TimerNotFound"
    // One that is away has said before what it has.
    guard mirrored?.status?.state == .online else {
      return peer.fail(notFound, ["name": .string(name)])
    }
    let call = ReceivedCall(
      method: "\(TimersInterface.name).Get", parameters: ["name": .string(name)], more: false)
    source.forward(call, to: device) { [weak peer] answer in
      guard let peer, peer.isOpen else { return }
      switch answer {
      case .reply(let reply):
        guard let timer = reply["timer"] else {
          return peer.fail(notFound, ["name": .string(name)])
        }
        found(peer, timer)
      case .error(let error, let parameters): peer.fail(error, parameters)
      }
    }
  }

  private func list(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    var reader = Parameters(call)
    let prefix = try reader.text("prefix")
    let states = try reader.texts("states")
    let after = try reader.integer("after", in: 0...Int64(Int32.max)) ?? 0
    let most = Int64(Limits.pageTimers)
    let limit = call.more ? .max : try reader.integer("limit", in: 1...most) ?? most
    if call.more { _ = try reader.integer("limit", in: 1...most) }
    try reader.finish()
    let names = (mirrored?.names ?? []).filter { Self.matches($0, prefix) }.dropFirst(Int(after))
    var timers: [JSONValue] = []
    var index = after
    for name in names {
      guard timers.count < limit else { break }
      index += 1
      guard let timer = timer(name),
        states.map({ $0.contains(timer["state"]?.stringValue ?? "") }) ?? true
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
    var reader = Parameters(call)
    let (name, prefix) = (try reader.text("name"), try reader.text("prefix"))
    guard name == nil || prefix == nil else { throw .invalidParameter(parameter: "prefix") }
    let tickUsec = try reader.integer("tick_usec", in: Limits.tickUsec...Limits.durationUsec)
    let after = try reader.integer("after", in: 0...Int64.max)
    let ledger = try reader.text("ledger")
    try reader.finish()
    guard isPresent(ledger, peer) else { return }
    guard let name, timer(name) == nil else {
      return begin(name.map(Stream.Follows.timer) ?? .timers(prefix: prefix), tickUsec, after, peer)
    }
    askOwner(for: name, peer) { [weak self] peer, timer in
      guard let self else { return }
      // If the mirror does not have it by now, it shows the timer when it comes.
      if self.timer(name) == nil { peer.reply(["timer": timer], continues: true) }
      begin(.timer(name), tickUsec, after, peer)
    }
  }

  private func begin(
    _ follows: Stream.Follows, _ tickUsec: Int64?, _ after: Int64?, _ peer: VarlinkPeer
  ) {
    let stream = Stream(
      peer: peer, follows: follows, ticks: tickUsec.flatMap { ticks($0, peer) })
    streams[ObjectIdentifier(peer)] = stream
    // The mirror has no events of the past: all timers stand for them.
    show(stream, missedAfter: after)
  }

  private func ticks(_ usec: Int64, _ peer: VarlinkPeer) -> TimerSource? {
    var source: TimerSource?
    source = try? loop.timer(on: .monotonic) { [weak self, weak peer] in
      guard let self, let peer, let stream = streams[ObjectIdentifier(peer)], keepsUp(stream)
      else { return }
      for name in mirrored?.names ?? [] where stream.watches(name) {
        guard let timer = timer(name), timer["state"]?.stringValue == "running" else { continue }
        peer.reply(["timer": timer], continues: true)
      }
      stream.ticks?.arm(atUsec: loop.now.monotonicUsec + usec)
    }
    source?.arm(atUsec: loop.now.monotonicUsec + usec)
    return source
  }

  private func events(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    guard call.more else { throw .expectedMore }
    var reader = Parameters(call)
    let prefix = try reader.text("prefix")
    let after = try reader.integer("after", in: 0...Int64.max)
    let ledger = try reader.text("ledger")
    try reader.finish()
    guard isPresent(ledger, peer) else { return }
    if let after { return readLedger(after: after, prefix, peer) }
    follow(after: lastSeq, prefix, peer)
  }

  /// Whether numbers are of the ledger that the machine has now; if not, the call is refused.
  private func isPresent(_ ledger: String?, _ peer: VarlinkPeer) -> Bool {
    guard let ledger, let present = mirrored?.lastEvent?.ledger ?? mirrored?.status?.ledger,
      ledger != present
    else { return true }
    peer.fail("\(TimersInterface.name).LedgerChanged", ["ledger": .string(present)])
    return false
  }

  /// Sends the events that the owner's ledger has behind a number, page by page, and then those that come.
  private func readLedger(after: Int64, _ prefix: String?, _ peer: VarlinkPeer) {
    let call = ReceivedCall(
      method: RemoteCall.ledgerMethod, parameters: ["after": .integer(after)], more: false)
    source.forward(call, to: device) { [weak self, weak peer] answer in
      guard let self, let peer, peer.isOpen else { return }
      switch answer {
      case .error(let name, let parameters): peer.fail(name, parameters)
      case .reply(let parameters):
        var last = after
        let events = parameters["events"]?.arrayValue ?? []
        for event in events {
          last = max(last, event["seq"]?.integerValue ?? 0)
          guard event["name"]?.stringValue.map({ Self.matches($0, prefix) }) ?? true else {
            continue
          }
          peer.reply(["event": event], continues: true)
        }
        // Until nothing has happened while it was asked.
        let isBehind = (mirrored?.lastEvent?.seq ?? 0) > last
        if events.isEmpty || !isBehind {
          follow(after: last, prefix, peer)
        } else {
          readLedger(after: last, prefix, peer)
        }
      }
    }
  }

  private func follow(after: Int64, _ prefix: String?, _ peer: VarlinkPeer) {
    guard peer.isOpen else { return }
    streams[ObjectIdentifier(peer)] = Stream(
      peer: peer, follows: .events(after: after, prefix: prefix), ticks: nil)
  }
}

// MARK: - Parameters

extension DeviceService {
  /// Reads the parameters of a call by name. What was not asked for is refused in the end.
  struct Parameters {
    private let members: [JSONValue.Member]
    private var known: Set<String> = []

    init(_ call: ReceivedCall) { members = call.parameters.objectValue ?? [] }

    private mutating func value(_ name: String) -> JSONValue? {
      known.insert(name)
      guard let value = members.last(where: { $0.key == name })?.value, !value.isNull else {
        return nil
      }
      return value
    }

    mutating func text(_ name: String) throws(VarlinkError) -> String? {
      guard let value = value(name) else { return nil }
      guard let text = value.stringValue else { throw .invalidParameter(parameter: name) }
      return text
    }

    mutating func texts(_ name: String) throws(VarlinkError) -> [String]? {
      guard let value = value(name) else { return nil }
      guard let elements = value.arrayValue else { throw .invalidParameter(parameter: name) }
      let texts = elements.compactMap(\.stringValue)
      guard texts.count == elements.count else { throw .invalidParameter(parameter: name) }
      return texts
    }

    mutating func integer(
      _ name: String, in range: ClosedRange<Int64>
    ) throws(VarlinkError) -> Int64? {
      guard let value = value(name) else { return nil }
      guard let number = value.integerValue, range.contains(number) else {
        throw .invalidParameter(parameter: name)
      }
      return number
    }

    func required<Value>(_ value: Value?, _ name: String) throws(VarlinkError) -> Value {
      guard let value else { throw .invalidParameter(parameter: name) }
      return value
    }

    func finish() throws(VarlinkError) {
      guard let other = members.first(where: { !known.contains($0.key) }) else { return }
      throw .invalidParameter(parameter: other.key)
    }
  }
}
