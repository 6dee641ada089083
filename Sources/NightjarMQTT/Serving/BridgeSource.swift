internal import NightjarMirror
internal import NightjarSystem
internal import NightjarVarlink

/// What the bridge's sockets serve from.
protocol BridgeSource: AnyObject {
  /// The person's other machines.
  var mirror: Mirror { get }
  /// The state of the bridge, as `org.nightjar.Bridge.Status` has it.
  var statusReply: JSONValue { get }
  /// The sessions in which this machine takes part.
  var sessions: SharedSessions! { get }
  /// Sends a call to the machine that owns the timer.
  ///
  /// - Parameter reply: gets the answer, once.
  func forward(_ call: ReceivedCall, to device: String, _ reply: @escaping (OwnerAnswer) -> Void)
  /// How the ring of a timer stands that its owner has not published; nil: there is none.
  func ring(of name: String, on device: String) -> RingStanding?
  /// Answers a ring whose owner is away, as the user does in its popup. Where it is on here, it ends behind this iteration
  /// of the loop.
  ///
  /// - Parameter snoozeUsec: in so long it rings again; nil: it is dismissed.
  func answer(_ ring: RingKey, of device: String, snoozeUsec: Int64?)
}

/// What became of a call to another machine.
enum OwnerAnswer: Equatable {
  /// The parameters of its reply.
  case reply(JSONValue)
  /// The full name of the error that it answered with, or that says why it did not, and its parameters.
  case error(String, JSONValue)
}
