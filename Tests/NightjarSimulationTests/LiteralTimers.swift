import NightjarCore

/// How much passed on each clock, in microseconds.
struct Amount: Equatable {
  var elapsed: Int64 = 0
  var awake: Int64 = 0
  var wall: Int64 = 0

  subscript(timeline: Timeline) -> Int64 {
    switch timeline {
    case .elapsed: elapsed
    case .awake: awake
    case .wall: wall
    }
  }

  static func += (a: inout Amount, b: Amount) {
    a.elapsed += b.elapsed
    a.awake += b.awake
    a.wall += b.wall
  }
}

/// Why a timer is late, and the number of the span, or 0.
struct Blame: Equatable {
  var cause: LateCause
  var span: Int64
}

/// A timer as anyone would write it first: it has no deadline, only what remains.
struct LiteralTimer {
  var name: String
  var id: Int64
  var state = TimerState.running
  var clock: Timeline
  var timeline: Timeline
  var originalUsec: Int64
  var durationUsec: Int64
  /// Of a running timer below zero once it is overdue.
  var remainingUsec: Int64
  /// The number of the event that set what remains: equal deadlines ring in this order.
  var setSeq: Int64
  var startedUsec: Int64
  var data: [UInt8]

  /// Since it fired or was cancelled.
  var sinceEndUsec: Int64 = 0
  var firedUsec: Int64 = 0
  var lateUsec: Int64 = 0
  var lateCause: LateCause?

  /// Whether it was set going, or ended, after the last reboot: then no correction of it matters.
  var isSetSinceReboot = true
  /// The span in which it came due.
  var blame: Blame?
  /// The step or the correction by which it came due.
  var jump: Blame?
  /// What a span hid that an awake clock does not count.
  var hiddenUsec: Int64 = 0

  var isActive: Bool { state == .running || state == .paused }

  var isBlamed: Bool { blame != nil || jump != nil || hiddenUsec > 0 }

  mutating func forgetBlame() {
    blame = nil
    jump = nil
    hiddenUsec = 0
  }
}

/// Something that passes for all timers alike, and is not undone when requests are.
enum Passage {
  /// Time; held back in the background.
  case time(Amount)
  /// The wall clock was set. A step too small to be noticed is nobody's cause.
  case stepped(Int64, isNoticed: Bool)
  case entered
  case left(LiteralSpan)
  case corrected(LiteralSpan, by: Int64)
  /// Nothing that is due waits any longer, or nobody remembers why it did.
  case forgotBlame
  /// An event that nobody asked for.
  case event(LiteralEvent)
  /// Somebody asked something of the timer with this number.
  case requested(Int64)
}

/// All timers, and what is held back from them in the background.
struct LiteralTimers {
  var all: [LiteralTimer] = []
  /// What passed since the span was entered; nil in the foreground.
  var heldBack: Amount?
  /// The span that was left without anything firing before the next was entered.
  var unfinished: Blame?

  func index(_ name: String) -> Int? { all.firstIndex { $0.name == name } }

  /// What remains as anyone sees it, with what is held back.
  func visibleRemaining(_ timer: LiteralTimer) -> Int64 {
    switch timer.state {
    case .running: max(0, timer.remainingUsec - (heldBack?[timer.timeline] ?? 0))
    case .paused, .cancelled: timer.remainingUsec
    case .fired: 0
    }
  }

  /// Loops over all of them, and subtracts.
  mutating func subtract(_ amount: Amount) {
    for index in all.indices {
      switch all[index].state {
      case .running: all[index].remainingUsec -= amount[all[index].timeline]
      case .fired, .cancelled: all[index].sinceEndUsec += amount.elapsed
      case .paused: break
      }
    }
  }

  mutating func apply(_ passage: Passage) {
    switch passage {
    case .time(let amount):
      if heldBack == nil { subtract(amount) } else { heldBack? += amount }
    case .stepped(let by, let isNoticed): step(by, isNoticed: isNoticed)
    case .entered: heldBack = Amount()
    case .left(let span): leave(span)
    case .corrected(let span, let by): correct(span, by: by)
    case .forgotBlame:
      unfinished = nil
      for index in all.indices { all[index].forgetBlame() }
    case .event(let event): end(event)
    case .requested: break
    }
  }

  private mutating func step(_ by: Int64, isNoticed: Bool) {
    guard heldBack == nil else {
      heldBack?.wall += by
      return
    }
    for index in all.indices where all[index].state == .running && all[index].timeline == .wall {
      let before = all[index].remainingUsec
      all[index].remainingUsec -= by
      if isNoticed, before > 0, before <= by { all[index].jump = Blame(cause: .step, span: 0) }
    }
  }

  /// The way out of a span.
  private mutating func leave(_ span: LiteralSpan) {
    let held = heldBack ?? Amount()
    heldBack = nil
    if unfinished == nil { unfinished = Blame(cause: LateCause(span.causes[0]), span: span.id) }
    let wasDue = all.map { $0.timeline == .awake && $0.remainingUsec <= 0 }
    subtract(held)
    for index in all.indices {
      if all[index].state == .running, all[index].remainingUsec <= 0 {
        if all[index].blame == nil {
          all[index].blame = Blame(cause: LateCause(span.causes[0]), span: span.id)
        }
        if wasDue[index] { all[index].hiddenUsec += max(0, span.elapsedUsec - held.awake) }
      }
      if span.causes.contains(.reboot) { all[index].isSetSinceReboot = false }
    }
  }

  private mutating func correct(_ span: LiteralSpan, by: Int64) {
    for index in all.indices where !all[index].isSetSinceReboot {
      switch all[index].state {
      case .running where all[index].timeline == .elapsed:
        let before = all[index].remainingUsec
        all[index].remainingUsec -= by
        if before > 0, before <= by {
          all[index].jump = Blame(cause: LateCause(span.causes[0]), span: span.id)
          all[index].blame = unfinished
        }
      case .fired, .cancelled: all[index].sinceEndUsec += by
      case .running, .paused: break
      }
    }
  }

  /// Fired, or put away after a day.
  private mutating func end(_ event: LiteralEvent) {
    guard let index = all.firstIndex(where: { $0.id == event.id }) else { return }
    if event.type == "expired" {
      all.remove(at: index)
    } else if event.type == "fired" {
      all[index].state = .fired
      all[index].sinceEndUsec = -(heldBack?.elapsed ?? 0)
      all[index].isSetSinceReboot = true
      all[index].setSeq = event.seq
      all[index].firedUsec = event.timeUsec
      all[index].lateUsec = event.numbers[0]
      all[index].lateCause = LateCause(rawValue: UInt8(event.numbers[1]))
      all[index].forgetBlame()
    }
  }
}
