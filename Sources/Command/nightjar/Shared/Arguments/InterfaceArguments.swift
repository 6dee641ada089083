public import ArgumentParser
import NightjarClient
public import NightjarInterface

/// The words of the interface that are values of options. The help of an option lists the words
/// with their descriptions, and shells complete them.
extension TimersInterface.Clock: ExpressibleByArgument {
  var clock: NightjarTimer.Clock { NightjarTimer.Clock(rawValue: rawValue) }

  /// The description of a word in the help.
  public var defaultValueDescription: String {
    switch self {
    case .elapsed: "real time"
    case .awake: "without sleep"
    case .wall: "the calendar; not for a stopwatch"
    case .present: "without sleep, and only while the session is in use"
    }
  }
}

extension TimersInterface.State: ExpressibleByArgument {
  var state: NightjarTimer.State { NightjarTimer.State(rawValue: rawValue) }
}

/// A state with the word that `list` shows for it. `skipped` and `ringing` are such words; in the
/// interface these timers are also found by `fired`.
struct ListedState: ExpressibleByArgument {
  /// The word that `list` shows.
  let word: String
  /// The state with which the command asks the daemon.
  let state: NightjarTimer.State

  static var allValueStrings: [String] {
    TimersInterface.State.allCases.map(\.rawValue) + ["skipped", "ringing"]
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    word = argument
    state = TimersInterface.State(rawValue: argument)?.state ?? .fired
  }
}

extension TimersInterface.Kind: ExpressibleByArgument {
  var kind: NightjarTimer.Kind { NightjarTimer.Kind(rawValue: rawValue) }
}

extension TimersInterface.Missed: ExpressibleByArgument {
  var policy: MissedPolicy { MissedPolicy(rawValue: rawValue) }

  /// The description of a word in the help.
  public var defaultValueDescription: String {
    switch self {
    case .once: "ring once, and count the other expiries"
    case .each: "ring for each expiry"
    case .skip: "do not ring"
    }
  }
}

extension TimersInterface.AfterSleep: ExpressibleByArgument {
  var policy: AfterSleep { AfterSleep(rawValue: rawValue) }

  /// The description of a word in the help.
  public var defaultValueDescription: String {
    switch self {
    case .continue: "continue on its clock"
    case .pause: "pause with the remaining time"
    case .restart: "start the step again"
    }
  }
}
