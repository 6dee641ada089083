package import NightjarConfig
internal import NightjarModel

/// The configurable settings of popups and sounds, with their built-in values.
package struct DesktopSettings: Equatable {
  /// Whether rings and failed commands are shown as popups.
  package var notifies = true
  /// The sound of a ring whose timer specifies none.
  package var sound = RingSound.usual
  /// How long, how loud and how often a ring sounds if its timer does not specify this.
  package var rings = RingSettings()
  /// How long the snooze button postpones a ring, in microseconds. The command line reads the same
  /// key.
  package var snoozeUsec = Limits.usualSnoozeUsec

  package init() {}

  /// Reads `notify`, `sound`, `snooze` and the keys of `RingSettings` from a table. If a key is
  /// missing, its property does not change.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let notifies = try table.boolean("notify") { self.notifies = notifies }
    if let node = table.node("sound") { sound = try RingSound.read(node, of: table) }
    try rings.read(&table)
    if let usec = try table.snoozeUsec() { snoozeUsec = usec }
  }
}
