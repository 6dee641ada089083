import NightjarWire

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

  /// What becomes of it if it expires in the background.
  public var late: NewTimer.Late {
    if let fireWithinUsec { return .fireWithin(.microseconds(fireWithinUsec)) }
    return lateWord == TimersInterface.Late.skip.rawValue ? .skip : .fire
  }
}
