import NightjarTestSupport

/// Generates calendar expressions: mostly valid, often nearly valid, sometimes nonsense.
struct CalendarGenerator {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  private static let words = [
    "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually",
    "semi-annually", "biannually", "bi-annually", "yearly", "annually", "anually", "Daily", "DAILY",
    "dayly", "never",
  ]
  private static let days = [
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "monday", "Tuesday", "WEDNESDAY", "Thurs",
    "fr",
  ]
  private static let zones = [
    "UTC", "utc", "CET", "CEST", "Europe/Berlin", "America/New_York", "Asia/Kolkata",
    "Australia/Lord_Howe", "Pacific/Apia", "Europe/Nowhere", "EST5EDT", "europe/berlin",
  ]
  private static let noise = Array("0123456789.,:+-~*/@ MonTueUTC")

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func expression() -> String {
    switch Int.random(in: 0..<60, using: &random) {
    case 0: return Self.words.pick(&random) + (chance(3) ? " " + Self.zones.pick(&random) : "")
    case 1:
      return "@" + ["0", "-1", "1800000000", "7258118399", "7258118400", "1.5", ""].pick(&random)
    case 2...4:
      return String(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in Self.noise.pick(&random) })
    default: break
    }
    var parts: [String] = []
    if chance(3) { parts.append(weekdays()) }
    if chance(2) { parts.append(date()) }
    if !chance(4) || parts.isEmpty { parts.append(time()) }
    if chance(5) { parts.append(Self.zones.pick(&random)) }
    let text = parts.joined(separator: chance(40) ? "  " : " ")
    return chance(12) ? text.mutated(with: Self.noise, &random) : text
  }

  private mutating func weekdays() -> String {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let day = Self.days.pick(&random, rareLast: 2)
      return chance(3)
        ? day + ["..", "-"].pick(&random) + Self.days.pick(&random, rareLast: 2) : day
    }.joined(separator: ",") + (chance(12) ? "," : "")
  }

  private mutating func date() -> String {
    let month = field(1...12)
    let separator = chance(4) ? "~" : "-"
    let day = separator == "~" && !chance(4) ? field(1...9) : field(1...31)
    guard chance(2) else { return "\(month)\(separator)\(day)" }
    let year = chance(2) ? "*" : chance(4) ? field(70...99) : field(2024...2033)
    return "\(year)-\(month)\(separator)\(day)"
  }

  private mutating func time() -> String {
    // Hours in which clocks are changed, and every hour, are more frequent than others.
    let hour = chance(4) ? "*" : chance(3) ? field(0...3) : field(0...23)
    let text = "\(hour):\(field(0...59))"
    guard chance(3) else { return text }
    let second = field(0...59)
    return
      "\(text):\(second)\(chance(5) ? ".\(Int.random(in: 0...9_999_999, using: &random))" : "")"
  }

  private mutating func field(_ range: ClosedRange<Int>) -> String {
    if chance(3) { return "*" }
    return (0..<(chance(4) ? Int.random(in: 2...3, using: &random) : 1)).map { _ in component(range)
    }.joined(separator: ",")
  }

  private mutating func component(_ range: ClosedRange<Int>) -> String {
    func value(_ self: inout Self) -> String {
      let value = Int.random(in: range, using: &self.random)
      let text = self.chance(40) ? "\(range.upperBound + 1)" : "\(value)"
      return self.chance(3) && text.count == 1 ? "0\(text)" : text
    }
    var text = value(&self)
    if chance(5) { text += "..\(value(&self))" }
    if chance(5) {
      let longest = max(2, (range.upperBound - range.lowerBound) / 2)
      text += "/\(chance(20) ? 0 : Int.random(in: 1...longest, using: &random))"
    }
    return text
  }
}
