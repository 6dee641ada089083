import Foundation
import NightjarTestSupport

/// Runs the installed systemd-analyze on texts.
enum Oracle {
  struct Failure: Error {
    let message: String
  }

  /// Without zones that set clocks back for a part of the year and call that summer time, as Dublin
  /// and Casablanca do: systemd is wrong in such nights.
  static let zones = [
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
    "America/Santiago", "Europe/London",
  ]

  /// The answer to each of `texts`, nil for one that was refused. The answers are in the order of
  /// the texts, and each repeats its text without trailing spaces.
  static func assigned<Answer>(
    _ answers: [(original: String, answer: Answer)], to texts: [String]
  ) throws -> [Answer?] {
    var rest = answers[...]
    let assigned = texts.map { text -> Answer? in
      guard let next = rest.first, trimmed(next.original) == trimmed(text) else { return nil }
      rest.removeFirst()
      return next.answer
    }
    guard rest.isEmpty else { throw Failure(message: "an answer to no question: \(rest)") }
    return assigned
  }

  private static func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }

  /// Runs systemd-analyze and returns its two outputs.
  static func run(_ arguments: [String], zone: String? = nil) throws -> (
    output: String, errors: String
  ) {
    var variables = ["LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0", "SYSTEMD_LOG_LEVEL": "info"]
    if let zone { variables["TZ"] = zone }
    let errors = FileManager.default.temporaryDirectory
      .appendingPathComponent("nightjar-oracle-\(UUID().uuidString)")
    guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
      throw Failure(message: "cannot write \(errors.path)")
    }
    defer { try? FileManager.default.removeItem(at: errors) }
    let process = try ChildProcess(
      ["sh", "-c", "exec systemd-analyze \"$@\" 2>\"$0\"", errors.path] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(variables) { $1 })
    try process.awaitEnd()
    return (process.output + "\n", try String(contentsOf: errors, encoding: .utf8))
  }
}
