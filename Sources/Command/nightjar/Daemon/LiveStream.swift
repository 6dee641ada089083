import Glibc
import NightjarClient
import Varlink

/// A stream of replies to a call with `more`. The stream continues after a restart of the daemon,
/// and prints a message about the restart.
struct LiveStream {
  private var stream: NightjarClient.LiveStream
  private let session: Session

  var reconnections: Int { stream.reconnections }

  /// - Parameters:
  ///   - call: the first call.
  ///   - continuesBySeq: whether the stream asks for the events after the last one when it connects
  ///     again. If false, it repeats the first call.
  ///   - ledger: the ledger to which the call's event number belongs, if known.
  init(
    session: Session, call: Call, continuesBySeq: Bool = true, ledger: String? = nil
  ) throws(CommandError) {
    self.session = session
    do throws(ClientError) {
      stream = try session.liveStream(call, continuesBySeq: continuesBySeq, ledger: ledger)
    } catch {
      throw session.explained(error)
    }
    let server = session.server
    let path = session.path
    stream.onAbsence = {
      guard !BridgeSession.hasLeft(path) else { return }
      Output.complain("\(server) went away; waiting for it to come back")
    }
    stream.onNewLedger = { Output.complain("the ledger was begun anew; here it is from number 1") }
  }

  /// Waits for the next reply, as `next` does. If the reader of the command's output has closed the
  /// pipe, this ends the command.
  mutating func nextForReader() throws(CommandError) -> NightjarClient.LiveStream.Outcome {
    while true {
      let outcome = try next(deadline: .after(usec: 0))
      guard outcome == .timedOut else { return outcome }
      if stream.isAway, BridgeSession.hasLeft(session.path) { throw session.leftSession }
      Waiting.wait(
        for: [stream.descriptor], output: STDOUT_FILENO, usec: nil,
        msec: (stream.nextTry ?? .never).pollMsec)
    }
  }

  /// Waits for the next reply.
  ///
  /// - Throws: `CommandError`: the daemon refused the call, or did not start again.
  mutating func next(
    deadline: Deadline = .never
  ) throws(CommandError) -> NightjarClient.LiveStream.Outcome {
    do throws(ClientError) {
      return try stream.next(deadline: deadline)
    } catch {
      guard error == .connectionLost else {
        throw CommandError(explaining: error, of: session.device)
      }
      throw CommandError(.noDaemon, "\(session.server) did not come back within a minute")
    }
  }
}
