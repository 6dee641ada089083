package import NightjarVarlink

/// Replies to a call with `more`, across restarts of the daemon.
///
/// Where a service manager holds the connection, the daemon goes on with it by itself. Elsewhere
/// this asks again, behind the number of the last event that was seen: nothing is missed, and
/// nothing comes twice.
package struct LiveStream {
  /// What came of waiting for the next reply.
  package enum Outcome: Equatable, Sendable {
    /// A reply's parameters.
    case reply(JSONValue)
    /// The daemon has said the last word of this stream.
    case ended
    /// The deadline passed first; the stream may be read on.
    case timedOut
  }

  /// How many times the daemon was lost and found again, or had to be asked again because this was read
  /// too slowly.
  package private(set) var reconnections = 0
  /// The connection in use: who is at its other end.
  package private(set) var connection: Connection
  /// Called when another ledger was begun, all of which is told.
  package var onNewLedger: () -> Void = {}
  /// Called when the daemon has gone, once for each time.
  package var onAbsence: () -> Void = {}
  /// Whether to give up after a minute without the daemon.
  package var givesUp = true

  /// Whether the daemon is away: it has not answered since it was lost.
  package var isAway: Bool { absence != nil }

  /// When `next` would look for a daemon that is away; nil while there is a connection to wait on.
  package var nextTry: Deadline? { isLost ? absence?.nextTry ?? .after(usec: 0) : nil }

  /// What to poll for more to read; nil if there is nothing but `nextTry` to wait for.
  package var descriptor: Int32? { connection.descriptor }

  /// The number of the last event that was seen; nil before the first.
  package var lastSeq: Int64? { position.lastSeq }

  private let path: String
  private var position: StreamPosition
  private var stream: ReplyStream
  private var absence: Absence?
  /// The connection has ended.
  private var isLost = false

  /// - Parameters:
  ///   - path: the daemon's socket, to connect to again.
  ///   - connection: a connection to it, which belongs to the stream from now on.
  ///   - call: `Call.watch` or `Call.events`.
  ///   - goesOnByNumber: false: begin anew with the call after the daemon was away.
  ///   - ledger: whose number the call begins behind, if that is known.
  ///   - deadline: for the call to be sent.
  /// - Throws: `ClientError`.
  package init(
    path: String, connection: Connection, call: Call, goesOnByNumber: Bool = true,
    ledger: String? = nil, deadline: Deadline = .never
  ) throws(ClientError) {
    self.path = path
    self.connection = connection
    position = StreamPosition(call, goesOnByNumber: goesOnByNumber, ledger: ledger)
    stream = try Self.stream(on: connection, from: &position, deadline: deadline)
  }

  /// Waits for the next reply, while the daemon is away for up to a minute.
  ///
  /// - Throws: `ClientError.connectionLost`: it did not come back. `.refused(.eventsPruned)`: the ledger
  ///   does not go back to where it was lost.
  package mutating func next(deadline: Deadline = .never) throws(ClientError) -> Outcome {
    while true {
      if isLost {
        guard try reconnect(deadline: deadline) else { return .timedOut }
      }
      do throws(ClientError) {
        let reply = try stream.next(deadline: deadline)
        absence = nil
        guard let reply else { return .ended }
        position.note(reply)
        return .reply(reply)
      } catch {
        switch error {
        case .timedOut: return .timedOut
        case .connectionLost, .daemonUnreachable: isLost = true
        case .refused(let refusal) where position.beginAnew(after: refusal):
          onNewLedger()
          stream = try Self.stream(on: connection, from: &position, deadline: deadline)
        case .refused(.tooSlow):
          reconnections += 1
          stream = try Self.stream(on: connection, from: &position, deadline: deadline)
        case .anotherUsersDaemon, .protocolViolation, .refused, .cancelled: throw error
        }
      }
    }
  }

  private static func stream(
    on connection: Connection, from position: inout StreamPosition, deadline: Deadline
  ) throws(ClientError) -> ReplyStream {
    if position.needsStatus {
      position.note(status: try connection.call(.status(), deadline: deadline))
    }
    return try connection.stream(position.continuation, deadline: deadline)
  }

  /// - Returns: false when the deadline has passed first.
  private mutating func reconnect(deadline: Deadline) throws(ClientError) -> Bool {
    if absence == nil { onAbsence() }
    var absence = absence ?? Absence(isBounded: givesUp)
    defer { self.absence = absence }
    let patience = Deadline.earlier(absence.giveUp, deadline)
    while true {
      guard absence.pause(until: patience) else {
        guard !absence.giveUp.hasPassed else { throw .connectionLost }
        return false
      }
      do throws(ClientError) {
        connection = try Connection(path: path, deadline: patience)
        stream = try Self.stream(on: connection, from: &position, deadline: patience)
        reconnections += 1
        isLost = false
        return true
      } catch {
        // It is still away.
      }
    }
  }
}
