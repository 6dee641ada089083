/// A hot path by itself: so many operations in a row, in this process, without sockets and without
/// a disk. `make bench` takes their time, `make bench-check` counts their instructions.
struct Micro: Sendable {
  /// The name by which it has a threshold.
  let name: String
  /// What one operation is, in words.
  let work: String
  /// How many operations a round is.
  let count: Int
  /// The name of another that is to cost as much as this: the cost does not grow with what is
  /// there.
  var flatBeside: String?
  /// Gets ready, with so many operations to come.
  ///
  /// - Returns: what is measured: those operations, once.
  let prepare: @Sendable (_ count: Int) -> () -> Void

  /// All there are, in the order in which they are shown.
  static let all = queue + wire + answering + ledger + names + spans
}
