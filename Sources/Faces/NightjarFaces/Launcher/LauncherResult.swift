internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// A line in a launcher.
struct LauncherResult: Equatable {
  let choice: LauncherChoice
  let text: String
  /// What Return does, or what distinguishes the line from another.
  let detail: String

  /// The results of words that start a timer. Words that are not clearly a time have none, because
  /// a launcher shows the results of all programs for all that is typed: a bare number has two
  /// readings as a time span.
  ///
  /// - Parameters:
  ///   - words: the words as they were typed.
  ///   - readings: what the daemon understood.
  ///   - timers: the timers that are there.
  static func starts(
    _ readings: [Wire.Reading], words: String, nowUsec: Int64, timers: [String: ShownTimer]
  ) -> [LauncherResult] {
    let starts = readings.enumerated().compactMap { index, reading in
      reading.start.flatMap { try? Wire.Start($0) }.map { (index, reading, $0) }
    }
    guard starts.count(where: { $0.2.durationUsec != nil }) < 2 else { return [] }
    return starts.compactMap { index, reading, start in
      let present = start.name.flatMap { timers[$0] }.flatMap { $0.isListed ? $0 : nil }
      // `tea` alone means the timer that is there.
      guard present == nil || start.name != words else { return nil }
      let replaced = present.map { "Replaces the one that \($0.saying)" }
      return LauncherResult(
        choice: .start(nowUsec: nowUsec, index: index, words: words),
        text: ShownTimer.line(VisibleText.visible(reading.sentence)),
        detail: replaced
          ?? (starts.count > 1 ? "As \(reading.meaning)" : "Start this timer"))
    }
  }

  /// The results for the timers that are there: those of which each word begins a part of the name.
  static func timers(
    named words: String, of timers: [String: ShownTimer], at now: Moment
  ) -> [LauncherResult] {
    let terms = words.split(separator: " ").map { $0.lowercased() }
    let isAll = terms.count == 1 && allWords.contains(terms[0])
    guard isAll || terms.contains(where: { $0.count > 1 }) else { return [] }
    return timers.values.filter { shown in
      let parts = shown.name.lowercased().split { !$0.isLetter && !$0.isNumber }
      return shown.isListed
        && (isAll || terms.allSatisfy { term in parts.contains { $0.hasPrefix(term) } })
    }.sorted(by: ShownTimer.isBefore).map { LauncherResult($0, at: now) }
  }

  /// Words that stand for all timers, and that may stand before the words that start one.
  static let allWords = ["timer", "timers", "nightjar"]

  /// The words that start a timer, without a word such as `timer` before them.
  static func startWords(_ words: String) -> String {
    let parts = words.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, allWords.contains(parts[0].lowercased()) else { return words }
    return String(parts[1])
  }

  /// The result for a timer that is there. Return does what is undone by another Return, or ends
  /// what rings.
  init(_ shown: ShownTimer, at now: Moment) {
    let operation: LauncherChoice.Operation =
      if shown.hasRung || shown.isSnoozed { .dismiss } else {
        switch shown.timer.state {
        case .paused: .resume
        case .waiting: .advance
        default: .pause
        }
      }
    let time = shown.isCounting ? ", \(shown.clock(at: now)) \(shown.unit)" : ""
    self.init(
      choice: .timer(operation, nowUsec: now.realtimeUsec, name: shown.name),
      text: ShownTimer.line("\(shown.visibleName): \(shown.saying)\(time)"),
      detail: operation.sentence)
  }

  init(choice: LauncherChoice, text: String, detail: String) {
    (self.choice, self.text, self.detail) = (choice, text, detail)
  }
}

extension ShownTimer {
  /// What the time of a timer is.
  var unit: String { timer.kind == .stopwatch ? "passed" : "left" }
}

/// What a result does. It is its own ID, so this program need not remember what it offered. The ID
/// has the time of the search: a launcher may keep the texts of an ID, and the words mean what they
/// meant then.
enum LauncherChoice: Equatable {
  enum Operation: String {
    case pause = "Pause"
    case resume = "Resume"
    case advance = "Advance"
    case dismiss = "Dismiss"

    var sentence: String {
      switch self {
      case .pause: "Pause it"
      case .resume: "Resume it"
      case .advance: "Begin the next step"
      case .dismiss: "Dismiss the ring"
      }
    }
  }

  /// Starts what the words mean; `index`: of the readings.
  case start(nowUsec: Int64, index: Int, words: String)
  case timer(Operation, nowUsec: Int64, name: String)

  var id: String {
    switch self {
    case .start(let nowUsec, let index, let words): "start \(nowUsec) \(index) \(words)"
    case .timer(let operation, let nowUsec, let name): "\(operation.rawValue) \(nowUsec) - \(name)"
    }
  }

  /// The choice of an ID; nil: this program made no such ID.
  init?(id: String) {
    // Bytes: for Swift, a space with a combining mark is another character than a space.
    let space = UInt8(ascii: " ")
    let parts = id.utf8.split(separator: space, maxSplits: 3, omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard parts.count == 4, let nowUsec = Int64(parts[1]) else { return nil }
    if parts[0] == "start", let index = Int(parts[2]) {
      self = .start(nowUsec: nowUsec, index: index, words: String(parts[3]))
    } else if let operation = Operation(rawValue: String(parts[0])) {
      self = .timer(operation, nowUsec: nowUsec, name: String(parts[3]))
    } else {
      return nil
    }
  }
}
