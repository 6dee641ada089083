import NightjarClient
import NightjarCore
import NightjarWire

// What the core has, as the daemon sends it: the same members in the same order. A test holds the two
// together.

extension JSONValue {
  typealias Members = [(String, JSONValue?)]

  /// An entry of the ledger; the type `Event` of the interface.
  static func event(_ event: NightjarCore.Event) -> JSONValue {
    let members: Members = [
      ("seq", .integer(event.seq)), ("time_usec", .integer(event.timeUsec)),
      ("type", .word(event.typeName)), ("name", event.subject.map { .string($0.name) }),
      ("id", event.subject.map { .integer($0.id) }),
    ]
    return .members(members + payload(event.kind))
  }

  private static func payload(_ kind: NightjarCore.Event.Kind) -> Members {
    switch kind {
    case .started(let clock, let durationUsec, let deadline, let attached, let wakes, let recipe):
      return [
        ("kind", .word((recipe ?? .plain).kind.name)), ("clock", .word(clock.name)),
        ("duration_usec", .integer(durationUsec)), ("wake", wakes ? true : nil),
        recipe.map { started($0, deadline: deadline) } ?? ("repeat", nil),
      ] + attachments(attached)
    case .paused(let usec, let isUp), .cancelled(_, let usec, let isUp):
      return [(isUp ? "elapsed_usec" : "remaining_usec", .integer(usec))]
    case .resumed, .restarted, .acknowledged, .dismissed, .removed, .expired: return []
    case .extended(let byUsec, _), .snoozed(let byUsec, _): return [("by_usec", .integer(byUsec))]
    case .updated(let attached, let recipe):
      return attachments(attached)
        + (recipe.map { [("bands", .array($0.bands.map(band)))] } ?? [])
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
      return self.ring(ring)
    case .advanced(_, let next): return step(next)
    case .bandCrossed(_, let band, let remainingUsec):
      return [("band", band.map(self.band)), ("remaining_usec", .integer(remainingUsec))]
    case .lapped(let elapsedUsec): return [("elapsed_usec", .integer(elapsedUsec))]
    case .rescheduled(let deadline, _): return [("deadline_usec", .integer(deadline))]
    case .pausedAfterSleep(let remainingUsec, let span):
      return [("remaining_usec", .integer(remainingUsec)), ("span_id", .integer(span))]
    case .restartedAfterSleep(let next, let span):
      return step(next) + [("span_id", .integer(span))]
    case .enteredBackground(let span), .leftBackground(let span):
      return [("span", self.span(span))]
    case .spanCorrected(let span, let byUsec, _):
      return [("by_usec", .integer(byUsec)), ("span", self.span(span))]
    case .clockStepped(let byUsec): return [("offset_usec", .integer(byUsec))]
    case .cameDue(let span, let names, let count):
      return [
        ("span_id", .integer(span)), ("count", .integer(count)),
        ("names", .array(names.map(JSONValue.string))),
      ]
    case .zoneChanged(let name): return [("zone", .string(name))]
    }
  }

  private static func ring(_ ring: Ring) -> Members {
    var members: Members = [
      ("late_usec", .integer(ring.lateUsec)), ("late_cause", ring.cause.map { .word($0.name) }),
      ("span_id", ring.span == 0 ? nil : .integer(ring.span)),
    ]
    guard let next = ring.next else { return members }
    members.append(("missed", .integer(next.missed)))
    guard next.step.isEmpty else { return members + step(next) }
    return members + [("rung", .integer(next.position)), duration(next)]
  }

  /// The step that a sequence is in then.
  private static func step(_ next: Recurrence) -> Members {
    [
      ("step_number", .integer(next.position + 1)), ("step_name", .string(next.step)),
      duration(next),
    ]
  }

  private static func duration(_ next: Recurrence) -> (String, JSONValue?) {
    guard case .on(_, let usec) = next.going else { return ("duration_usec", nil) }
    return ("duration_usec", .integer(usec))
  }

  /// What was started, in the words of `Start`.
  private static func started(_ recipe: Recipe, deadline: Int64) -> (String, JSONValue?) {
    let rounds: (String, JSONValue?) = (
      "rounds", recipe.rounds > 0 ? .integer(recipe.rounds) : nil
    )
    switch recipe.kind {
    case .countdown: return ("repeat", recipe.repeats ? .members([rounds]) : nil)
    case .alarm:
      guard let schedule = recipe.schedule else {
        return ("alarm", .members([("at_usec", .integer(deadline))]))
      }
      let zone: JSONValue? = schedule.zone.isEmpty ? nil : .string(schedule.zone)
      let calendar = JSONValue.string(schedule.expression)
      return ("alarm", .members([("calendar", calendar), ("zone", zone), rounds]))
    case .stopwatch: return ("repeat", nil)
    case .sequence:
      return (
        "sequence",
        .members(
          steps(recipe) + [
            ("rounds", .integer(recipe.rounds)), ("after_sleep", .word(recipe.afterSleep.name)),
          ])
      )
    }
  }

  private static func span(_ span: NightjarCore.Span) -> JSONValue {
    .members([
      ("span", .integer(span.id)), ("causes", .array(span.causes.map { .word($0.name) })),
      ("entered_usec", .integer(span.entered.realtimeUsec)),
      ("left_usec", span.left.map { .integer($0.realtimeUsec) }),
      ("elapsed_usec", .integer(span.elapsedUsec)), ("estimated", .bool(span.estimated)),
    ])
  }

  private static func band(_ band: NightjarCore.Band) -> JSONValue {
    .members([
      ("name", .string(band.name)), ("remaining_usec", .integer(band.remainingUsec)),
      ("color", band.color.isEmpty ? nil : .string(band.color)),
      ("text", band.text.isEmpty ? nil : .string(band.text)),
      (
        "progress",
        band.progress.map {
          .members([("from", .millionths($0.from)), ("to", .millionths($0.to))])
        }
      ),
    ])
  }

