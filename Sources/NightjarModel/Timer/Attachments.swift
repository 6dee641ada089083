/// A pair of strings on a timer.
public struct Label: Hashable, Sendable {
  /// The key; keys of one timer differ.
  public var key: String
  /// The value.
  public var value: String

  /// Makes a label.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// What its owner attached to a timer.
public struct Attachments: Equatable, Sendable {
  /// In the order in which they were given.
  public var labels: [Label]
  /// A JSON object as its owner wrote it; empty for none.
  public var data: [UInt8]
  /// What it does to be heard; nil: nothing of its own.
  public var ring: SealedRing?
  /// What people are to be told when it rings; empty for nothing.
  public var message: String

  /// Makes attachments; none unless given.
  public init(
    labels: [Label] = [], data: [UInt8] = [], ring: SealedRing? = nil, message: String = ""
  ) {
    self.labels = labels
    self.data = data
    self.ring = ring
    self.message = message
  }

  /// Whether nothing is attached.
  public var isEmpty: Bool { labels.isEmpty && data.isEmpty && ring == nil && message.isEmpty }
}
