import NightjarInterface
import Varlink

extension NightjarTimer {
  /// A label of a timer: a name and a value.
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

  /// What the timer does if it expired in a background span; nil if this library does not know the
  /// policy, because the daemon is newer.
  public var late: NewTimer.Late? {
    if let fireWithinUsec { return .fireWithin(.microseconds(fireWithinUsec)) }
    guard let lateWord else { return .fire }
    switch Wire.Late(rawValue: lateWord) {
    case .fire: return .fire
    case .skip: return .skip
    case .other: return nil
    }
  }
}
