/// One field of a calendar expression: the values at which it matches.
struct CalendarField: Equatable, Sendable {
  /// `start`, `start..stop`, `start/step` or `start..stop/step`. In the seconds' field the numbers are
  /// microseconds.
  struct Component: Equatable, Sendable {
    var start: Int
    var stop: Int?
    var step: Int

    /// The same, where a range ends with a value that it matches, and one of only one value is that.
    var ending: Component {
      guard let stop else { return self }
      let last = stop - (stop - start) % max(step, 1)
      return last == start
        ? Component(start: start, stop: nil, step: 0)
        : Component(start: start, stop: last, step: step)
    }

    func matches(_ value: Int) -> Bool {
      guard value >= start, value <= stop ?? (step > 0 ? .max : start) else { return false }
      return (value - start) % max(step, 1) == 0
    }

    /// The smallest value that matches and is not below `value`; nil if there is none.
    func next(from value: Int) -> Int? {
      guard value > start else { return start }
      let step = max(step, 1)
      let candidate = start + (value - start + step - 1) / step * step
      return candidate <= stop ?? (self.step > 0 ? .max : start) ? candidate : nil
    }
  }

  /// Sorted, each once; empty: every value, `*`.
  private(set) var components: [Component] = []

  var isEvery: Bool { components.isEmpty }

  init(_ components: [Component] = []) {
    self.components = components.map(\.ending)
    self.components.sort {
      ($0.start, $0.stop ?? -1, $0.step) < ($1.start, $1.stop ?? -1, $1.step)
    }
    var unique: [Component] = []
    for component in self.components where unique.last != component { unique.append(component) }
    self.components = unique
  }

  /// Matches these values and no others.
  init(values: [Int]) { self.init(values.map { Component(start: $0, stop: nil, step: 0) }) }

  func matches(_ value: Int) -> Bool {
    components.isEmpty || components.contains { $0.matches(value) }
  }

  /// The smallest value that matches, is not below `value` and not above `last`; nil if there is
  /// none. O(components).
  func next(from value: Int, through last: Int) -> Int? {
    guard !components.isEmpty else { return value <= last ? value : nil }
    let next = components.compactMap { $0.next(from: value) }.min()
    return next.flatMap { $0 <= last ? $0 : nil }
  }
}
