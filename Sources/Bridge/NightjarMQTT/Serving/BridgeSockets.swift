internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// The sockets of the bridge: one for the bridge's status, and one for each other machine.
final class BridgeSockets {
  private let loop: EventLoop
  private let folder: String
  private unowned let bridge: Bridge
  private var status: PeerListener?
  /// Machines for which no socket could be created. Each failure is logged once.
  private var withoutSocket: Set<String> = []
  private var devices: [String: (listener: PeerListener, service: DeviceService)] = [:]
  /// Clients that wait until a machine is online, and the names of these machines.
  private var waiting: [(device: String, peer: VarlinkPeer)] = []

  /// Listens on the socket `mqtt` in a folder. The sockets of other machines are created when the
  /// machines are known.
  init(loop: EventLoop, folder: String, bridge: Bridge) throws(SystemError) {
    self.loop = loop
    self.folder = folder
    self.bridge = bridge
    status = try PeerListener(
      loop: loop, path: BridgePaths.status(in: folder), service: self)
  }

  /// Sends a change of the mirror to watching clients.
  func changed(_ change: MirrorChange) {
    switch change {
    case .status(let owner): statusChanged(owner.device)
    case .timer(let owner, let name): timerChanged(name, on: owner.device)
    case .event(let owner, let event): service(owner.device)?.streams.happened(event)
    case .gap, .ring: break
    }
  }

  /// Sends a timer to watching clients.
  func timerChanged(_ name: String, on device: String) {
    service(device)?.streams.timerChanged(name)
  }

  /// Sends all timers of a machine to watching clients again, because the bridge has missed
  /// changes, or because the machine has another ledger.
  func showAnew(_ device: String) { service(device)?.streams.showAnew() }

  private func statusChanged(_ device: String) {
    defer { answerWaiting() }
    guard bridge.mirror[device] == nil else {
      _ = service(device)
      return
    }
    devices[device]?.listener.close()
    devices[device] = nil
  }

  /// The service for a machine. Its socket is created when it is first needed.
  private func service(_ device: String) -> DeviceService? {
    if let entry = devices[device] { return entry.service }
    guard bridge.mirror[device] != nil else { return nil }
    do {
      let service = try DeviceService(device: device, loop: loop, bridge: bridge)
      let listener = try PeerListener(
        loop: loop, path: BridgePaths.device(device, in: folder), service: service.streams)
      devices[device] = (listener, service)
      return service
    } catch {
      if withoutSocket.insert(device).inserted {
        Log.write(.error, "no socket for the machine \(device): \(error)")
      }
      return nil
    }
  }

  /// Closes and removes the sockets.
  func close() {
    for entry in devices.values { entry.listener.close() }
    devices = [:]
    status?.close()
  }
}

// MARK: - Waiting for a machine

extension BridgeSockets {
  private func awaitMachine(
    _ call: ReceivedCall, _ peer: VarlinkPeer
  ) throws(VarlinkError) {
    let device = try call.read(BridgeWire.Await.self).device
    guard DeviceAddress.isWord(device) else { throw .invalidParameter(parameter: "device") }
    waiting.append((device, peer))
    answerWaiting()
  }

  /// Answers the clients whose machine is online. While the mirror is out of date, all clients
  /// wait: there is no connection, or not all retained messages have arrived.
  func answerWaiting() {
    guard bridge.mirror.isComplete, !waiting.isEmpty else { return }
    let all = waiting
    waiting = []
    for (device, peer) in all where peer.isOpen {
      guard let mirrored = bridge.mirror[device], mirrored.state == .online else {
        waiting.append((device, peer))
        continue
      }
      var reply = BridgeWire.Await.Reply(state: .online)
      reply.sinceUsec = mirrored.sinceUsec
      peer.reply(reply)
    }
  }
}

// MARK: - Answering

extension BridgeSockets: VarlinkAnswering {
  var interface: (name: String, description: String) {
    (BridgeInterface.name, BridgeInterface.description)
  }

  func peerEnded(_ peer: VarlinkPeer) { waiting.removeAll { $0.peer === peer } }

  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) {
    do {
      switch call.name {
      case "Status": peer.reply(bridge.report.reply(of: bridge))
      case "Await": try awaitMachine(call, peer)
      case "Share", "Join", "Leave": try bridge.sessions.answer(call, peer)
      default: peer.fail(.methodNotFound(method: call.method))
      }
    } catch {
      peer.fail(error)
    }
  }
}
