extension ConfigTable {
  /// The key `snooze` of the table `[daemon]`: the default length of a snooze, in microseconds;
  /// nil: the key is missing.
  ///
  /// - Throws: the mistake in the value, with its position.
  package mutating func snoozeUsec() throws(ConfigError) -> Int64? {
    try usec("snooze", from: 1_000_000)
  }
}
