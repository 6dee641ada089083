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
  private var connection: Connection
  private var stream: ReplyStream

  /// How many times the daemon was lost and found again.
  private(set) var reconnections = 0
  private var absence: Absence?

  /// The daemon is away, until it answers again: that it takes a connection is not enough, as one that
  /// is going away takes one or two, and one that fails may take any number.
  private struct Absence {
    /// An upgrade with a slow disk takes less.
    let giveUp = Deadline.after(usec: 60_000_000)
    /// The pause before the next look for it, growing.
    private var pauseMsec: Int32 = 0

    private static let growth: (first: Int32, longest: Int32) = (20, 500)

    mutating func pause(until deadline: Deadline) {
      if pauseMsec > 0 {
        poll(nil, 0, deadline == .never ? pauseMsec : min(pauseMsec, deadline.pollMsec))
      }
      pauseMsec = min(max(pauseMsec * 2, Self.growth.first), Self.growth.longest)
    }
  }

  /// - Parameter call: the call to begin with.
  init(session: Session, call: Call) throws(CommandError) {
    path = session.path
    self.call = call
    connection = session.connection
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
        absence = nil
        return reply.map(Outcome.reply) ?? .ended
      } catch {
        failure = error
      }
      switch failure {
      case .timedOut: return .timedOut
      case .connectionLost, .daemonUnreachable:
        if let refusal = CommandError(refusedBy: connection, at: path) { throw refusal }
        guard try reconnect(deadline: deadline) else { return .timedOut }
      case .protocolViolation, .refused: throw CommandError(explaining: failure)
      }
    }
  }

  /// - Returns: false when the deadline has passed first.
  private mutating func reconnect(deadline: Deadline) throws(CommandError) -> Bool {
    if absence == nil { Output.complain("the daemon went away; waiting for it to come back") }
    var absence = absence ?? Absence()
    defer { self.absence = absence }
    let patience = Deadline.earlier(absence.giveUp, deadline)
    while true {
      absence.pause(until: patience)
      if deadline.hasPassed { return false }
      guard !absence.giveUp.hasPassed else {
        throw CommandError(.noDaemon, "the daemon did not come back within a minute")
      }
      do throws(ClientError) {
        connection = try Connection(path: path, deadline: patience)
        stream = try connection.stream(call, deadline: patience)
        reconnections += 1
        return true
      } catch {
        // It is still away.
      }
    }
  }
}
