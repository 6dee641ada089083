package import NightjarConfig
internal import NightjarModel

/// The configurable settings of popups and sounds, with their built-in values.
package struct DesktopSettings: Equatable {
  /// Whether rings are shown as popups.
  package var notifies = true
  /// The sound of a ring whose timer specifies none.
  package var sound = RingSound.usual
  /// The duration, loudness and repetition of rings whose timers do not specify these.
  package var rings = RingSettings()
  /// How long the snooze button postpones a ring, in microseconds. The command line reads the same
  /// key.
  package var snoozeUsec = Limits.usualSnoozeUsec

  package init() {}

  /// Reads `notify`, `sound`, `snooze` and the keys of `RingSettings`. A missing key changes
  /// nothing.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let notifies = try table.boolean("notify") { self.notifies = notifies }
    if let node = table.node("sound") { sound = try RingSound.read(node, of: table) }
    try rings.read(&table)
    if let usec = try table.snoozeUsec() { snoozeUsec = usec }
  }
}
