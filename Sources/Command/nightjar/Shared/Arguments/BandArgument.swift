import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarTime

/// Reads bands as the user types them, such as `5min` or `60s=warn,10s=urgent:red:0.9..1:Hurry`.
enum BandArgument {
  /// - Parameter texts: texts with one or more bands each. The bands are in order, and the band
  ///   with the most remaining time is first.
  static func bands(_ texts: [String]) throws(CommandError) -> [Wire.Band] {
    let parts = texts.flatMap(split)
    let bands = try parts.map { (part) throws(CommandError) in try band(part) }
    if let index = NightjarModel.Band.misplaced(in: bands.map(\.remainingUsec)) {
      throw .usage(
        "bands come in the order in which they begin, the most time remaining first: "
          + "'\(parts[index])' does not come after '\(bands[index - 1].name)'")
    }
    return bands
  }

  /// The texts of the bands. A comma begins a new band only if a time span and an equals sign
  /// follow it, because the text of a band may contain commas; or a time span alone, after a band
  /// that has no text.
  private static func split(_ text: String) -> [String] {
    var parts: [String] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let span = piece.prefix { $0 != "=" }
      let isWhole = span.count == piece.count
      // The text of a band is behind the third colon.
      let hasText = (parts.last?.count { $0 == ":" } ?? 0) >= 3
      let begins = Invocation.isSpan(String(span)) && !(isWhole && hasText)
      if begins || parts.isEmpty {
        parts.append(String(piece))
      } else {
        parts[parts.count - 1] += ",\(piece)"
      }
    }
    return parts
  }

  private static func band(_ text: String) throws(CommandError) -> Wire.Band {
    if Invocation.isSpan(text) {
      let span = try DurationArgument(text)
      var band = Wire.Band("warn", remaining: .microseconds(span.usec))
      band.text = "\(SpanFormat.text(usec: span.usec)) left"
      return band
    }
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw .usage("a band is written span or span=name, such as 5min or 10s=urgent, not '\(text)'")
    }
    let span = try DurationArgument(String(text[..<equals]), in: "--band \(text)")
    let parts = text[text.index(after: equals)...]
      .split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.first, !name.isEmpty else {
      throw .usage("the band '\(text)' has no name; write \(text)warn")
    }
    var band = Wire.Band(name, remaining: .microseconds(span.usec))
    if parts.count > 1, !parts[1].isEmpty { band.color = try color(parts[1]) }
    if parts.count > 2, !parts[2].isEmpty { band.progress = try progress(parts[2]) }
    if parts.count > 3, !parts[3].isEmpty { band.text = parts[3] }
    return band
  }

  /// The text of a band, from which `bands` reads the same band.
  static func text(_ band: JSONValue) -> String {
    let usec = UInt64(clamping: band["remaining_usec"]?.integerValue ?? 0)
    let range = band["progress"].map { range in
      ["from", "to"].map { end in
        let number = range[end]?.doubleValue ?? 0
        return number == number.rounded() ? "\(Int(number))" : "\(number)"
      }.joined(separator: "..")
    }
    let rest = [band["color"]?.stringValue, range, band["text"]?.stringValue].map { $0 ?? "" }
    let parts = [band["name"]?.stringValue ?? ""] + rest
    let count = (parts.lastIndex { !$0.isEmpty } ?? 0) + 1
    return "\(SpanFormat.canonical(.usec(usec)))=\(parts.prefix(count).joined(separator: ":"))"
  }

  private static func color(_ text: String) throws(CommandError) -> String {
    if let problem = colorProblem(text) { throw .usage(problem) }
    return text
  }

  /// The reason why a program of Nightjar cannot show a colour; nil: the colour is known. The
  /// daemon stores any colour, because other programs may know more colours.
  static func colorProblem(_ text: String) -> String? {
    guard Color(text) == nil else { return nil }
    if let near = NearName.nearest(to: text.lowercased(), among: Color.names) {
      return "no colour is called '\(text)'; did you mean '\(near)'?"
    }
    return
      "no colour is called '\(text)'; write one such as red, #f80 or #ff8800: nightjar-start(1) "
      + "has the names"
  }

  private static func progress(
    _ text: String
  ) throws(CommandError) -> Wire.ProgressRange {
    let ends = text.components("..").compactMap { Double($0) }
    guard ends.count == 2, ends.allSatisfy({ ProgressRange.millionths($0) != nil }) else {
      throw .usage(
        "a band's progress is written from..to within 0 and 1, such as 0.9..1, not '\(text)'")
    }
    return Wire.ProgressRange(from: ends[0], to: ends[1])
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    guard let range = firstRange(of: separator) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
