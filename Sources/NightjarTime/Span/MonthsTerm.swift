/// Terms with the unit `M`, such as `25M`: systemd takes them for months, and who writes one often means
/// minutes. Whoever reads a length of time asks which it is, or refuses it.
enum MonthsTerm {
  /// A text with this unit written out in place of each `M` that stands behind a number.
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
