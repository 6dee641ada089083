internal import NightjarInterface
internal import Varlink

/// Serves the timers of a session, like a daemon: the methods of `org.nightjar.Timers` that only
/// read. Changes are refused, because the timers belong to other persons.
final class SessionService: VarlinkAnswering {
  private let session: SharedSession

  init(_ session: SharedSession) { self.session = session }

  func peerEnded(_ peer: VarlinkPeer) { session.streams.peerEnded(peer) }

  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) {
    do {
      switch call.name {
      case "Get": try get(call, peer)
      case "List": try session.streams.list(call, peer)
      case "Watch":
        try session.streams.watch(call, peer) { name, _ in Self.notFound(name, peer) }
      case "Events": try events(call, peer)
      default: peer.fail(.permissionDenied)
      }
    } catch {
      peer.fail(error)
    }
  }

  private func get(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    let name = try call.read(Wire.Get.self).name
    guard let timer = session.timer(name) else { return Self.notFound(name, peer) }
    peer.reply(["timer": timer])
  }

  /// Sends new events. The client cannot give an event number to begin after, because the members
  /// of a session have no common ledger.
  private func events(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    guard call.more else { throw .expectedMore }
    let asked = try call.read(Wire.Events.self)
    guard asked.after == nil, asked.ledger == nil else {
      throw .invalidParameter(parameter: asked.after == nil ? "ledger" : "after")
    }
    session.streams.follow(after: nil, asked.prefix, peer)
  }

  private static func notFound(_ name: String, _ peer: VarlinkPeer) {
    peer.fail("\(TimersInterface.name).TimerNotFound", ["name": .string(name)])
  }
}
