package import NightjarWire

/// A named stretch of what remains; the type `Band` of the interface.
public struct Band: Equatable, Sendable {
  /// From where to where progress goes, from 0 to 1.
  public struct Progress: Equatable, Sendable {
    /// Where it begins.
    public var from: Double
    /// Where it ends; may be below `from`.
    public var to: Double

    /// Makes a range.
    public init(from: Double, to: Double) {
      self.from = from
      self.to = to
    }
  }

  /// What it is called.
  public var name: String
  /// It begins when so much remains.
  public var remaining: Duration
  /// A colour for those who draw it.
  public var color: String?
  /// A text for those who show it.
  public var text: String?
  /// What progress goes through in it; nil: what the whole has.
  public var progress: Progress?

  /// Makes a band.
  public init(
    _ name: String, remaining: Duration, color: String? = nil, text: String? = nil,
    progress: Progress? = nil
  ) {
    self.name = name
    self.remaining = remaining
    self.color = color
    self.text = text
    self.progress = progress
  }

  /// Reads a band from what the daemon sent.
  ///
  /// - Parameter json: an object of the interface's type `Band`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "band")
    name = try fields.string("name")
    remaining = .microseconds(try fields.integer("remaining_usec"))
    color = try fields.optionalString("color")
    text = try fields.optionalString("text")
    if let json = fields["progress"] {
      let range = try Fields(json, of: "progress")
      progress = Progress(from: try range.double("from"), to: try range.double("to"))
    }
  }

  package var json: JSONValue {
    .members([
      ("name", .string(name)), ("remaining_usec", .integer(remaining.usec)),
      ("color", color.map(JSONValue.string)), ("text", text.map(JSONValue.string)),
      (
        "progress",
        progress.map { .members([("from", .double($0.from)), ("to", .double($0.to))]) }
      ),
    ])
  }
}
