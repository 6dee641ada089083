package import NightjarVarlink

/// A named range of the remaining time; the type `Band` of the interface.
public struct Band: Equatable, Sendable, ReadableStructure, WritableValue {
  /// The range of progress in a band, from 0 to 1.
  public struct Progress: Equatable, Sendable, ReadableStructure, WritableValue {
    /// Where it begins.
    public var from: Double
    /// Where it ends; may be below `from`.
    public var to: Double

    /// Makes a range.
    public init(from: Double, to: Double) {
      self.from = from
      self.to = to
    }

    init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "progress")
      from = try fields.value("from")
      to = try fields.value("to")
    }

    package var json: JSONValue {
      var fields = WrittenFields()
      fields.add("from", from)
      fields.add("to", to)
      return fields.json
    }
  }

  /// Its name.
  public var name: String
  /// The remaining time at which it begins.
  public var remaining: Duration
  /// A colour for clients that draw it.
  public var color: String?
  /// A text for clients that show it.
  public var text: String?
  /// The range of progress in the band; nil: the progress is the same as without bands.
  public var progress: Progress?

  /// Creates a band.
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

  /// Reads a band from a message of the daemon.
  ///
  /// - Parameter json: an object of the interface's type `Band`.
  /// - Throws: `ClientError.protocolViolation` if a required member is missing.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "band")
    name = try fields.value("name")
    remaining = .microseconds(try fields.value("remaining_usec") as Int64)
    color = try fields.optional("color")
    text = try fields.optional("text")
    progress = try fields.optional("progress")
  }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("remaining_usec", remaining.usec)
    fields.add("color", color)
    fields.add("text", text)
    fields.add("progress", progress)
    return fields.json
  }
}
