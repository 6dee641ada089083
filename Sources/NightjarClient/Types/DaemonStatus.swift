extension DaemonStatus {
  /// logind's sleep signals reach the daemon.
  public var isSleepSeen: Bool { sleep.isSeen }
  /// A delay inhibitor is held.
  public var hasSleepInhibitor: Bool { sleep.hasInhibitor }
  /// Why sleep is not seen.
  public var sleepReason: String? { sleep.reason }
  /// The machine is kept from sleeping, for a timer woke it that nobody has seen yet.
  public var isKeptAwake: Bool { sleep.isKeptAwake }
}

extension DaemonStatus.Loss {
  /// The numbers of the events that are missing; nil: none is known to be.
  public var missing: ClosedRange<Int64>? {
    guard let firstSeq, let lastSeq, firstSeq <= lastSeq else { return nil }
    return firstSeq...lastSeq
  }
}
