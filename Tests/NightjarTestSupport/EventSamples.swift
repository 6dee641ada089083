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

  package static let alarmWithDays = try? SharedSpec(
    kind: .alarm,
    schedule: Schedule(
      expression: "*-*-* 09:00:00", zone: "",
      except: [
        DayRange(first: 0, last: 0),
        DayRange(first: Limits.days.upperBound - 2, last: Limits.days.upperBound - 1),
      ], until: Limits.days.upperBound))

  package static var kinds: [Event.Kind] {
    var kinds = startKinds + ringKinds + plainKinds
    for note in notes {
      kinds.append(.actionStarted(note))
      kinds += outcomes.map {
        .actionEnded(
          note,
          ActionEnd($0, durationUsec: most, printedBytes: 1_000_000_000, droppedBytes: 5))
      }
      let lines = ["", "cannot open 'glöckchen.oga'"]
      kinds.append(.actionEnded(note, ActionEnd(.exited(status: 1), lastLines: lines)))
    }
    for (index, image) in images.enumerated() {
      kinds.append(
        .undone(
          Event.Undone(
            seq: Int64(7 + index), type: index == 0 ? "removed" : "", before: image,
            ring: index == 0 ? 0 : most)))
    }
    kinds += [.renamedTo("run/1/mäte"), .renamedFrom("tea")]
    for lack in RingLack.allCases {
      kinds += [
        .unnoticed(Unnoticed(unseen: lack, unheard: nil, reason: "wärum"), expiry: 1),
        .unnoticed(Unnoticed(unseen: nil, unheard: lack, reason: ""), expiry: most),
      ]
    }
    return kinds
  }

  /// Starts and updates with all specifications and attachments.
  private static var startKinds: [Event.Kind] {
    var kinds: [Event.Kind] = Timeline.allCases.map {
      .started(clock: $0, durationUsec: 1, deadline: -1, attachments: Attachments())
    }
    kinds += [
      .started(
        clock: .wall, durationUsec: most, deadline: most, attachments: attachments,
        replaced: Event.Replaced(id: 4, ring: 0)),
      .started(
        clock: .elapsed, durationUsec: 3, deadline: 4, attachments: attachments, wakes: true,
        replaced: Event.Replaced(id: most, ring: most)),
      .updated(attachments), .updated(Attachments()), .updated(Attachments(message: "x")),
    ]
    for spec in specs + [alarmWithDays].compactMap({ $0 }) {
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
      attached.message = index > 0 ? "Nimm das Brot heräus" : ""
      for spec in [specs[0], nil] {
        kinds.append(
          .started(
            clock: .elapsed, durationUsec: 5, deadline: 6, attachments: attached, spec: spec))
        kinds.append(.updated(attached, spec: spec))
      }
    }
    return kinds
  }

  private static let lates =
    LateCause.allCases.map { Lateness(usec: most, cause: $0, span: most) } + [
      Lateness(usec: 0, cause: nil, span: 0),
      Lateness(usec: -most, cause: nil, span: 0, isEstimated: true),
    ]

  private static let soundings = [
    Sounding(expiry: 1, expiries: 1, firstDueUsec: 0, forUsec: 0, insistUsec: 0),
    Sounding(expiry: most, expiries: most, firstDueUsec: -most, forUsec: most, insistUsec: most),
  ]

  package static let continuations: [Recurrence.Continuation] = [
    .ends, .waits, .runs(deadline: -most, durationUsec: most),
  ]

  /// Events of expiries and rings, and the answers.
  private static var ringKinds: [Event.Kind] {
    var kinds: [Event.Kind] = lates.map { .rang($0, soundings[1], nil) }
    for continuation in continuations {
      let next = Recurrence(position: 7, handledInstant: -3, step: "räst", continuation)
      let passing = Passing(number: 2, missed: most, position: 6, next: next)
      kinds += [.rang(lates[0], soundings[0], passing), .rang(lates[1], soundings[1], passing)]
      kinds += [true, false].map { .didNotRing(lates[0], passing, quietsRing: $0) }
      let expiries = (1...3).map { JoinedExpiry(number: $0, late: lates[Int($0)], position: -1) }
      kinds.append(.joined(expiries, count: most, next: next, expiries: 5))
      kinds += [.advanced(next: next, ring: 0), .advanced(next: next, ring: most)]
      kinds.append(.restartedAfterSpan(next, span: 4))
    }
    let plain = Passing(number: 1, position: 0, next: Recurrence(.ends))
    kinds += [
      .rang(lates[0], soundings[0], plain),
      .rang(
        lates[0], soundings[0],
        Passing(
          number: 3, position: 2,
          next: Recurrence(position: 3, .runs(deadline: 9, durationUsec: 4)))),
      .joined(
        [JoinedExpiry(number: 1, late: lates[0], position: 0)], count: 1, next: plain.next,
        expiries: 2),
      .rangAgain(lates[0], soundings[0], insisted: 1),
      .rangAgain(lates[1], soundings[1], insisted: 11),
      .unanswered(expiry: 1, number: 1), .unanswered(expiry: most, number: 12),
      .stayedQuiet(lates[0], expiry: 1, isSnooze: true),
      .stayedQuiet(lates[1], expiry: most, isSnooze: false),
      .leftRing(expiry: 1, left: 1, expiries: 1), .leftRing(expiry: most, left: 64, expiries: most),
      .snoozed(byUsec: 1, deadline: 2, ring: 1),
      .snoozed(byUsec: most, deadline: -most, ring: most),
      .dismissed(ring: 0, miss: 0, removes: false), .dismissed(ring: 3, miss: most, removes: true),
      .stopped(ring: 1, removes: false), .stopped(ring: most, removes: true),
      .cancelled(remainingUsec: 3, ring: 0), .cancelled(remainingUsec: 3, isUp: true, ring: most),
      .cancelled(remainingUsec: -1, ring: 5, removes: true),
      .restarted(deadline: 1, ring: 0), .restarted(deadline: -most, ring: most),
      .removed(ring: 0), .removed(ring: most), .forgotten(ring: 0), .forgotten(ring: most), .ranOut,
      .skipped(.init(key: 3, usec: 0, byUsec: 9, deadline: -most), expiry: 1),
      .skipped(.init(key: most, usec: most, byUsec: 9, deadline: most), expiry: most),
      .unskipped(.init(key: most, usec: most, byUsec: -9, deadline: most)),
    ]
    return kinds
  }

  private static var plainKinds: [Event.Kind] {
    [
      .paused(remainingUsec: 0), .paused(remainingUsec: 1, isUp: true),
      .paused(remainingUsec: most),
      .paused(remainingUsec: -most, keepsSetSeq: true),
      .paused(remainingUsec: 3, isUp: true, keepsSetSeq: true),
      .resumed(deadline: -most), .resumed(deadline: 1, .counted),
      .resumed(deadline: -1, .interrupted), .resumed(deadline: 2, .interruptedAgain),
      .resumed(deadline: 3, .inDoubt),
      .extended(byUsec: -5, deadline: 5), .lapped(elapsedUsec: 9),
      .bandCrossed(begun: 0, nil, remainingUsec: 3),
      .bandCrossed(begun: 2, specs[0].bands[1], remainingUsec: 0),
      .rescheduled(deadline: -4, durationUsec: 4),
      .rescheduled(
        deadline: 7, durationUsec: 3, back: Event.Place(position: 2, step: "rest")),
      .pausedAfterSpan(remainingUsec: 5, span: 6),
      .pausedAfterSpan(remainingUsec: 5, span: 6, enteredSeq: most),
      .enteredBackground(open), .leftBackground(left),
      .enteredBackground(absence(ended: false)), .leftBackground(absence(ended: true)),
      .spanCorrected(left, byUsec: -3, sinceSeq: 4),
      .spanCorrected(left, byUsec: 3, sinceSeq: 4, untilSeq: most),
      .spanCorrected(left, byUsec: 3, sinceSeq: 4, earlyUsec: most),
      .clockStepped(byUsec: -most),
      .cameDue(span: 4, names: ["a", "run/4711/mäte"], count: 1_000_000),
      .cameDue(span: 4, names: [], count: 0), .zoneChanged("Europe/Berlin"), .zoneChanged(""),
    ]
  }

  /// Timers as they were before a change that was undone: a plain one, and one for each state of a
  /// ring.
  private static var images: [StoredImage] {
    var plain = Timer(
      id: 3, name: "was", clock: .wall, fullLengthUsec: 5, runLengthUsec: 7, startedUsec: 11,
      phase: .running(deadline: -8))
    (plain.lastEvent, plain.countedFrom, plain.clock, plain.wakes) = (9, 6, .elapsed, true)
    let states: [NightjarEngine.Ring.State] = [
      .sounding(until: -most), .quiet(since: 77), .insisting(at: most), .snoozed(until: 5),
    ]
    let rich = states.enumerated().map { index, state in
      var rich = plain
      (rich.spec, rich.fullLengthUsec, rich.instantUsec) = (specs[2], 0, 5)
      rich.course.position = 2
      rich.attachments = attachments
      rich.interruption = Interruption(pausedSeq: 5, resumedSeq: 4)
      rich.expiries = expiries(ringing: state)
      return StoredImage(Engine.StoredTimer(slot: 700 + index, order: 0, rich))
    }
    return [StoredImage(Engine.StoredTimer(slot: 4, order: 6, plain))] + rich
  }

  private static func expiries(ringing state: NightjarEngine.Ring.State) -> Expiries {
    let estimate = Estimate(
      seq: 3, countedFrom: 2, interruption: Interruption(pausedSeq: 5, resumedSeq: 4),
      isOnWall: true)
    let expiry = Expiry(
      number: 2, Reached(atUsec: 12, lateUsec: -2, cause: .sleep, span: 3, estimate: estimate),
      missed: most, position: 1, handledBefore: -5)
    var ring = Ring()
    (ring.state, ring.countedFrom, ring.expiry) = (state, 5, expiry)
    ring.joined = (3...4).map {
      Expiry(number: $0, Reached(atUsec: 14, lateUsec: 1, cause: .paused), outcome: .joined)
    }
    (ring.expiries, ring.firstDueUsec, ring.sound) = (3, -14, expiry.reached)
    (ring.insistUsec, ring.insisted) = (most, 11)
    (ring.sinceElapsed, ring.sinceEvent) = (-9, 8)
    var all = Expiries.none
    (all.lastNumber, all.last, all.misses, all.ring) = (5, ring.joined[1], most, ring)
    all.miss = Expiry(number: 5, Reached(cause: .reboot, span: 9), outcome: .didNotRing)
    return all
  }

  /// Events of these kinds, with consecutive numbers. Their times go forward and back.
  package static var events: [Event] {
    kinds.enumerated().map { index, kind in
      let seq = Int64(1000 + index)
      var isMachine = kind.traits.contains(.isOfMachine)
      if let note = kind.action { isMachine = note.owner != .subject }
      let subject = Event.Subject(
        slot: index * 700, id: seq - Int64(index), name: "run/\(index)/mäte",
        previous: index % 2 == 0 ? 0 : seq - 1)
      let counters = Counters(
        elapsedUsec: Int64(index) * 1_000_003, awakeUsec: Int64(index % 5) * 700_001)
      return Event(
        seq: seq, timeUsec: moment.realtimeUsec + (index % 2 == 0 ? 1 : -1) * Int64(index) * 999,
        counters: counters, subject: isMachine ? nil : subject,
        request: !isMachine && index % 4 == 1 ? "änderung \(index)" : nil,
        sums: kind.traits.contains(.endsPart)
          ? Event.Sums(countedUsec: Int64(index) * 1_000_007, pausedUsec: Int64(index % 3) * 700)
          : nil, kind: kind)
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
