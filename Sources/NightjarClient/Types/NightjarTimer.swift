import NightjarInterface
import NightjarVarlink

extension NightjarTimer {
  /// One label.
  public struct Label: Equatable, Sendable {
    /// The name.
    public let key: String
    /// The value.
    public let value: String

    /// - Parameters:
    ///   - key: the name.
    ///   - value: the value.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// What happens if it expires in the background; nil if a newer daemon has a policy that this
  /// library does not know.
  public var late: NewTimer.Late? {
    if let fireWithinUsec { return .fireWithin(.microseconds(fireWithinUsec)) }
    guard let lateWord else { return .fire }
    switch TimersInterface.Late(rawValue: lateWord) {
    case .fire: return .fire
    case .skip: return .skip
    case nil: return nil
    }
  }
}
