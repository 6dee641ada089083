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
      ForeignNumber.read(json["next_expiry"]) != nil,
      Self.ringNumbers.allSatisfy({ name, numbers in
        json[name].map { ring in numbers.allSatisfy { ForeignNumber.read(ring[$0]) != nil } }
          ?? true
      }),
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
    "seq", "remaining_usec", "elapsed_usec", "deadline_usec", TimerValue.countsFrom,
  ]

  /// The numbers that rings and expiries must have.
  private static let ringNumbers = [
    "open_ring": [
      "expiry", "due_usec", "expiries", "first_due_usec", "rang_usec", "late_usec",
      TimerValue.ringsSince,
    ],
    "last_expiry": ["number", "due_usec", "late_usec"],
    "miss": ["number", "due_usec", "late_usec"],
  ]

  /// The timer as it would be if its owner had published `status`, the state of a ring.
  func with(_ status: RingStatus?) -> MirroredTimer? {
    guard let status else { return self }
    let isNext = ForeignNumber.read(json["next_expiry"]) == status.key.expiry
    let continues = PublishedRing(json)?.continues == true
    var replaced: Set = ["ringing", "open_ring"]
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue) {
      replaced.insert(name)
      members.append(JSONValue.Member(name, value))
    }
    func open(_ ringing: Wire.Ringing, _ here: Wire.RingHere?, rangUsec: Int64, until: Int64? = nil)
    {
      let known = json["open_ring"]
      let dueUsec = JSONValue.integer(status.dueUsec)
      var ring: [JSONValue.Member] = [
        .init("expiry", .integer(status.key.expiry)), .init("due_usec", dueUsec),
        .init(
          "expiries",
          .integer((ForeignNumber.read(known?["expiries"]) ?? 0) + (isNext || known == nil ? 1 : 0))
        ),
        .init("first_due_usec", known?["first_due_usec"] ?? dueUsec),
        .init("rang_usec", .integer(rangUsec)), .init("late_usec", 0),
        .init(TimerValue.ringsSince, .integer(rangUsec)),
      ]
      if let until { ring.append(.init("until_usec", .integer(until))) }
      add("ringing", .string(ringing.rawValue))
      add("open_ring", .object(ring))
      if let here { add("ring_here", .string(here.rawValue)) }
    }
    switch status.word {
    case .on(let usec): open(.ringing, .on, rangUsec: usec)
    case .due(let usec): open(.unanswered, .due, rangUsec: usec)
    case .dismissed: add("ring_here", .string(Wire.RingHere.dismissed.rawValue))
    case .snoozed(let untilUsec):
      let rangUsec = ForeignNumber.read(json["open_ring"]?["rang_usec"]) ?? status.dueUsec
      open(.snoozed, nil, rangUsec: rangUsec, until: untilUsec)
    }
    if isNext {
      // The owner alone knows how a timer continues.
      if !continues {
        add("state", .string(Wire.State.over.rawValue))
        replaced.insert("deadline_usec")
      }
      add("remaining_usec", 0)
    }
    let rest = (json.objectValue ?? []).filter { !replaced.contains($0.key) }
    return MirroredTimer(.object(rest + members))
  }

  private var isRunning: Bool { state == "running" }
  private var isStopwatch: Bool { json["kind"]?.stringValue == "stopwatch" }

  /// - Parameters:
  ///   - realtimeUsec: this machine's wall clock.
  ///   - boottimeUsec: this machine's CLOCK_BOOTTIME.
  ///   - awayUsec: since when the owner is away; nil: it is there.
  func shown(realtimeUsec: Int64, boottimeUsec: Int64, awayUsec: Int64? = nil) -> JSONValue {
    let stoppedUsec = isRunning && PublishedRing.countsThere(json) ? awayUsec : nil
    let shownUsec = min(stoppedUsec ?? realtimeUsec, realtimeUsec)
    func since(_ usec: Int64) -> Int64 {
      let (difference, overflow) = shownUsec.subtractingReportingOverflow(usec)
      return overflow ? 0 : max(0, difference)
    }
    func until(_ usec: Int64) -> Int64 {
      let (difference, overflow) = usec.subtractingReportingOverflow(shownUsec)
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
        TimerValue.countsFrom, "deadline_usec", "deadline_boottime_usec":
        break
      case "away" where stoppedUsec != nil: break
      case "open_ring":
        members.append(
          JSONValue.Member(member.key, openRing(member.value, realtimeUsec: realtimeUsec)))
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
      add("deadline_usec", .integer(deadlineUsec))
      if isRunning, json["clock"]?.stringValue == "elapsed" {
        let (sum, overflow) = boottimeUsec.addingReportingOverflow(remainingUsec)
        if !overflow { add("deadline_boottime_usec", .integer(sum)) }
      }
    }
    return .object(members)
  }

  /// An open ring with the times that change as time passes.
  private func openRing(_ ring: JSONValue, realtimeUsec: Int64) -> JSONValue {
    var members = (ring.objectValue ?? []).filter {
      $0.key != TimerValue.ringsSince && $0.key != TimerValue.quietSince
    }
    let sinceUsec = ForeignNumber.read(ring[TimerValue.ringsSince]) ?? realtimeUsec
    members.append(JSONValue.Member("ago_usec", .integer(max(0, realtimeUsec &- sinceUsec))))
    if let quietUsec = ForeignNumber.read(ring[TimerValue.quietSince]) {
      members.append(JSONValue.Member("quiet_usec", .integer(max(0, realtimeUsec &- quietUsec))))
    }
    if let untilUsec = ForeignNumber.read(ring["until_usec"]) {
      members.append(JSONValue.Member("left_usec", .integer(max(0, untilUsec &- realtimeUsec))))
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
