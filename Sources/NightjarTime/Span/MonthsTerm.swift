/// Terms with the unit `M`, such as `25M`. systemd takes them for months, but users often mean
/// minutes. Code that reads a duration asks the user or refuses it.
enum MonthsTerm {
  /// The text with each `M` after a number replaced by this unit.
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
