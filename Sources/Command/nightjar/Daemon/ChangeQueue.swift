import NightjarClient
import NightjarInterface
import Varlink

/// Makes changes to the timers of another machine. If that machine is away, a change waits for it.
///
/// The change waits in this command, not at the broker. This command sends the same call with the
/// same id each time the machine is online. The machine remembers an id for a day, so it makes the
/// change only once.
final class ChangeQueue {
  /// How long the machine may take to answer before the command prints that it waits, in
  /// microseconds.
  private static let soonUsec: Int64 = 1_000_000

  private let device: String
  /// The machine's socket, and the bridge's own.
  private let path: String
  private let bridgePath: String
  /// The connection to the machine's socket; nil: it was lost.
  private var connection: Connection?
  private var hasReported = false
  private var hasReportedInDoubt = false
  private var hasReportedLate = false

  init(device: String, path: String, bridgePath: String, connection: Connection) {
    (self.device, self.path, self.bridgePath) = (device, path, bridgePath)
    self.connection = connection
  }

  /// Makes a change, as soon as the machine is online.
  ///
  /// - Throws: `CommandError`: the bridge ended and was not started again in time, or its reply
  ///   cannot be read.
  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, TimersError> {
    let call = call.with(ChangeOptions(request: Self.newID()))
    // The pause before the next attempt, if a machine that is online does not answer. The pauses
    // get longer.
    var haste = RetrySchedule(isBounded: false)
    var isInDoubt = false
    while true {
      if let answer = try send(call) {
        guard case .failure(.ownerAway(_, let state, let sinceUsec, let inDoubt)) = answer else {
          return answer
        }
        isInDoubt = isInDoubt || inDoubt
        // If the machine is silent, `sayLate` has already reported that.
        if !hasReportedLate || Wire.AwayState(rawValue: state) != .silent {
          say(CommandError.away(device, state, sinceUsec: sinceUsec), isInDoubt: isInDoubt)
        }
      } else {
        isInDoubt = true
        say("nightjar-mqtt went away", isInDoubt: true)
      }
      try awaitMachine(isInDoubt: isInDoubt)
      _ = haste.pause()
    }
  }

  /// - Returns: the answer; nil: the connection was lost, before or after the machine made the
  ///   change.
  private func send(
    _ call: Call
  ) throws(CommandError) -> Result<JSONValue, TimersError>? {
    do throws(ClientError) {
      if connection == nil { connection = try Connection(path: path) }
      // Without a deadline, because the bridge answers within ten seconds, unless a signal has
      // stopped it.
      return try connection?.answer(to: call, soon: .after(usec: Self.soonUsec)) { sayLate() }
    } catch {
      connection = nil
      guard Self.isAbsence(error) else { throw CommandError(explaining: error) }
      return nil
    }
  }

  /// Waits until the bridge reports the machine as online.
  private func awaitMachine(isInDoubt: Bool) throws(CommandError) {
    let call = Call(
      method: "\(BridgeInterface.name).Await", parameters: ["device": .string(device)])
    var absence = RetrySchedule(isBounded: true)
    while absence.pause() {
      let soon = Deadline.after(usec: 1_000_000)
      do throws(ClientError) {
        _ = try Connection(path: bridgePath).call(call)
        return
      } catch {
        guard Self.isAbsence(error) else { throw CommandError(explaining: error) }
        say("nightjar-mqtt went away", isInDoubt: isInDoubt)
        // This call took at least a second, so the bridge was running. The wait for it begins anew.
        if soon.hasPassed { absence = RetrySchedule(isBounded: true) }
      }
    }
    let outcome =
      isInDoubt
      ? "it is not known whether the change was made: check with nightjar @\(device) list"
      : "nothing was changed"
    throw CommandError(.noDaemon, "nightjar-mqtt did not come back within a minute; \(outcome)")
  }

  private static func isAbsence(_ error: ClientError) -> Bool {
    switch error {
    case .daemonUnreachable, .connectionLost, .timedOut: true
    case .anotherUsersDaemon, .protocolViolation, .cancelled, .refused: false
    }
  }

  /// Prints why the command waits. It does so once, and once more when it becomes unknown whether
  /// the change was made.
  private func say(_ reason: String, isInDoubt: Bool) {
    guard !hasReported || isInDoubt && !hasReportedInDoubt else { return }
    hasReported = true
    hasReportedInDoubt = hasReportedInDoubt || isInDoubt
    Self.say(reason, isInDoubt: isInDoubt)
  }

  /// Prints that the machine has not answered. It does so only once.
  private func sayLate() {
    guard !hasReportedLate else { return }
    hasReportedLate = true
    Self.say("\(device) has not answered yet", isInDoubt: true)
  }

  private static func say(_ reason: String, isInDoubt: Bool = false) {
    let end = isInDoubt ? "the change may be made also after Ctrl-C" : "Ctrl-C gives it up"
    Output.complain("\(reason); the command waits for it (\(end))")
  }

  /// A function that prints why a command waits, whenever the reason changes.
  static func sayOnce() -> (_ reason: String) -> Void {
    var last: String?
    return { reason in
      if reason != last { say(reason) }
      last = reason
    }
  }

  /// Waits up to a minute for a bridge that does not run, because it may be restarting.
  ///
  /// - Throws: `CommandError`: the bridge did not start.
  static func awaitBridge() throws(CommandError) {
    var absence = RetrySchedule(isBounded: true)
    let say = sayOnce()
    while absence.pause() {
      guard try BridgeSession.openIfRunning() == nil else { return }
      say("nightjar-mqtt does not run")
    }
    throw BridgeSession.notRunning
  }

  private static func newID() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
  }
}
