@testable import NightjarTime

/// Points in time: what is read can be shown, and what is shown is read as the same.
enum TimestampTarget {
  /// The end of the year 9999, with which four digits end.
  private static let readableUsec: Range<Int64> = 0..<253_402_300_800_000_000

  static func run(_ input: Input) {
    var input = input
    let local = input.choose(from: Zones.all)
    let now = input.choose(from: Zones.instants)
    let text = input.text
    switch read(text, now: now, local: local) {
    case .failure(let error): Refusal.check(error, of: text)
    case .success(let timestamp):
      let usec = timestamp.usec
      if timestamp.isTimeOfDay, readableUsec.contains(now) {
        let days = (usec - now).magnitude / UInt64(CivilTime.dayUsec)
        require(days < 2, "'\(text)' is a time of today, \(days) days from now")
      }
      let words = local.text(usec: usec)
      let rfc3339 = CivilTime.rfc3339(utcUsec: usec)
      guard readableUsec.contains(usec) else { return }
      require(read(rfc3339, now: now, local: local).value?.usec == usec, "\(usec) is \(rfc3339)")
      guard isReadable(local.setting(atUsec: usec), in: local),
        local.civil(atUsec: usec).utcUsec < readableUsec.upperBound
      else { return }
      let again = read(words, now: now, local: local)
      require(again.value?.usec == usec, "\(usec) is '\(words)', which is \(again)")
    }
  }

  /// Whether the zone's word for it can be written.
  private static func isReadable(_ setting: ZoneRules.Setting, in zone: ZoneRules) -> Bool {
    zone.presentSettings.contains(setting) && setting.abbreviation.utf8.first.map(isLetter) == true
  }

  private static func read(
    _ text: String, now: Int64, local: ZoneRules
  ) -> Result<Timestamp, TimeError> {
    outcome { () throws(TimeError) in
      try Timestamp(text, now: now, local: local, zone: Zones.named)
    }
  }
}
