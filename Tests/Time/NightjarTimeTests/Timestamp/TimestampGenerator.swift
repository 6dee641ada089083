import NightjarTestSupport

/// Generates points in time: mostly valid, often nearly valid, sometimes nonsense.
struct TimestampGenerator {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  private static let words = [
    "now", "today", "yesterday", "tomorrow", "+1h", "-1h", "+3h30min", "5min ago", "2h left",
    "1 week ago", "@1395716396", "@0", "@1.5", "today UTC", "tomorrow UTC", "Today", "noon",
    "tomorrow 9:00", "yesterday 17:30", "today 6pm", "now UTC", "+", "@", "ago", "1h ago UTC",
  ]
  private static let days = [
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Monday", "sunday", "Mo",
  ]
  private static let zones = ["UTC", "utc", "CET", "CEST", "EST", "Asia/Tokyo", "Europe/Nowhere"]
  private static let noise = Array("0123456789.,:+-@ MonTueUTCagoleft")

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func text() -> String {
    switch Int.random(in: 0..<30, using: &random) {
    case 0, 1: return Self.words.pick(&random)
    case 2:
      return String(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in Self.noise.pick(&random) })
    default: break
    }
    var parts: [String] = []
    let hasDate = chance(5) ? false : true
    if chance(4) { parts.append(Self.days.pick(&random, rareLast: 1)) }
    if hasDate { parts.append(date()) }
    if !hasDate || !chance(4) { parts.append(time()) }
    if chance(5) { parts.append(Self.zones.pick(&random, rareLast: 2)) }
    let text = parts.joined(separator: chance(40) ? "  " : " ")
    return chance(14) ? text.mutated(with: Self.noise, &random) : text
  }

  private mutating func date() -> String {
    // Changes of clocks, a leap day and ends of years are more frequent than others.
    if chance(3) {
      return [
        "2026-03-29", "2026-10-25", "2027-03-14", "2026-11-01", "2024-02-29", "2026-12-31",
        "1970-01-01",
        "2026-04-05", "2026-10-04",
      ].pick(&random)
    }
    let year =
      chance(4)
      ? Int.random(in: 0...99, using: &random) : Int.random(in: 1969...2105, using: &random)
    let month = Int.random(in: chance(20) ? 0...13 : 1...12, using: &random)
    let day = Int.random(in: chance(20) ? 0...32 : 1...31, using: &random)
    return "\(padded(year))-\(padded(month))-\(padded(day))"
  }

  private mutating func time() -> String {
    let hour = Int.random(in: chance(20) ? 23...25 : chance(2) ? 0...3 : 0...23, using: &random)
    let minute = Int.random(in: chance(30) ? 59...61 : 0...59, using: &random)
    var text = "\(padded(hour)):\(padded(minute))"
    if chance(2) {
      text += ":" + padded(Int.random(in: chance(15) ? 59...62 : 0...59, using: &random))
    }
    if chance(8) { text += ".\(Int.random(in: 0...9_999_999, using: &random))" }
    return chance(25) ? text + ["am", "pm", " pm"].pick(&random) : text
  }

  private mutating func padded(_ value: Int) -> String {
    value < 10 && chance(2) ? "0\(value)" : "\(value)"
  }
}
