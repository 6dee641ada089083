import NightjarClient
import NightjarTestSupport
import Varlink

/// What one client asked for, in order, and what it was told: the model of what must be on the
/// disk.
final class Story {
  /// A change that the client asked for.
  struct Change {
    var name: String
    /// The event that it makes.
    var type: Wire.EventType
    /// What tells it from others of its kind; nil: nothing does.
    var sign: Int64?
    var call: Call

    /// Whether this change may have made an event.
    func canHaveMade(_ event: Wire.Event) -> Bool {
      guard event.name == name, event.type == type else { return false }
      switch type {
      case .started: return event.labels?["sign"] == sign.map { "\($0)" }
      case .extended, .snoozed: return event.byUsec == sign
      case .updated: return event.data.flatMap { try? $0.value }?["sign"]?.integerValue == sign
      default: return true
      }
    }
  }

  /// What the client was told.
  enum Outcome {
    /// No reply came: the change is there whole, or not at all.
    case unanswered
    /// No reply came, and a later start had it, or had it not: so it stays.
    case found(Bool)
    /// It is on the disk, and this is the timer after it.
    case acknowledged(Wire.Timer)
    /// It makes no sense for the timer as it is.
    case refused(TimersError)
    /// The disk did not take it. In doubt: it may be there after a power cut, or where the disk
    /// could not be read either.
    case failed(isInDoubt: Bool)
  }

  let prefix: String
  private(set) var changes: [Change] = []
  private(set) var outcomes: [Outcome] = []
  /// The numbers of the changes that were answered, in the order of the replies.
  private(set) var answered: [Int] = []

  init(prefix: String) { self.prefix = prefix }

  /// How many changes were acknowledged.
  var acknowledged: Int {
    outcomes.reduce(0) { if case .acknowledged = $1 { $0 + 1 } else { $0 } }
  }

  /// How many of the changes from `start` on the disk has refused.
  func failures(since start: Int) -> Int {
    outcomes[start...].reduce(0) { if case .failed = $1 { $0 + 1 } else { $0 } }
  }

  /// Notes that a change is asked for; returns its number.
  func ask(_ change: Change) -> Int {
    changes.append(change)
    outcomes.append(.unanswered)
    return changes.count - 1
  }

  /// Notes the reply to the change of that number.
  func note(_ reply: VarlinkReply, for number: Int) throws {
    answered.append(number)
    guard let error = reply.error else {
      outcomes[number] = .acknowledged(try Wire.Timer(reply.parameters["timer"] ?? .null))
      return
    }
    let refusal = TimersError(name: error, parameters: reply.parameters)
    if case .storageFailed = refusal {
      outcomes[number] = .failed(isInDoubt: reply.parameters["in_doubt"]?.boolValue == true)
    } else {
      outcomes[number] = .refused(refusal)
    }
  }

  /// What is known of the change of that number if nothing from `answeredCount` on had been
  /// answered.
  private func outcome(_ number: Int, answeredCount: Int) -> Outcome {
    number < answeredCount ? outcomes[number] : .unanswered
  }
}

// MARK: - Comparing

extension Story {
  /// What a timer must be like.
  private enum Expected {
    case timer(Wire.Timer)
    case absent
    /// The last change of it was never answered.
    case unknown
  }

  /// Compares the ledger and the timers that are there with what the client was told.
  ///
  /// A change that the disk refused is not there, unless the daemon has said that it is in doubt,
  /// and the power was cut or the disk could not be read.
  ///
  /// - Parameters:
  ///   - replies: the power was cut when so many of the replies had been sent; nil: it was not.
  ///   - isUnreadable: reading failed while the daemon ran.
  /// - Returns: a sentence for each difference.
  func differences(from seen: Seen, replies: Int? = nil, isUnreadable: Bool = false) -> [String] {
    let count = min(replies ?? answered.count, answered.count)
    let answeredCount = count == 0 ? 0 : answered[count - 1] + 1
    let isDoubtAllowed = replies != nil || isUnreadable
    let asked = seen.events.filter(isAskedFor)
    var found: [String] = []
    var matches: [Int64: Int] = [:]
    var next = 0
    for event in asked {
      guard let number = match(event, from: next, answeredCount: answeredCount, isDoubtAllowed)
      else {
        found.append(unexplained(event, from: next, answeredCount: answeredCount))
        continue
      }
      matches[event.seq] = number
      next = number + 1
    }
    for number in next..<max(next, min(answeredCount, changes.count)) {
      switch outcome(number, answeredCount: answeredCount) {
      case .acknowledged, .found(true):
        found.append("lost: change \(number), \(described(number)), was acknowledged or there")
      case .unanswered, .found(false), .refused, .failed: break
      }
    }
    // Behind a first difference in the ledger all timers would differ as well.
    guard found.isEmpty else { return Array(found.prefix(5)) }
    if replies == nil { settle(there: Set(matches.values)) }
    return timerDifferences(seen, asked.map { ($0, matches[$0.seq] ?? 0) }) + early(seen, matches)
  }

  /// What a daemon goes on from is no longer open.
  private func settle(there: Set<Int>) {
    for number in changes.indices {
      switch outcomes[number] {
      case .unanswered, .failed(isInDoubt: true): outcomes[number] = .found(there.contains(number))
      case .found, .acknowledged, .refused, .failed(isInDoubt: false): break
      }
    }
  }

  /// Whether it was this client that made an event.
  func isAskedFor(_ event: Wire.Event) -> Bool {
    event.name?.hasPrefix(prefix + "/") == true && !Self.unasked.contains(event.type)
  }

  private static let unasked: [Wire.EventType] = [
    .rang, .didNotRing, .joined, .rangAgain, .unanswered, .unnoticed, .stayedQuiet, .leftRing,
    .forgotten,
  ]

