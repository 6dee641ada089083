import NightjarClient
import NightjarInterface
import NightjarTime
import Varlink

/// The line about timers that a status bar shows, in the format of the bar.
struct BarLine {
  /// The format of a line. Each is the format of a program, or of several.
  enum Format: String, CaseIterable {
    case plain
    case json
    case waybar
    case polybar
    case i3blocks
    case i3statusRs = "i3status-rs"
    case tmux

    /// Whether the format shows all timers. The other formats show one timer, and the number of
    /// other timers.
    var showsAll: Bool { self == .json || self == .waybar }
  }

  private enum Urgency {
    case none, idle, paused, band, lastBand, rang
  }

  /// All timers, if the format shows them all; otherwise empty.
  private let timers: [LiveTimer]
  private let now: ClockReading
  /// The timer that the line shows; nil: there is none.
  private let first: LiveTimer?
  private let count: Int
  /// The number of rings that nobody has answered, without the one that the line shows.
  private let unanswered: Int
  /// The time until the line no longer shows an unanswered ring, in microseconds; nil: it shows no
  /// such ring.
  private let ringEndsUsec: Int64?
  private let template: BarTemplate?

  /// How long the line shows the unanswered ring of a timer that is over, in microseconds.
  static let ringUsec: Int64 = 10 * 60_000_000
  /// The colour of a ring if the timer's band has no colour.
  private static let ringColor = Color(red: 0xFF, green: 0x5F, blue: 0x5F)

  /// A line about the followed timers. Cancelled timers are left out. O(log n), or O(n) for formats
  /// that show all timers.
  init(
    _ board: inout Board, for format: Format, template: BarTemplate? = nil,
    at now: ClockReading
  ) {
    timers = format.showsAll ? board.inOrder().filter { $0.timer.state != .cancelled } : []
    let (ring, next) = (board.firstRing(), board.firstNext())
    (first, ringEndsUsec) = Self.choice(ring: ring, next: next, at: now)
    count = board.activeCount
    let isShown = first.map { $0.timer.showsRing && $0.timer.ringing == .unanswered } ?? false
    unanswered = board.unansweredCount - (isShown && ringEndsUsec != nil ? 1 : 0)
    self.template = template
    self.now = now
  }

  /// The timer that the line shows: one whose ring sounds, or has been quiet for less than
  /// `ringUsec`, or else the one that rings next.
  static func choice(
    ring: LiveTimer?, next: LiveTimer?, at now: ClockReading
  ) -> (first: LiveTimer?, ringEndsUsec: Int64?) {
    guard let ring, ring.timer.ringing != .ringing else { return (ring ?? next, nil) }
    let left = ringUsec - (ring.quietUsec(at: now) ?? ring.rangAgoUsec(at: now) ?? 0)
    return left > 0 ? (ring, left) : (next, nil)
  }

  func text(in format: Format) -> String {
    switch format {
    case .plain: text { $0 }
    case .json: json.text
    case .waybar: waybar.text
    case .polybar:
      colored {
        "%{F\($0.hex)}\($1)%{F-}"
      } escape: {
        $0.replacingScalars("%{", with: "% {")
      }
    case .i3blocks: i3blocks.text
    case .i3statusRs: i3statusRs.text
    case .tmux:
      colored {
        "#[fg=\($0.hex)]\($1)#[default]"
      } escape: {
        $0.replacingScalars("#", with: "##")
      }
    }
  }

  /// The time until the line changes, in microseconds; nil: the line changes only after an event.
  func nextChangeUsec(in format: Format) -> Int64? {
    // The line does not show how long ago a timer rang, so that time causes no new line. In the
    // formats with all timers, only a change of the first running timer causes a new line.
    // Otherwise there would be a line for each second of each timer.
    let leader: LiveTimer? =
      switch format {
      case .json, .waybar: timers.first(where: Self.isCounting)
      case .plain, .polybar, .i3blocks, .i3statusRs, .tmux:
        first.flatMap { Self.isCounting($0) ? $0 : nil }
      }
    let next = leader?.nextChangeUsec(after: now, in: .seconds)
    return [next, ringEndsUsec].compactMap(\.self).min()
  }

  /// Whether the line shows how the time of the timer passes.
  private static func isCounting(_ live: LiveTimer) -> Bool {
    !live.timer.showsRing && (live.timer.state == .running || live.timer.isSnoozed)
  }

  // MARK: In words

