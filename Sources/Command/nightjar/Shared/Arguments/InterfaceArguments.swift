public import ArgumentParser
import NightjarClient
public import NightjarInterface
public import Varlink

/// The words of the interface that are values of options. The help of an option lists the words
/// with their descriptions, and shells complete them.
extension WireWord where Self: ExpressibleByArgument {
  /// The word; nil: the interface has no such word.
  public init?(argument: String) {
    self.init(rawValue: argument)
    guard isKnown else { return nil }
  }

  public static var allValueStrings: [String] { allCases.map(\.rawValue) }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A state of timers, or of their rings.
struct ListedState: ExpressibleByArgument {
  let state: Wire.State?
  let ringing: Wire.Ringing?

  static var allValueStrings: [String] {
    Wire.State.allCases.map(\.rawValue) + Wire.Ringing.allCases.map(\.rawValue)
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  init?(argument: String) {
    state = Wire.State(argument: argument)
    ringing = Wire.Ringing(argument: argument)
    if state == nil, ringing == nil { return nil }
  }
}

extension Wire.Kind: ExpressibleByArgument {}
extension Wire.State: ExpressibleByArgument {}
extension Wire.Ringing: ExpressibleByArgument {}

extension Wire.AfterSpan: ExpressibleByArgument {
  public var defaultValueDescription: String {
    switch self {
    case .continue: "continue on its clock"
    case .pause: "pause with the remaining time"
    case .restart: "start the step again"
    case .break: "count it as the break"
    default: rawValue
    }
  }
}
