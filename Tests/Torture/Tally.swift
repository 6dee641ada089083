import Foundation
import Glibc
import NightjarTestSupport

/// What all rounds have counted and found, from several threads.
final class Tally: @unchecked Sendable {
  /// What is counted, in the order of the table.
  enum Count: String, CaseIterable {
    case rounds = "rounds"
    case kills = "kills"
    case stops = "clean stops"
    case acknowledged = "acknowledged changes"
    case cuts = "power-cut images"
    case atRest = "damages at rest"
    case whileRunning = "damages while running"
    case injected = "injected errors"
    case failed = "changes refused by the disk"
    case reported = "losses that were reported"
    case refusedStarts = "starts refused with a reason"
  }

  private let lock = NSLock()
  private var counts: [Torment: [Count: Int]] = [:]
  private var violations: [Torment: Int] = [:]
  private let tools: Tools
  private let endUsec: Int64
  /// With so many violations, no more is done of a class.
  private let enough: Int
  private let isQuiet: Bool

  init(tools: Tools, seconds: Int, enough: Int, isQuiet: Bool) {
    (self.tools, self.enough, self.isQuiet) = (tools, enough, isQuiet)
    endUsec = Now.boottimeUsec + Int64(seconds) * second
  }

  var isOver: Bool { Now.boottimeUsec >= endUsec }

  var violationCount: Int { lock.withLock { violations.values.reduce(0, +) } }

  /// Whether a class has failed so often that more of it says nothing new.
  func isGivenUp(_ torment: Torment) -> Bool {
    lock.withLock { violations[torment] ?? 0 >= enough }
  }

  func add(_ count: Count, _ number: Int = 1, to torment: Torment) {
    lock.withLock { counts[torment, default: [:]][count, default: 0] += number }
  }

  /// Notes what was found in a round, prints it, and keeps the round's folder.
  func report(_ found: [String], in round: Round) {
    let number = lock.withLock {
      violations[round.torment, default: 0] += 1
      return violations[round.torment] ?? 0
    }
    let copy = "\(tools.kept)/\(round.torment)-\(round.seed)-\(number)"
    try? makeFolder(tools.kept)
    try? FileManager.default.removeItem(atPath: copy)
    try? FileManager.default.copyItem(atPath: round.workshop.path, toPath: copy)
    let text = ["\(round.torment), round seed \(round.seed): \(round.situation)"] + found.prefix(8)
    try? text.joined(separator: "\n").write(
      toFile: "\(copy)/violation", atomically: true, encoding: .utf8)
    say("VIOLATION " + text.joined(separator: "\n  "))
    say("  kept in \(copy)")
    say("  once more: make torture SEED=\(round.seed) TORTURE=\"--only \(round.torment) --round\"")
  }

  func say(_ text: String) {
    guard !isQuiet else { return }
    lock.withLock {
      print(text)
      fflush(nil)
    }
  }

  /// One line on how far it is.
  var progress: String {
    lock.withLock {
      let parts = Torment.allCases.map { torment in
        let counts = counts[torment] ?? [:]
        return "\(torment) \(counts[.rounds] ?? 0) rounds"
      }
      return parts.joined(separator: ", ") + "; violations \(violations.values.reduce(0, +))"
    }
  }

  /// A table: a row for each count, a column for each class.
  var table: String {
    lock.withLock {
      func row(_ name: String, _ cells: [String]) -> String {
        name.padding(toLength: 30, withPad: " ", startingAt: 0)
          + cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
      }
      var rows = [row("", Torment.allCases.map(\.rawValue) + ["all"])]
      for count in Count.allCases {
        let numbers = Torment.allCases.map { counts[$0]?[count] ?? 0 }
        let cells = (numbers + [numbers.reduce(0, +)]).map { $0 == 0 ? "-" : "\($0)" }
        rows.append(row(count.rawValue, cells))
      }
      let found = Torment.allCases.map { violations[$0] ?? 0 }
      rows.append(row("violations", (found + [found.reduce(0, +)]).map(String.init)))
      return rows.joined(separator: "\n")
    }
  }
}
