/// A timer's own command and sound, in addition to popups. The engine stores it with the timer.
/// Of its contents, it knows only how long the ring lasts.
///
/// The encoding is unique: rings with the same meaning have the same bytes.
public final class EncodedRing: Hashable, Sendable {
  /// The public part, which clients may see: a JSON object.
  public let publicJSON: [UInt8]
  /// How long the ring sounds, in microseconds; nil: as is usual. A part of `publicJSON`, which the
  /// engine does not read; so is `insistUsec`.
  public let forUsec: Int64?
  /// How long after its end an unanswered ring sounds again, in microseconds; nil: as is usual.
  public let insistUsec: Int64?
  /// The secret part, only for the code that plays the ring: a JSON array, or empty.
  public let secretJSON: [UInt8]
  /// The hash of both parts. Computed once, because a ring is looked up for each timer that has it.
  private let contentHash: Int

  /// Makes a ring of its two parts. O(bytes).
  public init(
    publicJSON: [UInt8], secretJSON: [UInt8] = [], forUsec: Int64? = nil, insistUsec: Int64? = nil
  ) {
    (self.forUsec, self.insistUsec) = (forUsec, insistUsec)
    self.publicJSON = publicJSON
    self.secretJSON = secretJSON
    var hasher = Hasher()
    hasher.combine(publicJSON)
    hasher.combine(secretJSON)
    contentHash = hasher.finalize()
  }

  public static func == (left: EncodedRing, right: EncodedRing) -> Bool {
    left === right
      || left.contentHash == right.contentHash && left.publicJSON == right.publicJSON
        && left.secretJSON == right.secretJSON
  }

  /// Uses the stored hash. O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }
}
