import NightjarTestSupport

/// Generates time spans: mostly valid, often nearly valid, sometimes nonsense.
struct SpanGenerator {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  private static let units = [
    "us", "usec", "µs", "μs", "ms", "msec", "s", "sec", "second", "seconds", "m", "min", "minute",
    "minutes", "h", "hr", "hour", "hours", "d", "day", "days", "w", "week", "weeks", "M", "month",
    "months", "y", "year", "years",
  ]
  private static let wrongUnits = [
    "Min", "mins", "hrs", "secs", "ns", "H", "S", "D", "mo", "yr", "msecs", "µ", "minut", "x", "e3",
    "infinity", "monthly", "Ms", "uss", "%", "m.", "h,",
  ]
  private static let noise = Array("0123456789.,:+- \tsmhdwMyuµPT%_e٣：\u{0B}\u{0C}")

  mutating func expression() -> String {
    switch Int.random(in: 0..<100, using: &random) {
    case 0: return ["infinity", " infinity", "infinity ", "infinity 1", "Infinity"].pick(&random)
    case 1: return ["", " ", "PT5M", "P1D", "tea", "1:30", "1:2:3", "0x10", "½h"].pick(&random)
    case 2...9:
      let length = Int.random(in: 1...8, using: &random)
      return String((0..<length).map { _ in Self.noise.pick(&random) })
    case 10...21: return clock()
    default: break
    }
    var text = ""
    for index in 0..<Int.random(in: 1...4, using: &random) {
      if index > 0 {
        text += ["", "", " ", " ", "  ", "\t", "\u{0B}", ","].pick(&random, rareLast: 2)
      }
      text += number() + ["", "", " ", "\t"].pick(&random)
      text +=
        Int.random(in: 0..<12, using: &random) == 0
        ? Self.wrongUnits.pick(&random) : (Self.units + [""]).pick(&random)
    }
    return Int.random(in: 0..<12, using: &random) == 0
      ? text.mutated(with: Self.noise, &random) : text
  }

  /// A clock's notation, or nearly one, or one with other text beside it.
  private mutating func clock() -> String {
    var text = ["", "", "", "", "", " ", "\t", "+", "-", "1h "].pick(&random, rareLast: 3)
    text += [digits(1...2), digits(1...4), "0", "", digits(15...21), "5124095576", "307445734561"]
      .pick(&random, rareLast: 4)
    for _ in 0..<[1, 1, 2, 2, 3].pick(&random, rareLast: 1) {
      let isRight = Int.random(in: 0..<12, using: &random) > 0
      text +=
        ":" + (isRight ? String(Array("012345").pick(&random)) + digits(1...1) : digits(0...3))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { text += "." + digits(0...9) }
    text += ["", "", "", " ", "\t", "min", " 5s", " 1:30"].pick(&random, rareLast: 3)
    return Int.random(in: 0..<12, using: &random) == 0
      ? text.mutated(with: Self.noise, &random) : text
  }

  private mutating func number() -> String {
    switch Int.random(in: 0..<24, using: &random) {
    case 0: return "." + digits(1...7)
    case 1: return digits(1...3) + "."
    case 2: return "+" + digits(1...4)
    case 3: return ["-", "-0", "+-", "+.", "+", ""].pick(&random) + digits(1...2)
    case 4: return digits(15...21)
    case 5:
      return ["9223372036854775807", "9223372036854775808", "18446744073709551615", "584542", "0"]
        .pick(&random)
    case 6...9: return digits(1...4) + "." + digits(1...9)
    case 10: return "00" + digits(1...3)
    default: return digits(1...4)
    }
  }

  private mutating func digits(_ count: ClosedRange<Int>) -> String {
    String(
      (0..<Int.random(in: count, using: &random)).map { _ in Array("0123456789").pick(&random) })
  }
}
