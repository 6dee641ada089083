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
    // An answer to a ring is published. The owner carries it out, at once or when it is online again.
    switch call.name {
    case "Dismiss":
      let asked = try call.read(Wire.Dismiss.self)
      try answer(call, asked.name, asked.expiry, asked.ifSeq, snoozeUsec: nil, peer)
    // With an open ring, `Stop` ends the ring, as `Dismiss` does.
    case "Stop":
      let asked = try call.read(Wire.Stop.self)
      try answer(call, asked.name, asked.expiry, asked.ifSeq, snoozeUsec: nil, peer)
    case "Snooze":
      let asked = try call.read(Wire.Snooze.self)
      try VarlinkError.check(asked.byUsec, in: 1...Limits.durationUsec, "by_usec")
      try answer(call, asked.name, asked.expiry, asked.ifSeq, snoozeUsec: asked.byUsec, peer)
    default: forward(call, peer)
    }
  }

  private func forward(_ call: ReceivedCall, _ peer: VarlinkPeer) {
    bridge.outgoing.call(call, to: device) { [weak peer] in peer?.reply($0) }
  }

  /// Answers a timer's ring. If this machine cannot, forwards the call to the owner.
  ///
  /// - Parameter expiry: the number in the client's answer, as in the interface.
  private func answer(
    _ call: ReceivedCall, _ name: String, _ expiry: Int64?, _ ifSeq: Int64?, snoozeUsec: Int64?,
    _ peer: VarlinkPeer
  ) throws(VarlinkError) {
    guard let ring = bridge.remote.openRing(of: name, on: device, snoozes: snoozeUsec != nil),
      let timer = timer(name)
    else { return forward(call, peer) }
    guard try isIncluded(timer, ifSeq, peer) else { return }
    if expiry.map({ $0 >= ring.key.expiry }) ?? true {
      do {
        try bridge.remote.answer(ring, snoozeUsec: snoozeUsec)
      } catch {
        return peer.fail(
          "\(TimersInterface.name).StorageFailed",
          ["reason": .string("\(error)"), "in_doubt": true])
      }
    }
    // In a later iteration, because the answer is applied after this one. Like the daemon, reply
    // with the last state of a timer that is gone.
    loop.later { [weak self, weak peer] in peer?.reply(["timer": self?.timer(name) ?? timer]) }
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
