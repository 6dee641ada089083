extension DaemonStatus {
  /// logind's sleep signals reach the daemon.
  public var isSleepSeen: Bool { sleep.isSeen }
  /// A delay inhibitor is held.
  public var hasSleepInhibitor: Bool { sleep.hasInhibitor }
  /// Why sleep is not seen.
  public var sleepReason: String? { sleep.reason }
  /// The daemon keeps the machine awake: a timer woke the machine, and the user has not reacted to
  /// that timer yet.
  public var isKeptAwake: Bool { sleep.isKeptAwake }
}

extension DaemonStatus.Loss {
  /// The numbers of the missing events; nil if none is known.
  public var missing: ClosedRange<Int64>? {
    guard let firstSeq, let lastSeq, firstSeq <= lastSeq else { return nil }
    return firstSeq...lastSeq
  }
}
