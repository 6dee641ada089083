internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Serves `org.nightjar.Timers` for another machine, like a daemon. It answers from the mirror, or
/// asks the other machine if the mirror lacks the data.
final class DeviceService {
  let device: String
  private let loop: EventLoop
  private unowned let bridge: Bridge
  private(set) var streams: TimerStreams!

  init(device: String, loop: EventLoop, bridge: Bridge) throws(SystemError) {
    self.device = device
    self.loop = loop
    self.bridge = bridge
    streams = try TimerStreams(loop: loop, view: self)
  }

  private var mirrored: MirroredDevice? { bridge.mirror[device] }
}

extension DeviceService: TimerView {
  var names: [String] { mirrored?.names ?? [] }

  func timer(_ name: String) -> JSONValue? {
    mirrored?.timer(
      name, realtimeUsec: loop.now.realtimeUsec, boottimeUsec: loop.now.boottimeUsec,
      ringStatus: bridge.remote.ringStatus(of: name, on: device))
  }

  var lastSeq: Int64 { mirrored?.lastEvent?.seq ?? mirrored?.status?.lastSeq ?? 0 }

  var ledger: String? { mirrored?.lastEvent?.ledger ?? mirrored?.status?.ledger }

  /// Sends the events of the owner's ledger after a number, page by page, and then new events.
  func readLedger(after: Int64, _ prefix: String?, _ peer: VarlinkPeer) {
    let call = ReceivedCall(
      method: RemoteCall.ledgerMethod, parameters: ["after": .integer(after)], more: false)
    bridge.outgoing.call(call, to: device) { [weak self, weak peer] answer in
      guard let self, let peer, peer.isOpen else { return }
      guard let parameters = answer.parameters else { return peer.reply(answer) }
      var last = after
      let events = parameters["events"]?.arrayValue ?? []
      for event in events {
        last = max(last, event["seq"]?.integerValue ?? 0)
        guard event["name"]?.stringValue.map({ TimerStreams.matches($0, prefix) }) ?? true else {
          continue
        }
        peer.reply(["event": event], continues: true)
      }
      // Read pages until they include the last event that the mirror knows.
      let isBehind = (mirrored?.lastEvent?.seq ?? 0) > last
      if events.isEmpty || !isBehind {
        streams.follow(after: last, prefix, peer)
      } else {
        readLedger(after: last, prefix, peer)
      }
    }
  }
}

// MARK: - Answering

extension DeviceService {
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) throws(VarlinkError) {
    // An answer to a ring is published. The owner carries it out, at once or when it is online
    // again.
    switch call.name {
    case "Dismiss": try answer(call, call.read(Wire.Dismiss.self), snoozeUsec: nil, peer)
    // With an open ring, `Stop` ends the ring, as `Dismiss` does.
    case "Stop": try answer(call, call.read(Wire.Stop.self), snoozeUsec: nil, peer)
    case "Snooze":
      let asked = try call.read(Wire.Snooze.self)
      try VarlinkError.check(asked.byUsec, in: 1...Limits.durationUsec, "by_usec")
      try answer(call, asked, snoozeUsec: asked.byUsec, peer)
    default: forward(call, peer)
    }
  }

  private func forward(_ call: ReceivedCall, _ peer: VarlinkPeer) {
    bridge.outgoing.call(call, to: device) { [weak peer] in peer?.reply($0) }
  }

  /// Answers a timer's ring. If this machine cannot, forwards the call to the owner. The `request`
  /// of the call is not needed: the owner carries out an answer once.
  private func answer(
    _ call: ReceivedCall, _ asked: some RingCall, snoozeUsec: Int64?, _ peer: VarlinkPeer
  ) throws(VarlinkError) {
    guard
      let ring = bridge.remote.openRing(of: asked.name, on: device, snoozes: snoozeUsec != nil),
      let timer = timer(asked.name)
    else { return forward(call, peer) }
    try VarlinkError.check(asked.expiry, in: 1...Int64.max, "expiry")
    if let id = asked.undoId, !RingAnswer.isUndoID(id) {
      throw .invalidParameter(parameter: "undo_id")
    }
    guard try isIncluded(timer, asked.ifSeq, peer) else { return }
    if asked.expiry.map({ $0 >= ring.key.expiry }) ?? true {
      do {
        try bridge.remote.answer(ring, snoozeUsec: snoozeUsec, undoID: asked.undoId)
      } catch {
        return peer.fail(
          "\(TimersInterface.name).StorageFailed",
          ["reason": .string("\(error)"), "in_doubt": true])
      }
    }
    // In a later iteration, because the answer is applied after this one. Like the daemon, reply
    // with the last state of a timer that is gone.
    loop.later { [weak self, weak peer] in
      peer?.reply(["timer": self?.timer(asked.name) ?? timer])
    }
  }

  /// Whether the timer has had no other event than the client expects. If it has, refuses the call.
  private func isIncluded(
    _ timer: JSONValue, _ wanted: Int64?, _ peer: VarlinkPeer
  ) throws(VarlinkError) -> Bool {
    try VarlinkError.check(wanted, in: 0...Int64.max, "if_seq")
    let seq = timer["seq"]?.integerValue ?? 0
    guard let wanted, wanted != seq else { return true }
    peer.fail(
      "\(TimersInterface.name).TimerChanged",
      ["name": timer["name"] ?? "", "seq": .integer(seq)])
    return false
  }

  /// Asks the other machine for a timer that the mirror lacks.
  ///
  /// The machine replies to a start when the new timer is on its disk, but the timer itself arrives
  /// in another message. Between the two messages, a client may ask for the timer, which the mirror
  /// lacks.
  func find(
    _ name: String, _ peer: VarlinkPeer,
    _ found: @escaping (_ peer: VarlinkPeer, _ timer: JSONValue) -> Void
  ) {
    // If the machine is not online, it published its timers before it disconnected, so the timer
    // does not exist.
    guard mirrored?.state == .online else { return failNotFound(name, peer) }
    let call = ReceivedCall(
      method: "\(TimersInterface.name).Get", parameters: ["name": .string(name)], more: false)
    bridge.outgoing.call(call, to: device) { [weak self, weak peer] answer in
      guard let self, let peer, peer.isOpen else { return }
      guard let reply = answer.parameters else { return peer.reply(answer) }
      guard let timer = reply["timer"] else { return failNotFound(name, peer) }
      found(peer, timer)
    }
  }
}

/// A call that answers a ring.
private protocol RingCall: WireMethod {
  var name: String { get }
  /// The number of the expiry in the client's answer, as in the interface.
  var expiry: Int64? { get }
  var ifSeq: Int64? { get }
  var undoId: String? { get }
}

extension Wire.Dismiss: RingCall {}
extension Wire.Stop: RingCall {}
extension Wire.Snooze: RingCall {}
