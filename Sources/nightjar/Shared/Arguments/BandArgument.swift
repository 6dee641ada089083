import NightjarClient
import NightjarConfig
import NightjarTime

/// Bands as they are typed: `60s=warn,10s=urgent:red:0.9..1:Hurry`.
enum BandArgument {
  /// - Parameter texts: each one or more bands, the one with the most time remaining first.
  static func bands(_ texts: [String]) throws(CommandError) -> [Band] {
    var bands: [Band] = []
    for text in texts {
      for part in split(text) {
        let band = try band(part)
        if let before = bands.last, before.remaining <= band.remaining {
          throw .usage(
            "bands come in the order in which they begin, the most time remaining first: "
              + "'\(part)' does not come behind '\(before.name)'")
        }
        bands.append(band)
      }
    }
    return bands
  }

  /// A comma begins another band if a span and an equals sign follow it: a text may have commas.
  private static func split(_ text: String) -> [String] {
    var parts: [String] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let span = piece.prefix { $0 != "=" }
      let begins = span.count < piece.count && Invocation.isSpan(String(span))
      if begins || parts.isEmpty {
        parts.append(String(piece))
      } else {
        parts[parts.count - 1] += ",\(piece)"
      }
    }
    return parts
  }

  private static func band(_ text: String) throws(CommandError) -> Band {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw .usage("a band is written span=name, such as 10s=urgent, not '\(text)'")
    }
    let span = try DurationArgument(String(text[..<equals]))
    let parts = text[text.index(after: equals)...]
      .split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.first, !name.isEmpty else {
      throw .usage("the band '\(text)' has no name; write \(text)warn")
    }
    var band = Band(name, remaining: .microseconds(span.usec))
    if parts.count > 1, !parts[1].isEmpty { band.color = try color(parts[1]) }
    if parts.count > 2, !parts[2].isEmpty { band.progress = try progress(parts[2]) }
    if parts.count > 3, !parts[3].isEmpty { band.text = parts[3] }
    return band
  }

  private static func color(_ text: String) throws(CommandError) -> String {
    if let problem = colorProblem(text) { throw .usage(problem) }
    return text
  }

  /// Why a colour would be shown as none; nil: it would be shown. The daemon keeps any, for programs that
  /// know more of them.
  static func colorProblem(_ text: String) -> String? {
    guard Color(text) == nil else { return nil }
    if let near = NearName.nearest(to: text.lowercased(), among: Color.names) {
      return "no colour is called '\(text)'; did you mean '\(near)'?"
    }
    return
      "no colour is called '\(text)'; write one such as red, #f80 or #ff8800: nightjar-start(1) "
      + "has the names"
  }

  private static func progress(_ text: String) throws(CommandError) -> Band.Progress {
    let ends = text.components("..").compactMap { Double($0) }
    guard ends.count == 2, ends.allSatisfy({ (0...1).contains($0) }) else {
      throw .usage(
        "a band's progress is written from..to within 0 and 1, such as 0.9..1, not '\(text)'")
    }
    return Band.Progress(from: ends[0], to: ends[1])
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    guard let range = firstRange(of: separator) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