  private func described(_ number: Int) -> String {
    "\(changes[number].type) \(changes[number].name)"
  }

  /// The change that made an event: the next that must have, or else the first of those before it
  /// that may have.
  private func match(
    _ event: Wire.Event, from start: Int, answeredCount: Int, _ isDoubtAllowed: Bool
  ) -> Int? {
    var possible: Int?
    for number in start..<changes.count {
      let isOfIt = changes[number].canHaveMade(event)
      switch outcome(number, answeredCount: answeredCount) {
      case .acknowledged, .found(true): return isOfIt ? number : possible
      case .unanswered: if isOfIt { possible = possible ?? number }
      case .failed(let isInDoubt):
        if isOfIt, isInDoubt, isDoubtAllowed { possible = possible ?? number }
      case .refused, .found(false): continue
      }
    }
    return possible
  }

  private func unexplained(_ event: Wire.Event, from start: Int, answeredCount: Int) -> String {
    let what = "event \(event.seq), \(event.type) \(event.name ?? "")"
    for number in start..<changes.count {
      guard case .failed(let isInDoubt) = outcome(number, answeredCount: answeredCount),
        changes[number].canHaveMade(event)
      else { continue }
      let doubt = isInDoubt ? ", in doubt" : ""
      return "refused: \(what) is there, and change \(number) was refused\(doubt)"
    }
    return "lost or unasked: \(what) is not what comes behind change \(start - 1)"
  }

  /// Compares only the timers, where the ledger may be lost. Every change must have been answered.
  func timerDifferences(from seen: Seen) -> [String] {
    var expected: [String: Expected] = [:]
    for number in changes.indices { note(number, in: &expected) }
    return compare(expected, seen)
  }

  private func timerDifferences(_ seen: Seen, _ matched: [(Wire.Event, Int)]) -> [String] {
    var expected: [String: Expected] = [:]
    for (_, number) in matched { note(number, in: &expected) }
    var found = compare(expected, seen)
    for name in seen.timers.keys where name.hasPrefix(prefix + "/") && expected[name] == nil {
      found.append("unasked: the timer \(name) is there")
    }
    return found
  }

  private func note(_ number: Int, in expected: inout [String: Expected]) {
    let change = changes[number]
    switch outcomes[number] {
    case .acknowledged(let timer):
      // The reply to a change that removes a timer has its last state.
      let isAnswer = change.type == .dismissed || change.type == .cancelled
      let isRemoved = change.type == .removed || isAnswer && timer.state == .over
      expected[change.name] = isRemoved ? .absent : .timer(timer)
    case .unanswered, .found(true), .failed(isInDoubt: true): expected[change.name] = .unknown
    case .refused, .found(false), .failed(isInDoubt: false): break
    }
  }

  private func compare(_ expected: [String: Expected], _ seen: Seen) -> [String] {
    var found: [String] = []
    for (name, expected) in expected.sorted(by: { $0.key < $1.key }) {
      switch (expected, seen.timers[name]) {
      case (.unknown, _), (.absent, nil): continue
      case (.absent, _?): found.append("came back: \(name) was removed")
      case (.timer, nil): found.append("lost: \(name) is not there")
      case (.timer(let recorded), let timer?):
        guard let difference = difference(recorded, timer, seen) else { continue }
        let isBack = recorded.state == .cancelled && timer.state != .cancelled
        found.append("\(isBack ? "came back" : "changed"): \(name): \(difference)")
      }
    }
    return found
  }

  private func difference(_ recorded: Wire.Timer, _ timer: Wire.Timer, _ seen: Seen) -> String? {
    if timer.id != recorded.id { return "its id is \(timer.id), was \(recorded.id)" }
    if timer.labels != recorded.labels || timer.data != recorded.data {
      return "its labels or data differ"
    }
    if timer.durationUsec != recorded.durationUsec {
      return "its duration is \(timer.durationUsec), was \(recorded.durationUsec)"
    }
    if recorded.ringing != nil, timer.ringing == nil, seen.ledgerError == nil {
      return "its ring is gone, and nobody answered it"
    }
    switch (recorded.state, timer.state) {
    case (.running, .running):
      return timer.deadlineBoottimeUsec == recorded.deadlineBoottimeUsec
        ? nil : "its deadline is \(timer.deadlineUsec ?? 0), was \(recorded.deadlineUsec ?? 0)"
    case (.running, .over):
      // What a damaged ledger has lost cannot be asked for.
      let isKnown = seen.ledgerError != nil || seen.rang.contains(timer.id)
      return isKnown ? nil : "it rang, and the ledger does not say so"
    default:
      if timer.state != recorded.state { return "it is \(timer.state), was \(recorded.state)" }
      return timer.remainingUsec == recorded.remainingUsec
        ? nil : "its remaining time is \(timer.remainingUsec), was \(recorded.remainingUsec)"
    }
  }

  /// Timers that rang before their deadline.
  private func early(_ seen: Seen, _ matches: [Int64: Int]) -> [String] {
    var deadlines: [Int64: Int64] = [:]
    var found: [String] = []
    for event in seen.events {
      guard let id = event.id, event.name?.hasPrefix(prefix + "/") == true else { continue }
      if let number = matches[event.seq] {
        deadlines[id] = nil
        if case .acknowledged(let timer) = outcomes[number] { deadlines[id] = timer.deadlineUsec }
      } else if event.type == .rang, !event.snoozed, let deadline = deadlines[id],
        // Two readings of CLOCK_REALTIME that is being slewed are between them.
        event.timeUsec < deadline - 2 * millisecond
      {
        found.append("early: event \(event.seq) rang \(deadline - event.timeUsec) µs too early")
      }
    }
    return found
  }
}