  private static func attachments(_ attached: Attachments?) -> Members {
    let labels = (attached?.labels ?? []).map { Member($0.key, .string($0.value)) }
    // It was checked when it came in.
    let data = attached.flatMap { $0.data.isEmpty ? nil : try? JSONValue.parse($0.data) }
    return [("labels", .object(labels)), ("data", data ?? .object([]))]
  }

  private static func word(_ word: StaticString) -> JSONValue { .string("\(word)") }

  private static func millionths(_ value: Int64) -> JSONValue {
    .double(Double(value) / 1_000_000)
  }
}

// MARK: - Timers

extension JSONValue {
  /// A timer as it is now; the type `Timer` of the interface.
  static func timer(_ slot: Int, of engine: Engine, at now: Moment) -> JSONValue {
    let view = engine.view(slot, at: now)
    let record = view.record
    var members: Members = [
      ("id", .integer(record.id)), ("name", .string(engine.name(at: slot))),
      ("kind", .word(view.recipe.kind.name)), ("state", .word(record.state?.name ?? "")),
      ("clock", .word(record.clock.name)), ("duration_usec", .integer(record.durationUsec)),
      ("remaining_usec", .integer(view.remainingUsec)),
      ("elapsed_usec", .integer(view.elapsedUsec)),
      ("progress", .millionths(Int64((view.progress * 1_000_000).rounded()))),
      ("deadline_usec", view.deadlineUsec.map(JSONValue.integer)),
      ("deadline_boottime_usec", view.deadlineBoottimeUsec.map(JSONValue.integer)),
      ("started_usec", .integer(record.startedUsec)),
    ]
    if let agoUsec = view.firedAgoUsec {
      members += [
        ("fired_usec", .integer(record.firedUsec)), ("fired_ago_usec", .integer(agoUsec)),
        ("late_usec", .integer(record.held)),
        ("late_cause", record.lateCause.map { .word($0.name) }),
        ("skipped", view.detail?.wasSkipped == true ? true : nil),
      ]
    }
    if view.detail != nil { members += recipe(view, laps: engine.laps(at: slot)) }
    if record.wakes {
      let obstacle = engine.wakeObstacle
      let reason = obstacle.map(JSONValue.string)
      members.append(("wake", .members([("can", .bool(obstacle == nil)), ("reason", reason)])))
    }
    return .members(members + attachments(engine.attachments(at: slot)))
  }

  private static func recipe(_ view: TimerView, laps: [Int64]) -> Members {
    let recipe = view.recipe
    var members: Members = [
      ("band", view.band.map(band)),
      ("bands", recipe.bands.isEmpty ? nil : .array(recipe.bands.map(band))),
    ]
    switch recipe.late {
    case .fire: break
    case .skip: members.append(("late", "skip"))
    case .fireWithin(let usec): members.append(("fire_within_usec", .integer(usec)))
    }
    if recipe.missed != .once { members.append(("missed", .word(recipe.missed.name))) }
    if recipe.isRepeating, let detail = view.detail {
      members.append(("repeat", repetition(recipe, detail, view.record)))
    }
    if let schedule = recipe.schedule {
      members.append(("calendar", .string(schedule.expression)))
      if !schedule.zone.isEmpty { members.append(("zone", .string(schedule.zone))) }
    }
    if recipe.kind == .sequence, let detail = view.detail {
      members += sequence(recipe, at: Int64(detail.position))
    }
    if recipe.kind == .stopwatch {
      members.append(("laps", .array(laps.map(JSONValue.integer))))
    }
    return members
  }

  private static func repetition(
    _ recipe: Recipe, _ detail: TimerDetail, _ record: TimerRecord
  ) -> JSONValue {
    .members([
      ("rung", .integer(Int64(detail.position))),
      ("period_usec", recipe.repeats ? .integer(record.originalUsec) : nil),
      ("rounds", recipe.rounds > 0 ? .integer(recipe.rounds) : nil),
      ("snoozed", .bool(detail.isSnoozed)),
    ])
  }

  private static func sequence(_ recipe: Recipe, at position: Int64) -> Members {
    let step = recipe.step(at: position)
    var state: Members = [
      ("number", .integer(position + 1)), ("name", .string(step.name)),
      ("break", .bool(step.isBreak)), ("waits", .bool(step.waits)),
      ("index", .integer(position % Int64(recipe.steps.count) + 1)),
      ("steps", .integer(Int64(recipe.steps.count))),
      ("round", .integer(recipe.round(at: position) + 1)),
      ("rounds", recipe.rounds > 0 ? .integer(recipe.rounds) : nil),
    ]
    if !recipe.isLast(position) {
      state.append(("next_name", .string(recipe.step(at: position + 1).name)))
      state.append(("next_duration_usec", .integer(recipe.stepUsec(at: position + 1))))
    }
    return [
      ("after_sleep", .word(recipe.afterSleep.name)), ("step", .members(state)),
    ] + steps(recipe)
  }

  private static func steps(_ recipe: Recipe) -> Members {
    [
      ("steps", .array(recipe.steps.map(self.step))),
      ("long_every", recipe.longEvery > 0 ? .integer(recipe.longEvery) : nil),
    ]
  }

  private static func step(_ step: Step) -> JSONValue {
    .members([
      ("name", .string(step.name)), ("duration_usec", .integer(step.durationUsec)),
      ("waits", step.waits ? true : nil), ("break", step.isBreak ? true : nil),
      ("long_usec", step.longUsec.map(JSONValue.integer)),
    ])
  }
}
