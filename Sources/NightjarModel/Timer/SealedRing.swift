/// What a timer does to be heard, beside being told about: a command, a sound. The engine keeps it
/// with the timer and never looks into it; whoever acts on a ring knows what is inside.
///
/// It is written in one way only: what means the same has the same bytes, and timers with the same
/// ring share one.
public final class SealedRing: Hashable, Sendable {
  /// What everybody is told of it: a JSON object.
  public let told: [UInt8]
  /// What is for the one that acts on it alone: a JSON array, or empty.
  public let kept: [UInt8]
  /// Of both, worked out once: a ring is looked up for each timer that has it.
  private let contentHash: Int

  /// Makes a ring of what is inside. O(bytes).
  public init(told: [UInt8], kept: [UInt8] = []) {
    self.told = told
    self.kept = kept
    var hasher = Hasher()
    hasher.combine(told)
    hasher.combine(kept)
    contentHash = hasher.finalize()
  }

  /// Equal in what is inside.
  public static func == (left: SealedRing, right: SealedRing) -> Bool {
    left === right
      || left.contentHash == right.contentHash && left.told == right.told && left.kept == right.kept
  }

  /// O(1).
  public func hash(into hasher: inout Hasher) { hasher.combine(contentHash) }
}
