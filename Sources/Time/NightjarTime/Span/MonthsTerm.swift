/// Terms with the unit `M`, such as `25M`. systemd reads them as months, but users often mean
/// minutes. Code that reads a duration asks the user which one is meant, or refuses the duration.
enum MonthsTerm {
  /// The text in which `unit` replaces each `M` after a number.
  static func written(out text: String, as unit: SpanUnit) -> String {
    var written = ""
    var rest = text[...]
    while let first = rest.popFirst() {
      let isUnit =
        first == "M" && written.last { $0 != " " }?.isNumber == true
        && rest.first?.isLetter != true
      guard isUnit else {
        written.append(first)
        continue
      }
      while written.last == " " { written.removeLast() }
      written += unit.canonicalName
    }
    return written
  }
}
