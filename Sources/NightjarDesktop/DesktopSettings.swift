/// What of the desktop is configured.
package struct DesktopSettings {
  /// Whether a ring is shown.
  var notifies: Bool
  /// What is heard of a ring, where its timer does not say.
  var sound: RingSound
  /// How long a ring is put off by its button, in microseconds.
  var snoozeUsec: Int64
  /// How rings go on, where their timers do not say.
  var rings: RingSettings

  package init(notifies: Bool, sound: RingSound, snoozeUsec: Int64, rings: RingSettings) {
    self.notifies = notifies
    self.sound = sound
    self.rings = rings
    self.snoozeUsec = snoozeUsec
  }
}
