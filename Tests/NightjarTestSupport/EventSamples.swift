internal import NightjarEngine
package import NightjarModel

/// Events of all kinds, with extreme values in their fields.
package enum EventSamples {
  /// The largest number that a packed form accepts.
  package static let most: Int64 = 1 << 60 - 1

  package static let moment = Moment(
    realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 12_345, monotonicUsec: 0,
    bootID: BootID(high: .max, low: 7))

  package static let counters = Counters(elapsedUsec: 0, awakeUsec: 0)

  package static var open: Span { Span(id: 1, causes: [.sleep], entered: moment) }

  package static var left: Span {
    var span = Span(
      id: 9, causes: Cause.allCases.filter { $0 != .away }, entered: moment, estimated: true)
    span.left = Moment(
      realtimeUsec: -5, boottimeUsec: most, monotonicUsec: 3,
      bootID: BootID(high: 0, low: 0))
    span.elapsedUsec = most
    return span
  }

  private static func absence(ended: Bool) -> Span {
    var span = Span(id: 10, causes: [.away], entered: moment)
    if ended { (span.left, span.elapsedUsec) = (moment, most) }
    return span
  }

  package static let attachments = Attachments(
    labels: [Label(key: "team", value: "rød"), Label(key: "k", value: "")],
    data: Array(#"{"a":1}"#.utf8))

  package static let rings = [
    EncodedRing(publicJSON: Array(#"{"exec":["paplay","glöckchen.oga"],"on":["paused"]}"#.utf8)),
    EncodedRing(
      publicJSON: Array(#"{"exec":["a"],"environment":["A"]}"#.utf8),
      secretJSON: Array(#"["é"]"#.utf8)),
  ]

  package static let notes = [
    ActionNote(
      owner: .subject, key: .init(seq: 1, number: 0), attempt: 1, command: "paplay glöckchen.oga"),
    ActionNote(
      owner: .former(name: "run/4711/mäte", id: 7), key: .init(seq: most, number: 3),
      attempt: 0, command: ""),
    ActionNote(
      owner: .machine, key: .init(seq: 9, number: most), attempt: 3, command: "x"),
  ]

  package static let outcomes: [ActionOutcome] = [
    .exited(status: 0), .exited(status: 255), .signalled(9), .timedOut, .notStarted("wärum"),
    .givenUp, .dropped, .unseen,
  ]

  package static let specs: [SharedSpec] = {
    let bands = [
      Band(name: "wärm", remainingUsec: most >> 10, color: "#ff0", text: "soon"),
      Band(name: "hot", remainingUsec: 1, progress: ProgressRange(from: 1_000_000, to: 0)),
    ]
    let steps = [
      Step(name: "work", durationUsec: 1_500_000_000),
      Step(
        name: "rest", durationUsec: 300_000_000, waits: true, isBreak: true,
        longUsec: 900_000_000),
    ]
    return [
      try? SharedSpec(kind: .countdown, bands: bands, late: .fireWithin(usec: 7), missed: .skip),
      try? SharedSpec(kind: .countdown, missed: .each, repeats: true, rounds: 1_000_000),
      try? SharedSpec(kind: .alarm, late: .skip),
      try? SharedSpec(
        kind: .alarm, rounds: 3,
        schedule: Schedule(expression: "*-*-* 09:00:00", zone: "Europe/Berlin")),
      try? SharedSpec(kind: .stopwatch),
      try? SharedSpec(
        kind: .sequence, bands: bands, rounds: 4, steps: steps, longEvery: 4, afterSleep: .restart),
    ].compactMap { $0 }
  }()

  /// The specification of an alarm with excepted days and a last day.
  package static let alarmWithDays = try? SharedSpec(
    kind: .alarm,
    schedule: Schedule(
      expression: "*-*-* 09:00:00", zone: "",
      except: [
        DayRange(first: 0, last: 0),
        DayRange(first: Limits.days.upperBound - 2, last: Limits.days.upperBound - 1),
      ], until: Limits.days.upperBound))

  package static var kinds: [Event.Kind] {
    var kinds = plainKinds
    for continuation in continuations {
      let next = Recurrence(
        position: 7, missed: most, mark: -3, step: "räst", continuation: continuation)
      let ring = Ring(atElapsed: -1, lateUsec: 2, cause: .paused, span: 3, next: next)
      kinds += [.fired(ring), .skipped(ring), .stepped(ring), .stepEnded(ring)]
      kinds += [.advanced(atElapsed: 5, next: next), .restartedAfterSleep(next, span: 4)]
    }
    for spec in specs {
      kinds.append(
        .started(
          clock: .wall, durationUsec: 0, deadline: -1, attachments: attachments,
          wakes: spec.kind == .alarm, spec: spec))
      kinds.append(.updated(attachments, spec: spec))
    }
    for (index, ring) in rings.enumerated() {
      var attached = attachments
      attached.ring = ring
      if index > 0 { (attached.labels, attached.data) = ([], []) }
      for spec in [specs[0], nil] {
        kinds.append(
          .started(
            clock: .elapsed, durationUsec: 5, deadline: 6, attachments: attached, spec: spec))
        kinds.append(.updated(attached, spec: spec))
      }
      kinds.append(.updated(Attachments(ring: rings[0])))
    }
    for note in notes {
      kinds.append(.actionStarted(note))
      for outcome in outcomes {
        let end = ActionEnd(
          outcome, durationUsec: most, printedBytes: 1_000_000_000, droppedBytes: 5)
        kinds.append(.actionEnded(note, end))
      }
    }
    kinds += [
      .skipped(Ring(atElapsed: 5, lateUsec: 0, cause: .sleep, span: 1)), .acknowledged,
      .fired(Ring(atElapsed: 5, lateUsec: 0, cause: .sleep, span: 1, isEstimated: true)),
      .fired(
        Ring(
          atElapsed: 5, lateUsec: 0, cause: nil, span: 0,
          next: Recurrence(
            position: 3, missed: 0, continuation: .runs(deadline: 9, durationUsec: 4)))),
      .bandCrossed(begun: 0, nil, remainingUsec: 3),
      .bandCrossed(begun: 2, specs[0].bands[1], remainingUsec: 0), .lapped(elapsedUsec: 9),
      .rescheduled(deadline: -4, durationUsec: 4),
      .rescheduled(
        deadline: 7, durationUsec: 3, back: Event.Place(position: 2, step: "rest")),
      .pausedAfterSleep(remainingUsec: 5, span: 6),
      .pausedAfterSleep(remainingUsec: 5, span: 6, enteredSeq: most),

      .cameDue(span: 4, names: ["a", "run/4711/mäte"], count: 1_000_000),
      .cameDue(span: 4, names: [], count: 0), .zoneChanged("Europe/Berlin"), .zoneChanged(""),
    ]
    // These events come after those in Tests/Samples/events.jsonl, because the position of a
    // sample decides whether it has counters.
    var attached = attachments
    attached.message = "Nimm das Brot heräus"
    kinds += [
      .updated(attached), .updated(Attachments(message: "x")), .unanswered(number: 1),
      .unanswered(number: 12), .rangAgain(number: 2),
    ]
    for note in notes {
      let lines = ["", "cannot open 'glöckchen.oga'"]
      kinds.append(.actionEnded(note, ActionEnd(.exited(status: 1), lastLines: lines)))
    }
    kinds += [
      .passedOver(.init(key: 3, usec: 0, byUsec: 9, deadline: -most)),
      .passedOver(.init(key: most, usec: most, byUsec: 9, deadline: most)),
      .reinstated(.init(key: most, usec: most, byUsec: -9, deadline: most)),
      .started(
        clock: .wall, durationUsec: 0, deadline: -1, attachments: Attachments(),
        spec: alarmWithDays),
      .updated(Attachments(), spec: alarmWithDays),
      .started(clock: .present, durationUsec: 1, deadline: -1, attachments: Attachments()),
      .enteredBackground(absence(ended: false)), .leftBackground(absence(ended: true)),
      .fired(Ring(atElapsed: -most, lateUsec: most, cause: .away, span: most)),
    ]
    kinds.append(.fired(Ring(atElapsed: 5, lateUsec: 7, cause: .undone, span: 0)))
    for (index, image) in images.enumerated() {
      kinds.append(
        .undone(
          Event.Undone(seq: Int64(7 + index), type: index == 0 ? "removed" : "", before: image)))
    }
    return kinds + [.renamedTo("run/1/mäte"), .renamedFrom("tea")]
  }

  /// Timers as they were before a change that was undone.
  private static var images: [StoredImage] {
    var plain = Timer(
      id: 3, name: "was", clock: .wall, fullLengthUsec: 5, runLengthUsec: 7, startedUsec: 11,
      phase: .running(deadline: -8))
    (plain.lastEvent, plain.countedFrom, plain.timeline) = (9, 6, .elapsed)
    (plain.wakes, plain.isSnoozed) = (true, true)
    var rich = plain
    (rich.spec, rich.fullLengthUsec, rich.instantUsec) = (specs[2], 0, 5)
    (rich.course.position, rich.course.deadlineAfterSnooze) = (2, -5)
    rich.attachments = attachments
    rich.interruption = Interruption(pausedSeq: 5, resumedSeq: 4)
    rich.lastRing = LastRing(firedUsec: 12, lateUsec: -2, cause: .sleep, estimatedBy: nil)
    return [
      StoredImage(Engine.StoredTimer(slot: 4, order: 6, plain)),
      StoredImage(Engine.StoredTimer(slot: 700, order: 0, rich)),
    ]
  }

  package static let continuations: [Recurrence.Continuation] = [
    .ends, .waits, .runs(deadline: -most, durationUsec: most),
  ]

  private static var plainKinds: [Event.Kind] {
    [Timeline.elapsed, .awake, .wall].map {
      .started(clock: $0, durationUsec: 1, deadline: -1, attachments: Attachments())
    } + [
      .started(
        clock: .wall, durationUsec: most, deadline: most,
        attachments: attachments),
      .started(
        clock: .elapsed, durationUsec: 3, deadline: 4, attachments: attachments, wakes: true),
      .paused(remainingUsec: 0), .paused(remainingUsec: 1, isUp: true),
      .paused(remainingUsec: most),
      .paused(remainingUsec: -most, keepsSetSeq: true),
      .paused(remainingUsec: 3, isUp: true, keepsSetSeq: true),
      .resumed(deadline: -most), .resumed(deadline: 1, .counted),
      .resumed(deadline: -1, .interrupted), .resumed(deadline: 2, .interruptedAgain),
      .resumed(deadline: 3, .inDoubt),
      .extended(byUsec: -5, deadline: 5), .restarted(deadline: 1), .snoozed(byUsec: 1, deadline: 2),
      .updated(attachments), .updated(Attachments()),
      .fired(Ring(atElapsed: 5, lateUsec: 0, cause: nil, span: 0)),
      .cancelled(atElapsed: -1, remainingUsec: 3),
      .cancelled(atElapsed: -1, remainingUsec: 3, isUp: true),
      .dismissed, .removed, .expired, .enteredBackground(open), .leftBackground(left),
      .spanCorrected(left, byUsec: -3, sinceSeq: 4),
      .spanCorrected(left, byUsec: 3, sinceSeq: 4, untilSeq: most),
      .spanCorrected(left, byUsec: 3, sinceSeq: 4, earlyUsec: most),
      .clockStepped(byUsec: -most),
    ]
      + LateCause.allCases.filter { $0 != .away && $0 != .undone }.map {
        .fired(
          Ring(atElapsed: -most, lateUsec: most, cause: $0, span: most))
      }
  }

  /// Events of these kinds, with consecutive numbers. Their times go forward and back.
  package static var events: [Event] {
    kinds.enumerated().map { index, kind in
      let seq = Int64(1000 + index)
      let isMachine: Bool
      switch kind {
      case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue,
        .zoneChanged:
        isMachine = true
      case .actionStarted(let note), .actionEnded(let note, _): isMachine = note.owner != .subject
      case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .fired,
        .skipped, .stepped, .stepEnded, .advanced, .acknowledged, .bandCrossed, .lapped,
        .unanswered, .rangAgain, .passedOver, .reinstated, .rescheduled, .pausedAfterSleep,
        .restartedAfterSleep, .cancelled, .dismissed, .removed, .undone, .renamedTo, .renamedFrom,
        .expired:
        isMachine = false
      }
      let subject = Event.Subject(
        slot: index * 700, id: seq - Int64(index), name: "run/\(index)/mäte",
        previous: index % 2 == 0 ? 0 : seq - 1)
      let counters = Counters(
        elapsedUsec: Int64(index) * 1_000_003, awakeUsec: Int64(index % 5) * 700_001)
      return Event(
        seq: seq, timeUsec: moment.realtimeUsec + (index % 2 == 0 ? 1 : -1) * Int64(index) * 999,
        counters: counters, subject: isMachine ? nil : subject,
        request: !isMachine && index % 4 == 1 ? "änderung \(index)" : nil, kind: kind)
    }
  }
}

extension Event {
  /// An event for a test to which the counters do not matter.
  package convenience init(seq: Int64, timeUsec: Int64, subject: Subject?, kind: Kind) {
    self.init(
      seq: seq, timeUsec: timeUsec, counters: EventSamples.counters, subject: subject, kind: kind)
  }
}
