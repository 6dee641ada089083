extension DaemonStatus {
  /// Whether logind's signals about sleep reach the daemon.
  public var isSleepSeen: Bool { sleep.isSeen }
  /// Whether the daemon holds a delay inhibitor.
  public var hasSleepInhibitor: Bool { sleep.hasInhibitor }
  /// Why the signals about sleep do not reach the daemon, or why it holds no inhibitor.
  public var sleepReason: String? { sleep.reason }
  /// Whether the daemon holds no delay inhibitor because polkit does not allow one.
  public var isSleepInhibitorDenied: Bool { sleep.isDenied }
  /// Whether the daemon keeps the machine awake, because a timer woke the machine and the user has
  /// not reacted to that timer yet.
  public var isKeptAwake: Bool { sleep.isKeptAwake }
}

extension DaemonStatus.Loss {
  /// The numbers of the events that are missing; nil if no number is known.
  public var missing: ClosedRange<Int64>? {
    guard let firstSeq, let lastSeq, firstSeq <= lastSeq else { return nil }
    return firstSeq...lastSeq
  }
}
