import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarTime
import Varlink

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything about timers.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [], command: "show", in: session)
    let results = try session.callAll(names.map { Call(Wire.Get(name: $0)) })
    var isFirst = true
    try session.forEachAnswer(in: results) { (reply) throws(CommandError) in
      guard !format.isJSON else { return Output.ready(reply.text) }
      if !isFirst { Output.line("") }
      isFirst = false
      let timer = try Session.timer(in: reply)
      let log = timer.failure.map { CommandLog.hint(for: $0, of: session) }
      let lines = Self.lines(timer, reply["timer"] ?? .null, log: log, at: .here)
      // Scripts get each fact on one line.
      Output.ready(
        Terminal.isOutput ? Columns.wrapped(lines, width: Terminal.columns) : lines)
    }
    if !format.isJSON, !names.isEmpty, let device = socket.device,
      !BridgePaths.isSession(try Session.socketPath(socket))
    {
      try BridgeSession.sayIfAway(device)
    }
  }

  /// Fields of `Timer` that `show` prints in its own words. Any other field gets a line with its
  /// name, so that fields of newer daemons are shown.
  private static let known: Set<String> = [
    "id", "name", "kind", "state", "clock", "duration_usec", "remaining_usec", "elapsed_usec",
    "progress", "deadline_usec", "deadline_boottime_usec", "started_usec", "ringing",
    "open_ring", "last_expiry", "miss", "misses", "next_expiry", "waits_for_clock", "ring_here",
    "owner", "owner_state", "owner_since_usec", "band", "bands", "late", "fire_within_usec",
    "missed", "repeat", "calendar", "zone", "except", "until", "skipped_usec", "after_sleep",
    "after_away", "seq",
    "counted_before_usec", "paused_usec", "paused_since_usec", "step", "steps", "laps", "wake",
    "ring", "labels", "data", "message", "failure",
  ]

  /// Label and value of each field that is not in `known`, such as `Long every` and `4`.
  private static func others(_ json: JSONValue) -> [(String, String)] {
    (json.objectValue ?? []).filter { !known.contains($0.key) }.map { member in
      let words = member.key.replacing("_", with: " ")
      return (
        words.prefix(1).uppercased() + words.dropFirst(),
        member.value.stringValue ?? member.value.text
      )
    }
  }

  /// - Parameters:
  ///   - json: the timer, as the daemon sent it.
  ///   - log: the command that shows the whole output of a failed command.
  static func lines(
    _ timer: Wire.Timer, _ json: JSONValue, log: String? = nil, at wall: WallClock
  ) -> [String] {
    Columns.lines(rows(timer, json, log: log, at: wall))
  }

  /// The lines about a timer that stay the same as time passes. The live screen shows the other
  /// lines itself.
  static func facts(_ timer: Wire.Timer, _ json: JSONValue, at wall: WallClock) -> [String] {
    let changing = ["Name", "State", "Shows", "Remaining", "Ring", "Rang"]
    return Columns.lines(rows(timer, json, at: wall).filter { !changing.contains($0.0) })
  }

  private static func rows(
    _ timer: Wire.Timer, _ json: JSONValue, log: String? = nil, at wall: WallClock
  ) -> [(String, String)] {
    let text = TimerText(timer, nowUsec: wall.nowUsec, zone: wall.zone)
    func point(_ usec: Int64) -> String {
      LocalTime.short(usec, nowUsec: wall.nowUsec, in: wall.zone)
    }
    var rows = [
      ("Name", timer.name), ("State", timer.state.rawValue), ("Kind", timer.kind.rawValue),
    ]
    if let message = timer.message { rows.append(("Message", message)) }
    rows += measure(text)
    if timer.waitsForClock || timer.away {
      rows.append(("Rings", text.rings))
    } else if let usec = timer.scheduledRingUsec {
      rows.append(("Rings", text.point(usec) + text.condition))
    }
    if let ring = text.ring { rows.append(("Ring", ring)) }
    if let ring = timer.openRing {
      rows.append(("Rang", "\(point(ring.rangUsec)), \(text.ago)"))
    }
    if let miss = text.miss { rows.append(("Miss", miss)) }
    if let last = timer.lastExpiry {
      let late = TimerText.lateness(last.lateUsec, last.lateCause, isEstimated: last.estimated)
      let outcome = last.outcome.rawValue.split(separator: "_").joined(separator: " ")
      rows.append(("Expired", "\(outcome), due \(text.point(last.dueUsec))\(late)"))
    }
    if let owner = text.owner { rows.append(("Of", owner)) }
    if let ringHere = text.ringHere { rows.append(("Here", ringHere)) }
    if let failure = timer.failure {
      let time = point(failure.timeUsec)
      rows.append(("Failed", "\(failure.command): \(OutcomeText(failure).words()), \(time)"))
      rows += failure.lastLines.map { ("Printed", $0) }
      if let log { rows.append(("All of it", log)) }
    }
    rows += [
      ("Clock", clock(timer.clock) + (timer.isSnoozed ? "; a snooze is real time" : "")),
      ("Started", point(timer.startedUsec)),
    ]
    if timer.countedBeforeUsec != nil {
      rows.append(("Ran", SpanFormat.text(usec: timer.countedUsec, units: 2) + " in all"))
    }
    if let paused = Self.paused(timer, point) { rows.append(("Paused", paused)) }
    if let wake = timer.wake {
      let reason = wake.reason.map { ": \($0)" } ?? ""
      rows.append(("Wakes", wake.can ? "the machine" : "nothing\(reason)"))
    }
    if let ring = timer.ring { rows += Self.rows(ring) }
    if !timer.labels.isEmpty { rows.append(("Labels", TimerText.labels(timer.labels))) }
    if let data = timer.data.nonEmpty { rows.append(("Data", data.text)) }
    rows += others(json)
    rows.append(("ID", "\(timer.id), last event \(timer.seq), next expiry \(timer.nextExpiry)"))
    return rows
  }

  /// The words for the pauses of the run; nil: there were none of a second or more.
  private static func paused(_ timer: Wire.Timer, _ point: (Int64) -> String) -> String? {
    let usec = timer.pausedUsec ?? 0
    let earlier = usec >= 1_000_000 ? SpanFormat.text(usec: usec, units: 2) : nil
    guard let sinceUsec = timer.pausedSinceUsec else { return earlier.map { "for \($0) in all" } }
    return "since \(point(sinceUsec))" + (earlier.map { ", and \($0) before" } ?? "")
  }

  /// The rows about the timer's progress, and about laps, steps and rounds if the timer has them.
  private static func measure(_ text: TimerText) -> [(String, String)] {
    let timer = text.timer
    var rows: [(String, String)] = []
    if timer.kind == .stopwatch {
      rows.append(("Shows", SpanFormat.stopwatch(usec: timer.elapsedUsec)))
      var before: Int64 = 0
      for (index, lap) in (timer.laps ?? []).enumerated() {
        let length = SpanFormat.stopwatch(usec: lap - before)
        rows.append(("Lap \(index + 1)", "\(length), in all \(SpanFormat.stopwatch(usec: lap))"))
        before = lap
      }
      return rows
    }
    let percent = Int((timer.progress * 100).rounded(.down))
    let length = SpanFormat.text(usec: timer.durationUsec, units: 2)
    // An alarm says when, and not how long.
    let ofAll = timer.kind == .alarm ? "" : " of \(length), \(percent) % done"
    rows.append(("Remaining", text.remaining + ofAll))
    if let step = timer.step {
      rows.append(("Step", text.step(step)))
      if let next = step.nextName, let usec = step.nextDurationUsec {
        rows.append(("Next", "\(next), \(SpanFormat.text(usec: usec))"))
      }
      if let policy = timer.afterSleep { rows.append(("Sleep", "\(policy)")) }
      if let policy = timer.afterAway { rows.append(("Absence", "\(policy)")) }
    }
    if let repetition = timer.repeat {
      let all = repetition.rounds.map { " of \($0)" } ?? ""
      // The daemon counts a round as soon as the user skips it. Here a skipped round counts only
      // when its time has passed.
      let over = max(0, repetition.rung - Int64(timer.skippedUsec.count))
      let rounds = (repetition.rounds ?? over) == 1 ? "round" : "rounds"
      rows.append(("Repeats", "\(text.rhythm); \(over)\(all) \(rounds) over"))
    }
    if let except = timer.except, !except.isEmpty {
      rows.append(("Except", except.joined(separator: ", ")))
    }
    if let until = timer.until { rows.append(("Until", until)) }
    for usec in timer.skippedUsec {
      rows.append(("Skips", text.point(usec)))
    }
    for band in timer.bands {
      let isHere = band == timer.band ? ", now" : ""
      let words = [band.color, band.text].compactMap { $0 }.joined(separator: ", ")
      rows.append(
        (
          "Band",
          "\(band.name) from \(SpanFormat.text(usec: band.remainingUsec)) left"
            + (words.isEmpty ? "" : " (\(words))") + isHere
        ))
    }
    if let usec = timer.fireWithinUsec {
      rows.append(("Late", "rings up to \(SpanFormat.text(usec: usec)) late"))
    }
    switch timer.late {
    case nil, .fire: break
    case .skip: rows.append(("Late", "does not ring"))
    case .other: rows.append(("Late", "unknown to this version of the command"))
    }
    if let missed = timer.missed { rows.append(("Missed", missed.rawValue)) }
    return rows
  }

  private static func rows(_ ring: Wire.RingState) -> [(String, String)] {
    var rows: [(String, String)] = []
    if !ring.exec.isEmpty {
      let words = ring.exec.map(Quoting.quoted).joined(separator: " ")
      let events = ring.on.map(\.rawValue).joined(separator: ", ")
      let usec = ring.timeoutUsec ?? Limits.execUsualUsec
      rows.append(
        (
          "Runs",
          words + (events.isEmpty ? "" : ", on \(events)")
            + ", for \(SpanFormat.text(usec: usec)) at the most"
        ))
      if !ring.environment.isEmpty {
        rows.append(("With", ring.environment.joined(separator: " ")))
      }
    }
    if let sound = ring.sound { rows.append(("Sound", sound)) }
    if ring.silent { rows.append(("Sound", "none")) }
    let ways = Setting.ways(of: ring).map(\.words)
    if !ways.isEmpty { rows.append(("Rings how", ways.joined(separator: ", "))) }
    return rows
  }

  private static func clock(_ clock: Wire.Clock) -> String {
    switch clock {
    case .elapsed: "elapsed (real time, awake or asleep)"
    case .awake: "awake (time slept does not count)"
    case .wall: "wall (follows the clock on the wall when it is set)"
    case .present: "present (counts only while the session is in use)"
    case .other(let word): word
    }
  }
}
