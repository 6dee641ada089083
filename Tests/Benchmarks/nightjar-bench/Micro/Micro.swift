/// A hot path on its own: `count` operations in a row, in this process, without sockets and without
/// a disk. `make bench-check` counts the instructions.
struct Micro: Sendable {
  /// The name in the file of thresholds.
  let name: String
  /// What one operation is, in words.
  let work: String
  /// How many operations a round has.
  let count: Int
  /// The name of a path with fewer timers, which this one must not exceed in cost: the cost must
  /// not grow with the number of timers.
  var flatBeside: String?
  /// Prepares `count` operations.
  ///
  /// - Returns: the part that is measured, which runs these operations once.
  let prepare: @Sendable (_ count: Int) -> () -> Void

  /// All hot paths, in the order in which they are shown.
  static let all = queue + answering + ledger + spans
}
