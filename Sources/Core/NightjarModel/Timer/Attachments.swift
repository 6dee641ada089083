/// A pair of strings that a client attaches to a timer.
public struct Label: Hashable, Sendable {
  /// The key; a timer has each key at most once.
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// The labels, data, ring and message that clients attach to a timer. The initialiser has no
/// default values, for the same reason as that of `TimerSpec`.
public struct Attachments: Equatable, Sendable {
  /// In the order in which the client gave them.
  public var labels: [Label]
  /// A JSON object as the client wrote it; empty: none.
  public var data: [UInt8]
  /// The timer's own command and sound; nil: it has none.
  public var ring: EncodedRing?
  /// A text that people see when the timer rings; empty: none.
  public var message: String

  /// Makes attachments. `TimerSpec.problem` checks them.
  public init(labels: [Label], data: [UInt8], ring: EncodedRing?, message: String) {
    self.labels = labels
    self.data = data
    self.ring = ring
    self.message = message
  }

  public static var none: Attachments {
    Attachments(labels: [], data: [], ring: nil, message: "")
  }

  public var isEmpty: Bool { self == .none }
}

// MARK: - Checks

extension SpecProblem.Part {
  public static let labels = Self("labels")
  public static let data = Self("data")
  public static let message = Self("message")
}

extension Attachments {
  /// Throws the first problem of these attachments. O(labels + bytes of data).
  func check() throws(SpecProblem) {
    try checkLabels()
    try checkData()
    try checkMessage()
  }

  private func checkLabels() throws(SpecProblem) {
    guard labels.count <= Limits.labels else {
      throw SpecProblem(
        .labels, over: "labels", Limits.labels, "a timer has at most \(Limits.labels) labels")
    }
    for (index, label) in labels.enumerated() {
      guard (1...Limits.labelKeyBytes).contains(label.key.utf8.count) else {
        throw SpecProblem(
          .labels, over: "label_key_bytes", Limits.labelKeyBytes,
          "a label's key has 1 to \(Limits.labelKeyBytes) bytes", at: index)
      }
      guard label.value.utf8.count <= Limits.labelValueBytes else {
        throw SpecProblem(
          .labels, over: "label_value_bytes", Limits.labelValueBytes,
          "a label's value has at most \(Limits.labelValueBytes) bytes", at: index)
      }
    }
  }

  private func checkData() throws(SpecProblem) {
    guard data.count <= Limits.dataBytes else {
      throw SpecProblem(
        .data, over: "data_bytes", Limits.dataBytes,
        "a timer's data has at most \(Limits.dataBytes) bytes")
    }
    guard dataDepth <= Limits.dataDepth else {
      throw SpecProblem(
        .data, over: "data_depth", Limits.dataDepth,
        "a timer's data has at most \(Limits.dataDepth) objects and arrays inside one another")
    }
  }

  private func checkMessage() throws(SpecProblem) {
    guard !message.isEmpty else { return }
    guard message.utf8.count <= Limits.messageBytes else {
      throw SpecProblem(
        .message, over: "message_bytes", Limits.messageBytes,
        "a timer's message has at most \(Limits.messageBytes) bytes")
    }
    guard !SpecProblem.hasControls(message) else {
      throw SpecProblem(
        .message, "a timer's message is one line, without control characters")
    }
  }

  /// How deep objects and arrays nest in `data`, which is valid JSON.
  private var dataDepth: Int {
    var (depth, deepest) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in data {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }
}