  /// The text of the line: `tea 03:12 (+2, 1 unanswered)`, or the text of the template. Empty if
  /// there is no timer to show.
  ///
  /// - Parameter escape: escapes the bar's markup in values. The text of a template is not escaped,
  ///   because it may contain markup.
  private func text(_ escape: (String) -> String) -> String {
    guard let first else { return "" }
    if let template {
      let more = count > 1 ? "+\(count - 1)" : ""
      return Self.shown(
        template.text(first, more: more, unanswered: unanswered, at: now) {
          escape(Self.shown($0))
        })
    }
    let more = [
      count > 1 ? "+\(count - 1)" : nil, unanswered > 0 ? "\(unanswered) unanswered" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    return escape(Self.line(first, at: now) + (more.isEmpty ? "" : " (\(more))"))
  }

  /// The text about a timer, such as `tea 03:12`, `tea 03:12 paused`, `tea 03:12 snoozed`, `tea
  /// rang: Take it out` or `pomodoro work 18:40`.
  private static func line(_ live: LiveTimer, at now: ClockReading) -> String {
    let timer = live.timer
    let clock = live.clock(at: now, in: .seconds)
    let step = timer.step.map { " \(shown($0.name))" } ?? ""
    let band = live.band(at: now)?.text.map { " \(shown($0))" } ?? ""
    let message = timer.message.map { ": \(shown($0))" } ?? ""
    return shown(timer.name)
      + {
        switch timer.state {
        case .waiting where !timer.isSnoozed: "\(step) is over\(message)"
        case _ where timer.showsRing: " rang" + message
        case _ where timer.isSnoozed: "\(step) \(clock) snoozed"
        case .running where timer.away: "\(step) \(clock) away"
        case .running: "\(step) \(clock)\(band)"
        case .paused: "\(step) \(clock) paused"
        case .over where timer.miss != nil: " did not ring" + message
        case .over, .waiting, .cancelled, .other: " \(timer.state.rawValue)"
        }
      }()
  }

  /// The text without characters that would end the line or change its direction.
  private static func shown(_ text: String) -> String {
    VisibleText.replaced(text) { _ in " " }
  }

  private var urgency: Urgency {
    guard let first else { return .none }
    guard !first.timer.showsRing else { return .rang }
    switch first.timer.state {
    case _ where first.timer.isSnoozed: return .paused
    case .waiting: return .rang
    case .paused: return .paused
    case .running where first.timer.away: return .paused
    case .running, .over, .cancelled, .other:
      guard let band = first.band(at: now) else { return .idle }
      return band == first.timer.bands.last ? .lastBand : .band
    }
  }

  private var color: Color? {
    first?.band(at: now)?.color.flatMap(Color.init) ?? (urgency == .rang ? Self.ringColor : nil)
  }

  private func colored(
    _ paint: (Color, String) -> String, escape: (String) -> String
  ) -> String {
    let text = text(escape)
    guard let color, !text.isEmpty else { return text }
    return paint(color, text)
  }

  // MARK: As objects

  private var json: JSONValue {
    .members([
      ("text", .string(text { $0 })),
      (
        "timers",
        .array(
          timers.map { live in
            let timer = live.timer
            let band = live.band(at: now)
            return .members([
              ("name", .string(timer.name)), ("kind", .string(timer.kind.rawValue)),
              ("state", .string(timer.state.rawValue)),
              ("ringing", timer.ringing.map { .string($0.rawValue) }),
              ("clock", .string(live.clock(at: now, in: .seconds))),
              ("progress", .double(rounded(live.progress(at: now)))),
              // The time is rounded to milliseconds, because two readings of the clocks may differ
              // by a microsecond.
              ("rings_usec", timer.nextRingUsec.map { .integer($0 / 1_000 * 1_000) }),
              ("step", timer.step.map { .string($0.name) }),
              ("band", band.map { .string($0.name) }),
              ("color", band?.color.map(JSONValue.string)),
              ("text", band?.text.map(JSONValue.string)),
              ("message", timer.message.map(JSONValue.string)),
            ])
          })
      ),
    ])
  }

  /// The progress, rounded to percent. Smaller steps would cause lines that look the same.
  private func rounded(_ progress: Double) -> Double { (progress * 100).rounded(.down) / 100 }

  /// The line for waybar-custom(5) with `return-type: json`. The text and the tooltip are Pango
  /// markup. The name of a band is a class for the style sheet. A ring has a colour even if the
  /// style sheet has no rule for it.
  private var waybar: JSONValue {
    // A ring that the line does not show is no class.
    let shown = first.map {
      $0.timer.showsRing || $0.timer.isSnoozed ? $0.timer.shownWord : $0.timer.state.rawValue
    }
    let state = shown ?? "none"
    let band = first?.band(at: now)?.name
    let percentage = first.map { Int64((rounded($0.progress(at: now)) * 100).rounded()) } ?? 0
    return .object([
      .init("text", .string(urgency == .rang ? ring : text(Markup.escaped))),
      .init("alt", .string(state)),
      .init("tooltip", .string(timers.map(tooltip).joined(separator: "\n"))),
      .init("class", .array(([state, band].compactMap(\.self)).map(JSONValue.string))),
      .init("percentage", .integer(percentage)),
    ])
  }

  /// A line of the tooltip as Pango markup.
  private func tooltip(_ live: LiveTimer) -> String {
    let isHidden = live.timer.ringing == .unanswered && !live.timer.showsRing
    return Markup.escaped(Self.line(live, at: now) + (isHidden ? ", a ring is unanswered" : ""))
  }

  /// The text of a ring as Pango markup.
  private var ring: String {
    "<span color=\"\((color ?? Self.ringColor).hex)\">\(text(Markup.escaped))</span>"
  }

  /// The line for i3blocks(1) with `format=json`, with the keys of the i3bar protocol. i3blocks 1.4
  /// reads only strings and ignores a boolean; later versions accept both. In all versions,
  /// `urgent` is valid only until the next line.
  private var i3blocks: JSONValue {
    .members([
      ("full_text", .string(text { $0 })),
      ("short_text", first.map { .string($0.clock(at: now, in: .seconds)) } ?? ""),
      ("color", color.map { .string($0.hex) }), ("urgent", urgency == .rang ? "true" : nil),
    ])
  }

  /// The line for the block `custom` of i3status-rust with `json = true`. The default format of
  /// that block accepts Pango markup.
  private var i3statusRs: JSONValue {
    let state =
      switch urgency {
      case .none, .idle: "Idle"
      case .paused: "Info"
      case .band: "Warning"
      case .lastBand, .rang: "Critical"
      }
    return .members([
      ("text", .string(text(Markup.escaped))),
      ("short_text", first.map { .string($0.clock(at: now, in: .seconds)) } ?? ""),
      ("state", .string(state)),
    ])
  }
}
