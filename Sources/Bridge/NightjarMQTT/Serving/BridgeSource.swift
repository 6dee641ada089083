internal import NightjarInterface
internal import NightjarMirror
internal import NightjarSystem
internal import Varlink

/// Provides the data behind the bridge's sockets.
protocol BridgeSource: AnyObject {
  /// The user's other machines.
  var mirror: Mirror { get }
  /// The bridge's status, as `org.nightjar.Bridge.Status` returns it.
  var statusReply: BridgeWire.Status.Reply { get }
  /// The sessions in which this machine takes part.
  var sessions: SharedSessions! { get }
  /// Sends a call to the machine that owns the timer.
  ///
  /// - Parameter reply: called once with the answer.
  func forward(_ call: ReceivedCall, to device: String, _ reply: @escaping (OwnerAnswer) -> Void)
  /// The state of a ring that its owner has not published; nil: there is none.
  func ring(of name: String, on device: String) -> RingStatus?
  /// The ring of a timer that the user can answer here, and when its expiry was due; nil: there is
  /// none.
  func openRing(
    of name: String, on device: String, snoozes: Bool
  ) -> (key: RingKey, dueUsec: Int64)?
  /// Answers a ring, as the buttons of its popup do. If this machine rings for the timer, the ring
  /// ends after this loop iteration.
  ///
  /// - Parameter snoozeUsec: how long until the timer rings again, in microseconds; nil: dismiss
  ///   the ring.
  func answer(_ ring: (key: RingKey, dueUsec: Int64), snoozeUsec: Int64?)
}

/// The result of a call to this machine's daemon, or to another machine.
enum OwnerAnswer: Equatable {
  /// The daemon carried out the call; the parameters of its reply.
  case reply(JSONValue)
  /// The call failed: the full name of the error, and its parameters. If the owner did not answer,
  /// it is an error of the bridge.
  case error(String, JSONValue)

  /// The parameters of the reply; nil: the call failed.
  var parameters: JSONValue? {
    if case .reply(let parameters) = self { parameters } else { nil }
  }
}
