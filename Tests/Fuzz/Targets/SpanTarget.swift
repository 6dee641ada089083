@testable import NightjarTime

/// Time spans: what is read is written, and read again as the same.
enum SpanTarget {
  static func run(_ input: Input) {
    let text = input.text
    switch outcome({ () throws(TimeError) in try ParsedSpan(text) }) {
    case .failure(let error): Refusal.check(error, of: text)
    case .success(let parsed):
      let canonical = SpanFormat.canonical(parsed.span)
      // The last year that there is room for is written by systemd, and not read.
      let isReadable = span(canonical) == parsed.span || canonical.hasPrefix("584542y")
      require(isReadable, "'\(text)' is '\(canonical)', which is another")
      if case .usec(let usec) = parsed.span, let usec = Int64(exactly: usec) { check(usec) }
    }
  }

  /// What people are shown.
  private static func check(_ usec: Int64) {
    let exact = SpanFormat.text(usec: usec)
    require(span(exact) == .usec(UInt64(usec)), "\(usec) µs are '\(exact)', which are others")
    require(usec == 0 || SpanFormat.text(usec: -usec) == "-" + exact, "\(usec) µs below zero")
    for units in 1...5 {
      let cut = SpanFormat.text(usec: usec, units: units)
      let context = "\(usec) µs in \(units) units are '\(cut)'"
      if cut == "under 0.1 s" {
        require((1..<50_000).contains(usec), context)
        continue
      }
      guard case .usec(let length) = span(cut) else {
        fatalError("\(context), which cannot be read")
      }
      // Less than a second is rounded to tenths; everything else is cut off.
      let isTenths = usec < 1_000_000 && usec % 1_000 > 0
      let longest = UInt64(usec) + (isTenths ? 50_000 : 0)
      require(length <= longest, "\(context), which is longer")
    }
    let clock = SpanFormat.clock(remainingUsec: usec).split(separator: ":").compactMap { Int64($0) }
    let seconds = clock.reduce(0) { $0 * 60 + $1 }
    require(seconds == SpanFormat.wholeSeconds(remainingUsec: usec), "the clock of \(usec) µs")
  }

  private static func span(_ text: String) -> TimeSpan? {
    outcome { () throws(TimeError) in try ParsedSpan(text) }.value?.span
  }
}

/// What every refusal of a text has.
enum Refusal {
  static func check(_ error: TimeError, of text: String) {
    let count = text.unicodeScalars.count
    require(
      (1...count + 1).contains(error.position),
      "'\(error)' is at \(error.position) in a text of \(count)")
    require(!error.description.isEmpty, "a refusal without a word")
    // At the beginning it is the whole text that is wrong. Any other place is told by its number,
    // or by what stands there.
    let there = text.unicodeScalars.dropFirst(error.position - 1).first.map { "'\($0)" }
    require(
      error.position == 1 || error.description.contains("at \(error.position)")
        || there.map { error.description.utf8.contains($0.utf8) } == true,
      "'\(error)' is at \(error.position), and does not say so")
  }
}
