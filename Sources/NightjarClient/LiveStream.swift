import Glibc
public import NightjarWire

/// Replies to a call with `more`, across restarts of the daemon.
///
/// Where a service manager holds the connection, the daemon goes on with it by itself. Elsewhere
/// this asks again, behind the number of the last event that was seen: nothing is missed, and
/// nothing comes twice.
public struct LiveStream {
  /// What came of waiting for the next reply.
  public enum Outcome: Equatable, Sendable {
    /// A reply's parameters.
    case reply(JSONValue)
    /// The daemon has said the last word of this stream.
    case ended
    /// The deadline passed first; the stream may be read on.
    case timedOut
  }

  /// How many times the daemon was lost and found again.
  public private(set) var reconnections = 0
  /// The number of the last event that was seen; nil before the first.
  public private(set) var lastSeq: Int64?
  /// The connection in use: who is at its other end.
  public private(set) var connection: Connection
  /// Called when the daemon has gone, once for each time.
  public var onAbsence: () -> Void = {}

  private let path: String
  private let call: Call
  private let goesOnByNumber: Bool
  private var stream: ReplyStream
  private var absence: Absence?

  /// The daemon is away, until it answers again: that it takes a connection is not enough, as one
  /// that is going away takes one or two, and one that fails may take any number.
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

  /// - Parameters:
  ///   - path: the daemon's socket, to connect to again.
  ///   - connection: a connection to it, which belongs to the stream from now on.
  ///   - call: `Call.watch` or `Call.events`.
  ///   - goesOnByNumber: false: begin anew with the call after the daemon was away.
  ///   - deadline: for the call to be sent.
  /// - Throws: `ClientError`.
  public init(
    path: String, connection: Connection, call: Call, goesOnByNumber: Bool = true,
    deadline: Deadline = .never
  ) throws(ClientError) {
    self.path = path
    self.connection = connection
    self.call = call
    self.goesOnByNumber = goesOnByNumber
    stream = try connection.stream(call, deadline: deadline)
  }

  /// Waits for the next reply, while the daemon is away for up to a minute.
  ///
  /// - Throws: `ClientError.connectionLost`: it did not come back. `.refused(.eventsPruned)`: the ledger
  ///   does not go back to where it was lost.
  public mutating func next(deadline: Deadline = .never) throws(ClientError) -> Outcome {
    while true {
      do throws(ClientError) {
        let reply = try stream.next(deadline: deadline)
        absence = nil
        guard let reply else { return .ended }
        note(reply)
        return .reply(reply)
      } catch {
        switch error {
        case .timedOut: return .timedOut
        case .connectionLost, .daemonUnreachable:
          guard try reconnect(deadline: deadline) else { return .timedOut }
        case .refused(.invalidParameter("after")) where lastSeq ?? 0 > 0:
          try beginAnew(deadline: deadline)
        case .anotherUsersDaemon, .protocolViolation, .refused: throw error
        }
      }
    }
  }

  private mutating func note(_ reply: JSONValue) {
    // An event has a number, and so has the word that all there is has been told.
    if let seq = reply["event"]?["seq"]?.integerValue ?? reply["seq"]?.integerValue {
      lastSeq = seq
    }
  }

  /// The ledger that the number was of is gone, and another was begun: all that is in it is news.
  private mutating func beginAnew(deadline: Deadline) throws(ClientError) {
    lastSeq = 0
    stream = try connection.stream(continuation, deadline: deadline)
  }

  /// - Returns: false when the deadline has passed first.
  private mutating func reconnect(deadline: Deadline) throws(ClientError) -> Bool {
    if absence == nil { onAbsence() }
    var absence = absence ?? Absence()
    defer { self.absence = absence }
    let patience = Deadline.earlier(absence.giveUp, deadline)
    while true {
      absence.pause(until: patience)
      if deadline.hasPassed { return false }
      guard !absence.giveUp.hasPassed else { throw .connectionLost }
      do throws(ClientError) {
        connection = try Connection(path: path, deadline: patience)
        stream = try connection.stream(continuation, deadline: patience)
        reconnections += 1
        return true
      } catch {
        // It is still away.
      }
    }
  }

  private var continuation: Call {
    guard goesOnByNumber, let lastSeq, case .object(let members) = call.parameters else {
      return call
    }
    let others = members.filter { $0.key != "after" }
    return Call(
      method: call.method, parameters: .object(others + [.init("after", .integer(lastSeq))]))
  }
}
