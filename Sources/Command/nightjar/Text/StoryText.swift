import NightjarClient
import NightjarTime

/// The story of a timer as text for people. It has lines about events and background spans, and a
/// summary.
struct StoryText {
  private enum Item {
    case event(Wire.Event)
    /// A background span whose two events are not in `machine`.
    case span(Wire.Span)
  }

  private let story: Wire.Why.Reply
  private let nowUsec: Int64
  private let items: [Item]
  private let spans: [Int64: Wire.Span]

  private(set) var lines: [String] = []
  /// The summary of the last run, with its background spans.
  private(set) var summary: StorySummary?

  private var fold: RunFold
  private var last: Wire.Span?
  /// The timer's properties after the last event of the story that has been read; nil: unknown.
  private var carried: CarriedParts?

  /// - Parameters:
  ///   - story: the daemon's reply to `Why`.
  ///   - machine: the ledger's events about the machine since the story began, in order. It may be
  ///     empty.
  ///   - timer: the timer now; nil: it was removed.
  init(_ story: Wire.Why.Reply, machine: [Wire.Event], timer: Wire.Timer?, nowUsec: Int64) {
    // An absence of the user affects only timers on the clock `present`.
    let isOnPresent = (story.events.first?.clock ?? timer?.clock) == .present
    let machine = isOnPresent ? machine : machine.filter { $0.span?.isAbsence != true }
    let shown = isOnPresent ? story.spans : story.spans.filter { !$0.isAbsence }
    self.story = story
    self.nowUsec = nowUsec
    spans = Dictionary((machine.compactMap(\.span) + story.spans).map { ($0.span, $0) }) { $1 }
    items = Self.ordered(story.events, shown, machine: machine)
    fold = RunFold(
      present: timer.map { [$0] } ?? [], oldestSeq: story.events.first?.seq ?? .max)
    if let first = story.events.first, first.type != .started {
      lines.append("The beginning is not shown: the ledger no longer has it, or it is too long.")
    }
    for item in items { add(item) }
    guard let name = story.events.last?.name,
      var run = fold.run(named: name) ?? fold.lastEnded
    else { return }
    if let timer { run = run.counted(in: timer, nowUsec: nowUsec) }
    summary = StorySummary(
      run, fold.hidden, steppedUsec: steppedUsec(since: run.run.startSeq), timer: timer)
  }

  /// The elements in the order in which they are shown. Events have the order of the ledger, even
  /// if their times have another order. A span without events in `machine` is placed before the
  /// first event that is later than its beginning. If the beginning is estimated, it is the time of
  /// the last commit before the span, and the span is not placed before the event of that commit.
  private static func ordered(
    _ events: [Wire.Event], _ shown: [Wire.Span], machine: [Wire.Event]
  ) -> [Item] {
    let entered = Set(
      machine.filter { $0.type == .didEnterBackground }.compactMap(\.span?.span))
    var spans = shown.filter { !entered.contains($0.span) }
      .sorted { $0.span < $1.span }[...]
    var items: [Item] = []
    for event in (events + machine).sorted(by: { $0.seq < $1.seq }) {
      while let span = spans.first, span.enteredUsec < event.timeUsec {
        items.append(.span(span))
        spans.removeFirst()
      }
      items.append(.event(event))
    }
    return items + spans.map(Item.span)
  }

  // MARK: Line by line

  private mutating func add(_ item: Item) {
    switch item {
    case .span(let span):
      lines.append(text(span, run))
      fold.add(span)
    case .event(let event): add(event)
    }
  }

  private mutating func add(_ event: Wire.Event) {
    let before = run
    if event.type == .didEnterBackground, let span = event.span {
      last = spans[span.span] ?? span
      lines.append(text(last ?? span, before))
    }
    fold.take(event)
    var text = EventText(event, in: event.spanId.flatMap { spans[$0] } ?? last)
    text.before = carried
    switch event.type {
    case .started, .updated: carried = CarriedParts(behind: event, before: carried)
    case .undone: carried = nil
    default: break
    }
    guard !text.isAboutSpan || event.type == .spanCorrected else { return }
    var line = "\(point(event.timeUsec))  \(text.sentence)"
    if event.type == .resumed, let run {
      line += " after \(SpanFormat.text(usec: run.lastPauseUsec, units: 2))"
    }
    lines.append(line)
  }

  private var run: OpenRun? { story.events.last?.name.flatMap { fold.run(named: $0) } }

  private func text(_ span: Wire.Span, _ run: OpenRun?) -> String {
    let time = point(span.enteredUsec)
    let reason = TimerText.reasons(span.causes)
    guard let leftUsec = span.leftUsec else { return "\(time)  \(reason), and that lasts" }
    let effect =
      switch run?.run.state {
      case .running? where run.map { span.stops($0.run.clock) } == true:
        " (not counted: \(run?.run.clock.rawValue ?? ""))"
      case .paused?: " (not counted: paused)"
      default: ""
      }
    return "\(time)  \(reason), for \(EventText.length(of: span)) until \(point(leftUsec))\(effect)"
  }

  /// The sum of the steps of the wall clock since the run began. The correction of a reboot is
  /// recorded together with a step. That step does not change a deadline that was set before the
  /// reboot.
  private func steppedUsec(since startSeq: Int64) -> Int64 {
    items.reduce(0) { sum, item in
      guard case .event(let event) = item, event.seq > startSeq else { return sum }
      switch event.type {
      case .clockStepped: return sum + (event.offsetUsec ?? 0)
      case .spanCorrected where startSeq <= event.sinceSeq ?? 0:
        return sum - (event.byUsec ?? 0)
      default: return sum
      }
    }
  }

  private func point(_ usec: Int64) -> String { LocalTime.short(usec, nowUsec: nowUsec) }
}
