/// One field of a calendar expression: the values at which it matches.
struct CalendarField: Equatable, Sendable {
  /// One part of a field: `start`, `start..stop`, `start/step` or `start..stop/step`. In the field
  /// for seconds, all numbers are microseconds.
  struct Component: Equatable, Sendable {
    var start: Int
    var stop: Int?
    var step: Int

    /// The same component, normalised: a range ends with a value that matches, and a range with one
    /// value becomes that value.
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

    /// The smallest matching value that is not below `value`; nil: there is none.
    func next(from value: Int) -> Int? {
      guard value > start else { return start }
      let step = max(step, 1)
      let candidate = start + (value - start + step - 1) / step * step
      return candidate <= stop ?? (self.step > 0 ? .max : start) ? candidate : nil
    }
  }

  /// The components, sorted and without duplicates; empty: every value matches, as for `*`.
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

  /// A field that matches exactly these values.
  init(values: [Int]) { self.init(values.map { Component(start: $0, stop: nil, step: 0) }) }

  func matches(_ value: Int) -> Bool {
    components.isEmpty || components.contains { $0.matches(value) }
  }

  /// The smallest matching value from `value` to `last`; nil: there is none. O(components).
  func next(from value: Int, through last: Int) -> Int? {
    guard !components.isEmpty else { return value <= last ? value : nil }
    let next = components.compactMap { $0.next(from: value) }.min()
    return next.flatMap { $0 <= last ? $0 : nil }
  }
}
