internal import NightjarModel
package import NightjarVarlink

/// What a button of Home Assistant does to a timer. The words are those of Home Assistant's timers.
public enum HomeAction: String, CaseIterable, Sendable {
  case pause
  case unpause
  case cancel
  /// The timer rings now.
  case finish
  case addTime = "add_time"
  case subtractTime = "subtract_time"
  case dismiss
  case snooze

  /// The operation of the daemon for this action.
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

/// The press of a button: `{"action": "add_time", "timer": "oven", "duration": 300}`.
public struct HomeCommand: Equatable, Sendable {
  /// The default time that buttons add, and the default length of a snooze, in seconds.
  public static let usualSeconds: Int64 = 300

  /// The action.
  public let action: HomeAction
  /// The timer; nil: the one that `HomeState.meant` returns.
  public let timer: String?
  /// The duration, in seconds.
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

  /// The call for this command: the name of a method of org.nightjar.Timers, and its parameters.
  ///
  /// - Parameter name: the timer.
  package func call(on name: String) -> (method: String, parameters: JSONValue) {
    func by(_ usec: Int64) -> JSONValue {
      .object([.init("name", .string(name)), .init("by_usec", .integer(usec))])
    }
    let usec = seconds * 1_000_000
    return switch action {
    case .pause: ("Pause", .object([.init("name", .string(name))]))
    case .unpause: ("Resume", .object([.init("name", .string(name))]))
    case .cancel: ("Cancel", .object([.init("name", .string(name))]))
    case .dismiss: ("Dismiss", .object([.init("name", .string(name))]))
    // A timer that is shortened past its end rings.
    case .finish: ("Extend", by(-Limits.durationUsec))
    case .addTime: ("Extend", by(usec))
    case .subtractTime: ("Extend", by(-usec))
    case .snooze: ("Snooze", by(usec))
    }
  }
}
