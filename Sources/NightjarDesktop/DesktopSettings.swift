package import NightjarConfig
internal import NightjarModel

/// What of the desktop can be configured. What is not said is built in.
package struct DesktopSettings: Equatable {
  /// Whether a ring is shown.
  package var notifies = true
  /// What is heard of a ring, where its timer does not say.
  package var sound = RingSound.usual
  /// How rings go on, where their timers do not say.
  package var rings = RingSettings()
  /// How long a ring is put off by its button, in microseconds. The command line reads the same key.
  package var snoozeUsec = Limits.usualSnoozeUsec

  package init() {}

  /// Reads `notify`, `sound`, `snooze` and the keys of `RingSettings`. A key that is not there changes nothing.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let notifies = try table.boolean("notify") { self.notifies = notifies }
    if let node = table.node("sound") { sound = try RingSound.read(node, of: table) }
    try rings.read(&table)
    if let usec = try table.snoozeUsec() { snoozeUsec = usec }
  }
}
