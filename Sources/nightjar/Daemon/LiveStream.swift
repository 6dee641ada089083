import Glibc
import NightjarClient
import NightjarWire

/// Replies to a call with `more`, across restarts of the daemon.
struct LiveStream {
  /// What came of waiting for the next reply.
  enum Outcome {
    case reply(JSONValue)
    /// The daemon has said the last word of this stream.
    case ended
    case timedOut
  }

  private let path: String
  /// The call to go on with when the daemon has been away.
  var call: Call
  private var stream: ReplyStream

  /// How many times the daemon was lost and found again.
  private(set) var reconnections = 0
  /// Said once for each absence: a daemon that is going away may still take a connection or two.
  private var hasToldAbsence = false

  /// How long a daemon may be away. An upgrade with a slow disk takes less.
  private static let absenceUsec: Int64 = 60_000_000
  /// The pause between two looks for it, growing.
  private static let pauseMsec: (first: Int32, longest: Int32) = (20, 500)

  /// - Parameter call: the call to begin with.
  init(session: Session, call: Call) throws(CommandError) {
    path = session.path
    self.call = call
    do throws(ClientError) {
      stream = try session.stream(call)
    } catch {
      throw session.explained(error)
    }
  }

  /// Waits for the next reply.
  ///
  /// - Throws: `CommandError`: the daemon refused, or did not come back.
  mutating func next(deadline: Deadline = .never) throws(CommandError) -> Outcome {
    while true {
      let failure: ClientError
      do throws(ClientError) {
        let reply = try stream.next(deadline: deadline)
        hasToldAbsence = false
        return reply.map(Outcome.reply) ?? .ended
      } catch {
        failure = error
      }
      switch failure {
      case .timedOut: return .timedOut
      case .connectionLost, .daemonUnreachable:
        guard try reconnect(deadline: deadline) else { return .timedOut }
      case .protocolViolation, .refused: throw CommandError(explaining: failure)
      }
    }
  }

  /// - Returns: false when the deadline has passed first.
  private mutating func reconnect(deadline: Deadline) throws(CommandError) -> Bool {
    if !hasToldAbsence { Output.complain("the daemon went away; waiting for it to come back") }
    hasToldAbsence = true
    let giveUp = Deadline.after(usec: Self.absenceUsec)
    var pauseMsec = Self.pauseMsec.first
    while true {
      do throws(ClientError) {
        let connection = try Connection(path: path, deadline: giveUp)
        stream = try connection.stream(call, deadline: giveUp)
        reconnections += 1
        return true
      } catch {
        if deadline.hasPassed { return false }
        guard !giveUp.hasPassed else {
          throw CommandError(.noDaemon, "the daemon did not come back within a minute")
        }
      }
      poll(nil, 0, pauseMsec)
      pauseMsec = min(pauseMsec * 2, Self.pauseMsec.longest)
    }
  }
}
