import Foundation
import Glibc

/// What a test waited for in vain.
package struct Unmet: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// What happens elsewhere, in order, to be awaited with a bound: lines, signals, notifications.
package final class Happenings<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [Element] = []
  private var passed = 0
  /// The numbers of those that were picked.
  private var picked: Set<Int> = []
  private var isOver = false
  /// Waits until the thread that adds the elements has added all there are.
  var catchUp: @Sendable () -> Void = {}

  package init() {}

  package func append(_ element: Element) {
    condition.lock()
    elements.append(element)
    condition.broadcast()
    condition.unlock()
  }

  /// Nothing more will happen: who waits need not wait on.
  package func end() {
    condition.lock()
    isOver = true
    condition.broadcast()
    condition.unlock()
  }

  /// All up to now, those that were awaited too.
  package var all: [Element] {
    catchUp()
    condition.lock()
    defer { condition.unlock() }
    return elements
  }

  /// Passes over all up to now.
  package func passAll() {
    catchUp()
    condition.lock()
    passed = elements.count
    condition.unlock()
  }

  /// Waits for the next one that `matches`; those before it are passed over. Throws `Unmet` when
  /// the bound has passed, or nothing more will happen.
  @discardableResult
  package func next(
    _ what: String, within seconds: Double = 30, where matches: (Element) -> Bool = { _ in true }
  ) throws -> Element {
    try awaitOne(what, within: seconds, passesOver: true, where: matches)
  }

  /// The same; but those before it can be awaited behind it.
  @discardableResult
  package func pick(
    _ what: String, within seconds: Double = 30, where matches: (Element) -> Bool
  ) throws -> Element {
    try awaitOne(what, within: seconds, passesOver: false, where: matches)
  }

  private func awaitOne(
    _ what: String, within seconds: Double, passesOver: Bool, where matches: (Element) -> Bool
  ) throws -> Element {
    try BlockingThreads.expectBlockable()
    let bound = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    var looked = passed
    while true {
      while looked < elements.count {
        looked += 1
        if passesOver { passed = looked }
        guard !picked.contains(looked), matches(elements[looked - 1]) else { continue }
        if !passesOver { picked.insert(looked) }
        return elements[looked - 1]
      }
      if isOver { throw Unmet(description: "\(what) never came: it was over before; \(elements)") }
      guard condition.wait(until: bound) else {
        throw Unmet(description: "\(what) did not come within \(seconds) s; \(elements)")
      }
    }
  }

  /// Waits until it is over.
  package func awaitEnd(_ what: String, within seconds: Double = 30) throws {
    let bound = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while !isOver {
      guard condition.wait(until: bound) else {
        throw Unmet(description: "\(what) was not over within \(seconds) s; \(elements)")
      }
    }
  }
}

/// Asks again and again for what nothing tells, with a bound.
package func awaitTrue(
  _ what: @autoclosure () -> String, _ condition: () throws -> Bool
) throws {
  let deadline = Now.boottimeUsec + 30 * second
  while try !condition() {
    guard Now.boottimeUsec < deadline else { throw Unmet(description: what()) }
    sched_yield()
  }
}
