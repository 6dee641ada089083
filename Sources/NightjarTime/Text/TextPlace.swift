// `firstRange(of:)`, `contains(_:)` and `replacing(_:with:)` with more than one element are in the library of
// regular expressions. A program that calls one of them has all of it: 1.4 MB.

extension Collection where Element: Equatable {
  /// Where the elements of another collection stand one after the other for the first time; nil: nowhere.
  /// O(n × m).
  package func firstPlace(of part: some Collection<Element>) -> Range<Index>? {
    var start = startIndex
    while true {
      let rest = self[start...]
      if rest.starts(with: part) { return start..<index(start, offsetBy: part.count) }
      guard start != endIndex else { return nil }
      formIndex(after: &start)
    }
  }
}
