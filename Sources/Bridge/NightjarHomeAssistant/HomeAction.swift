internal import NightjarModel
package import Varlink

/// An action of a button of Home Assistant on a timer. The raw values are the words of Home
/// Assistant's timers.
public enum HomeAction: String, CaseIterable, Sendable {
  case pause
  case unpause
  case cancel
  /// The timer rings at once.
  case finish
  case addTime = "add_time"
  case subtractTime = "subtract_time"
  case dismiss
  case snooze

  var operation: Operation {
    switch self {
    case .pause: .pause
    case .unpause: .resume
    case .cancel: .cancel
    case .finish, .addTime, .subtractTime: .extend
    case .dismiss: .dismiss
    case .snooze: .snooze
    }
  }
}

/// A press of a button, as Home Assistant publishes it: `{"action": "add_time", "timer": "oven",
/// "duration": 300}`.
public struct HomeCommand: Equatable, Sendable {
  /// The default time that buttons add, and the default length of a snooze, in seconds.
  public static let usualSeconds: Int64 = 300

  public let action: HomeAction
  /// The name of the timer; nil: the timer that `HomeState.meant` returns.
  public let timer: String?
  /// The time to add, or the length of the snooze, in seconds.
  public let seconds: Int64

  /// - Returns: nil if the payload is not such a command.
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload),
      let action = json["action"]?.stringValue.flatMap(HomeAction.init(rawValue:))
    else { return nil }
    let seconds = json["duration"].map { $0.integerValue } ?? Self.usualSeconds
    guard let seconds, (1...Limits.durationUsec / 1_000_000).contains(seconds) else { return nil }
    if let timer = json["timer"], timer.stringValue == nil { return nil }
    self.action = action
    self.seconds = seconds
    timer = json["timer"]?.stringValue
  }

  /// The call to the daemon for this command: the name of a method of org.nightjar.Timers, and its
  /// parameters.
  package func call(on name: String) -> (method: String, parameters: JSONValue) {
    func by(_ usec: Int64) -> JSONValue { ["name": .string(name), "by_usec": .integer(usec)] }
    let usec = seconds * 1_000_000
    return switch action {
    case .pause: ("Pause", ["name": .string(name)])
    case .unpause: ("Resume", ["name": .string(name)])
    case .cancel: ("Cancel", ["name": .string(name)])
    case .dismiss: ("Dismiss", ["name": .string(name)])
    // A timer rings when it is shortened by more than its remaining time.
    case .finish: ("Extend", by(-Limits.durationUsec))
    case .addTime: ("Extend", by(usec))
    case .subtractTime: ("Extend", by(-usec))
    case .snooze: ("Snooze", by(usec))
    }
  }
}
