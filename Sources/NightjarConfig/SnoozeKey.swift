extension ConfigTable {
  /// The key `snooze` of the table `[daemon]`: how long a snooze is for which no time span is given, in
  /// microseconds; nil: it is not there.
  ///
  /// - Throws: what is wrong with the value, and where it stands.
  package mutating func snoozeUsec() throws(ConfigError) -> Int64? {
    try usec("snooze", from: 1_000_000)
  }
}
