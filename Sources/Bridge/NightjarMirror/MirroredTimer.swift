internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// A timer that another machine published, parsed. It has all members that the type Timer of
/// org.nightjar.Timers requires.
struct MirroredTimer {
  let name: String
  private let json: JSONValue
  private let state: String
  private let durationUsec: Int64

  /// - Returns: nil if a member is missing or has another type.
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.stringValue, let state = json["state"]?.stringValue,
      let durationUsec = ForeignNumber.read(json["duration_usec"]),
      ForeignNumber.read(json["id"]) != nil,
      json["ledger"]?.stringValue != nil, json["kind"]?.stringValue != nil,
      json["clock"]?.stringValue != nil, ForeignNumber.read(json["started_usec"]) != nil,
      Self.numbers.allSatisfy({ ForeignNumber.isUsual(json[$0]) }),
      (json["bands"]?.arrayValue ?? []).allSatisfy({
        ForeignNumber.read($0["remaining_usec"]) != nil
      }),
      json["labels"]?.objectValue != nil, json["data"]?.objectValue != nil,
      name.utf8.count <= Limits.nameBytes,
      Array(name.utf8).withUnsafeBytes({ TimerName.problem($0) }) == nil
    else { return nil }
    (self.name, self.state, self.durationUsec, self.json) = (name, state, durationUsec, json)
  }

  /// Members that are added to other numbers or shown as instants, so they must be in the usual
  /// range.
  private static let numbers = [
    "seq", "remaining_usec", "elapsed_usec", "deadline_usec", "fired_usec", TimerValue.countsFrom,
  ]

  /// Members that change when the timer rings.
  private static let ofRing: Set<String> = [
    "state", "deadline_usec", TimerValue.countsFrom, TimerValue.onRealTime, "remaining_usec",
    "elapsed_usec", "fired_usec", "late_usec", "late_cause", "early_usec", "estimated",
    "unanswered", "skipped", "snoozed",
  ]

  /// The timer as it would be if its owner had published `ringStatus`, the state of a ring.
  func with(_ ringStatus: RingStatus?) -> MirroredTimer? {
    guard let ringStatus else { return self }
    var members = (json.objectValue ?? []).filter { !Self.ofRing.contains($0.key) }
    func add(_ name: String, _ value: JSONValue) {
      members.append(JSONValue.Member(name, value))
    }
    func ring(_ word: Wire.RingHere, dueUsec: Int64) {
      add("state", "fired")
      add("remaining_usec", 0)
      add("late_usec", 0)
      add("ring_here", .string(word.rawValue))
      add("fired_usec", .integer(dueUsec))
    }
    switch ringStatus {
    case .on(_, let dueUsec): ring(.on, dueUsec: dueUsec)
    case .due(_, let dueUsec): ring(.due, dueUsec: dueUsec)
    case .dismissed(let dueUsec): ring(.dismissed, dueUsec: dueUsec)
    case .snoozed(let untilUsec, let dueUsec):
      add("state", "running")
      add("deadline_usec", .integer(untilUsec))
      add(TimerValue.onRealTime, true)
      add("snoozed", true)
      add("fired_usec", .integer(dueUsec))
    }
    return MirroredTimer(.object(members))
  }

  private var isRunning: Bool { state == "running" }
  private var isStopwatch: Bool { json["kind"]?.stringValue == "stopwatch" }

  /// - Parameters:
  ///   - realtimeUsec: this machine's wall clock.
  ///   - boottimeUsec: this machine's CLOCK_BOOTTIME.
  ///   - aheadUsec: how far the owner's clock is ahead of this machine's.
  ///   - awayUsec: since when the owner is away, on this machine's wall clock; nil: it is there.
  func shown(
    realtimeUsec: Int64, boottimeUsec: Int64, aheadUsec: Int64, awayUsec: Int64? = nil
  ) -> JSONValue {
    let stoppedUsec = isRunning && PublishedRing.countsThere(json) ? awayUsec : nil
    let ownersUsec = min(stoppedUsec ?? realtimeUsec, realtimeUsec) &+ aheadUsec
    func since(_ usec: Int64) -> Int64 {
      let (difference, overflow) = ownersUsec.subtractingReportingOverflow(usec)
      return overflow ? 0 : max(0, difference)
    }
    func until(_ usec: Int64) -> Int64 {
      let (difference, overflow) = usec.subtractingReportingOverflow(ownersUsec)
      return overflow ? Limits.durationUsec : max(0, difference)
    }
    let deadlineUsec = json["deadline_usec"]?.integerValue
    let remainingUsec =
      json["remaining_usec"]?.integerValue ?? deadlineUsec.map(until) ?? 0
    let elapsedUsec =
      json["elapsed_usec"]?.integerValue ?? json[TimerValue.countsFrom]?.integerValue.map(since)
      ?? max(0, durationUsec.subtractingReportingOverflow(remainingUsec).partialValue)
    var members: [JSONValue.Member] = []
    for member in json.objectValue ?? [] {
      switch member.key {
      case "ledger", "remaining_usec", "elapsed_usec", "progress",
        TimerValue.countsFrom, TimerValue.onRealTime, "deadline_usec", "deadline_boottime_usec",
        "fired_ago_usec":
        break
      case "away" where stoppedUsec != nil: break
      default: members.append(member)
      }
    }
    func add(_ name: String, _ value: JSONValue) {
      members.append(JSONValue.Member(name, value))
    }
    add("remaining_usec", .integer(remainingUsec))
    add("elapsed_usec", .integer(elapsedUsec))
    add("progress", .double(progress(remainingUsec: remainingUsec)))
    if stoppedUsec != nil { add("away", true) }
    if let deadlineUsec, stoppedUsec == nil {
      let (shifted, overflow) = deadlineUsec.subtractingReportingOverflow(aheadUsec)
      add("deadline_usec", .integer(overflow ? deadlineUsec : shifted))
      if isRunning,
        json["clock"]?.stringValue == "elapsed" || json[TimerValue.onRealTime]?.boolValue == true
      {
        let (sum, overflow) = boottimeUsec.addingReportingOverflow(remainingUsec)
        if !overflow { add("deadline_boottime_usec", .integer(sum)) }
      }
    }
    if let firedUsec = json["fired_usec"]?.integerValue {
      add("fired_ago_usec", .integer(max(0, realtimeUsec &+ aheadUsec &- firedUsec)))
    }
    return .object(members)
  }

  private func progress(remainingUsec: Int64) -> Double {
    guard !isStopwatch else { return 0 }
    var content = TimerSpec.Shared.plain
    content.bands = (json["bands"]?.arrayValue ?? []).compactMap { band in
      guard let remainingUsec = band["remaining_usec"]?.integerValue else { return nil }
      var range: ProgressRange?
      if let from = band["progress"]?["from"]?.doubleValue.flatMap(ProgressRange.millionths),
        let to = band["progress"]?["to"]?.doubleValue.flatMap(ProgressRange.millionths)
      {
        range = ProgressRange(from: from, to: to)
      }
      return Band(
        name: band["name"]?.stringValue ?? "", remainingUsec: remainingUsec, progress: range)
    }
    let exact = SharedSpec(content).progress(remainingUsec: remainingUsec, of: durationUsec)
    return (exact * 1_000_000).rounded() / 1_000_000
  }
}
