package import Varlink

/// The replies to a call with `more`. The stream survives restarts of the daemon.
///
/// When its connection ends, the stream connects and makes the call again, with the number of the
/// last event. So it misses no event, and delivers no event twice.
package struct LiveStream {
  /// The result of waiting for the next reply.
  package enum Outcome: Equatable, Sendable {
    /// The parameters of a reply.
    case reply(JSONValue)
    /// The daemon has sent the last reply of this stream.
    case ended
    /// The deadline passed before a reply arrived. The stream can still be read.
    case timedOut
  }

  /// How many times the stream made its call again: because the connection to the daemon was lost,
  /// or because the stream was read too slowly.
  package private(set) var reconnections = 0
  /// The connection in use.
  package private(set) var connection: Connection
  /// Called when the daemon has begun another ledger. The stream continues with all events of the
  /// new ledger.
  package var onNewLedger: () -> Void = {}
  /// Called each time that the connection to the daemon is lost.
  package var onAbsence: () -> Void = {}
  /// Whether the stream ends with an error if the daemon does not answer for a minute.
  package var givesUp = true

  /// Whether the daemon has not answered since the connection to it was lost.
  package var isAway: Bool { absence != nil }

  /// When `next` will try to connect to the daemon again; nil while there is a connection.
  package var nextTry: Deadline? { isLost ? absence?.nextTry ?? .after(usec: 0) : nil }

  /// The descriptor to poll for input; nil if there is no connection. In that case, wait until
  /// `nextTry` and call `next`.
  package var descriptor: Int32? { connection.descriptor }

  /// The number of the last event that this stream delivered; nil before the first event.
  package var lastSeq: Int64? { position.lastSeq }

  private let path: String
  private var position: StreamPosition
  private var stream: ReplyStream
  private var absence: RetrySchedule?
  /// Whether the connection has ended.
  private var isLost = false

  /// - Parameters:
  ///   - path: the path of the daemon's socket, to connect to again.
  ///   - connection: a connection to the daemon. From now on, only the stream uses it.
  ///   - call: a call of `Watch` or `Events`.
  ///   - continuesBySeq: whether the stream, after a loss of the connection, continues after the
  ///     last event; if false, it repeats the call unchanged.
  ///   - ledger: the ledger to which the call's parameter `after` belongs, if known.
  ///   - deadline: how long sending the call may take.
  /// - Throws: `ClientError`.
  package init(
    path: String, connection: Connection, call: Call, continuesBySeq: Bool = true,
    ledger: String? = nil, deadline: Deadline = .never
  ) throws(ClientError) {
    self.path = path
    self.connection = connection
    position = StreamPosition(call, continuesBySeq: continuesBySeq, ledger: ledger)
    stream = try Self.stream(on: connection, from: &position, deadline: deadline)
  }

  /// Waits for the next reply. If the daemon does not answer, waits for it for up to a minute; if
  /// `givesUp` is false, waits without a limit.
  ///
  /// - Throws: `ClientError.connectionLost`: the daemon did not answer again.
  ///   `.refused(.eventsPruned)`: the ledger no longer has all events since the daemon was lost.
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
        case .refused(let refusal) where position.continues(after: refusal):
          let isSlow = if case .tooSlow = refusal { true } else { false }
          if !isSlow { onNewLedger() }
          do throws(ClientError) {
            stream = try Self.stream(on: connection, from: &position, deadline: deadline)
            if isSlow { reconnections += 1 }
          } catch {
            // The daemon may have ended behind its refusal.
            guard [.connectionLost, .timedOut].contains(error) else { throw error }
            isLost = true
          }
        case .anotherUsersDaemon, .protocolViolation, .refused, .cancelled: throw error
        }
      }
    }
  }

  private static func stream(
    on connection: Connection, from position: inout StreamPosition, deadline: Deadline
  ) throws(ClientError) -> ReplyStream {
    if position.needsStatus {
      position.note(status: try connection.call(Wire.Status(), deadline: deadline))
    }
    return try connection.stream(position.continuation, deadline: deadline)
  }

  /// - Returns: false if the deadline passed before there was a connection.
  private mutating func reconnect(deadline: Deadline) throws(ClientError) -> Bool {
    if absence == nil { onAbsence() }
    var absence = absence ?? RetrySchedule(isBounded: givesUp)
    defer { self.absence = absence }
    let limit = Deadline.earlier(absence.giveUp, deadline)
    while true {
      guard absence.pause(until: limit) else {
        guard !absence.giveUp.hasPassed else { throw .connectionLost }
        return false
      }
      do throws(ClientError) {
        connection = try Connection(path: path, deadline: limit)
        stream = try Self.stream(on: connection, from: &position, deadline: limit)
        reconnections += 1
        isLost = false
        return true
      } catch {
        // The daemon still cannot be reached.
      }
    }
  }
}
