package import Varlink

/// A part of a timer's run with a name, by the remaining time; the type `Band` of the interface.
public struct Band: Equatable, Sendable, ReadableStructure, WritableValue {
  /// The progress at the beginning and at the end of a band, from 0 to 1.
  public struct Progress: Equatable, Sendable, ReadableStructure, WritableValue {
    /// The progress at the beginning of the band.
    public var from: Double
    /// The progress at the end of the band. It may be less than `from`.
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

  /// The name of the band.
  public var name: String
  /// The remaining time at which the band begins.
  public var remaining: Duration
  /// A colour for the band, for clients that draw it.
  public var color: String?
  /// A text for the band, for clients that show it.
  public var text: String?
  /// The progress in the band; nil: the progress is the same as without bands.
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
