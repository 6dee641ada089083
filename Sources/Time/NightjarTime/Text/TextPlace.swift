// `firstRange(of:)`, `contains(_:)` and `replacing(_:with:)` for more than one element are in the
// library of regular expressions. If a program calls one of them, the linker adds the whole
// library: 1.4 MB.

extension Collection where Element: Equatable {
  /// The range of the first elements that are equal to those of `part`, in order; nil: there is no
  /// such range. O(n × m).
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
