import Foundation
import Glibc

package struct Unmet: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// A list of events from another thread or process, such as lines, signals or notifications, in
/// order. A test can wait for an event with a time limit.
package final class Happenings<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [Element] = []
  private var passed = 0
  private var picked: Set<Int> = []
  private var isOver = false
  /// Waits until the thread that appends elements has appended all that exist.
  var catchUp: @Sendable () -> Void = {}

  package init() {}

  package func append(_ element: Element) {
    condition.lock()
    elements.append(element)
    condition.broadcast()
    condition.unlock()
  }

  /// Ends all waits, because there will be no more elements.
  package func end() {
    condition.lock()
    isOver = true
    condition.broadcast()
    condition.unlock()
  }

  /// All elements so far, including those that a test has waited for.
  package var all: [Element] {
    catchUp()
    return condition.withLock { elements }
  }

  /// Skips all elements so far, so that `next` and `pick` return only later ones.
  package func passAll() {
    catchUp()
    condition.withLock { passed = elements.count }
  }

  /// Waits for the next element for which `matches` is true, and skips the elements before it.
  /// Throws `Unmet` after the time limit, or after `end` if there is no such element.
  @discardableResult package func next(
    _ what: String, within seconds: Double = 30, where matches: (Element) -> Bool = { _ in true }
  ) throws -> Element {
    try awaitOne(what, within: seconds, passesOver: true, where: matches)
  }

  /// Waits for the next element for which `matches` is true. The elements before it are not
  /// skipped, so a test can still wait for them.
  @discardableResult package func pick(
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

/// Waits until a condition is true, with a time limit. It polls, for conditions whose change is not
/// reported.
package func awaitTrue(_ what: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
  let deadline = Now.boottimeUsec + 30 * second
  while try !condition() {
    guard Now.boottimeUsec < deadline else { throw Unmet(description: what()) }
    sched_yield()
  }
}
