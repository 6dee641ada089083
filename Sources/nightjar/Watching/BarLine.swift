import NightjarClient
import NightjarTime
import NightjarVarlink

/// The line of a status bar about timers, in the bar's format.
struct BarLine {
  /// The program whose format is used.
  enum Format: String, CaseIterable {
    case plain
    case json
    case waybar
    case polybar
    case i3blocks
    case i3statusRs = "i3status-rs"
    case tmux

    /// Whether it shows all timers; other formats show the first, and the number of others.
    var showsAll: Bool { self == .json || self == .waybar }
  }

  /// How urgent the shown timer is.
  private enum Urgency {
    case none, idle, paused, band, lastBand, rung
  }

  /// All timers, for a format that shows them all; otherwise empty.
  private let timers: [LiveTimer]
  private let now: ClockReading
  /// The timer that is shown, if there is any.
  private let first: LiveTimer?
  private let count: Int
  /// The time until the bar shows a running timer again in place of an unanswered ring, in
  /// microseconds.
  private let ringEndsUsec: Int64?
  private let template: BarTemplate?

  /// How long an unanswered ring stays in the bar, in microseconds.
  static let ringUsec: Int64 = 10 * 60_000_000
  /// The colour of a ring whose band has none.
  private static let ringColor = Color(red: 0xFF, green: 0x5F, blue: 0x5F)

  /// Uses the followed timers, without cancelled ones. O(log n), except for formats that show all.
  init(
    _ follower: inout Follower, for format: Format, template: BarTemplate? = nil,
    at now: ClockReading
  ) {
    timers = format.showsAll ? follower.inOrder().filter { $0.timer.state != .cancelled } : []
    let (rung, other) = (follower.firstRung(), follower.firstOther())
    (first, ringEndsUsec) = Self.choice(rung: rung, other: other, at: now)
    count = follower.board.activeCount
    self.template = template
    self.now = now
  }

  /// A timer that rang comes first, but only for a while if another one runs.
  static func choice(
    rung: LiveTimer?, other: LiveTimer?, at now: ClockReading
  ) -> (first: LiveTimer?, ringEndsUsec: Int64?) {
    guard let rung, let other, other.timer.state == .running else { return (rung ?? other, nil) }
    let left = ringUsec - (rung.firedAgoUsec(at: now) ?? 0)
    return left > 0 ? (rung, left) : (other, nil)
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

  /// The time until the line changes, in microseconds; nil: until an event.
  func nextChangeUsec(in format: Format) -> Int64? {
    // The age of a ring is not shown, so it causes no new line. Formats with all timers print a new
    // line only when the first running timer changes: a line for each second of every timer would
    // be too many.
    let leader: LiveTimer? =
      switch format {
      case .json, .waybar: timers.first { $0.timer.state == .running }
      case .plain, .polybar, .i3blocks, .i3statusRs, .tmux:
        first.flatMap { $0.timer.state == .running ? $0 : nil }
      }
    let next = leader?.nextChangeUsec(after: now, in: .seconds)
    return [next, ringEndsUsec].compactMap(\.self).min()
  }

  // MARK: In words

  /// `tea 03:12 (+2)`, or the template's text; empty if there is nothing to show.
  ///
  /// - Parameter escape: escapes the bar's markup in values. A template's own text may contain
  ///   markup.
  private func text(_ escape: (String) -> String) -> String {
    guard let first else { return "" }
    if let template {
      let more = count > 1 ? "+\(count - 1)" : ""
      return Self.shown(template.text(first, more: more, at: now) { escape(Self.shown($0)) })
    }
    let more = count > 1 ? " (+\(count - 1))" : ""
    return escape(Self.line(first, at: now) + more)
  }

  /// `tea 03:12`, `tea 03:12 paused`, `tea 03:12 away`, `tea rang: Take it out`,
  /// `pomodoro work 18:40`.
  private static func line(_ live: LiveTimer, at now: ClockReading) -> String {
    let timer = live.timer
    let clock = live.clock(at: now, in: .seconds)
    let step = timer.step.map { " \(shown($0.name))" } ?? ""
    let band = live.band(at: now)?.text.map { " \(shown($0))" } ?? ""
    let message = timer.message.map { ": \(shown($0))" } ?? ""
    return shown(timer.name)
      + {
        switch timer.state {
        case .running where timer.isAway: "\(step) \(clock) away"
        case .running: "\(step) \(clock)\(band)"
        case .paused: "\(step) \(clock) paused"
        case .fired: (timer.isSkipped ? " was due" : " rang") + message
        case .waiting: "\(step) is over\(message)"
        case .cancelled, .other: " \(timer.state.rawValue)"
        }
      }()
  }

  /// Replaces characters that end the bar's line or change its text direction.
  private static func shown(_ text: String) -> String {
    VisibleText.replaced(text) { _ in " " }
  }

  private var urgency: Urgency {
    guard let first else { return .none }
    switch first.timer.state {
    case .fired where first.timer.isSkipped: return .idle
    case .fired, .waiting: return .rung
    case .paused: return .paused
    case .running where first.timer.isAway: return .paused
    case .running, .cancelled, .other:
      guard let band = first.band(at: now) else { return .idle }
      return band == first.timer.bands.last ? .lastBand : .band
    }
  }

  private var color: Color? {
    first?.band(at: now)?.color.flatMap(Color.init) ?? (urgency == .rung ? Self.ringColor : nil)
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
              ("clock", .string(live.clock(at: now, in: .seconds))),
              ("progress", .double(rounded(live.progress(at: now)))),
              // Rounded to milliseconds: readings of two clocks sometimes differ by a microsecond.
              ("rings_usec", timer.deadlineUsec.map { .integer($0 / 1_000 * 1_000) }),
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

  /// Rounded to percent, because finer steps would print lines without a visible difference.
  private func rounded(_ progress: Double) -> Double { (progress * 100).rounded(.down) / 100 }

  /// waybar-custom(5), `return-type: json`. Text and tooltip are Pango markup. A band is a class
  /// for the style sheet; a ring is coloured even if the style sheet has no rule for it.
  private var waybar: JSONValue {
    let state = first.map { TimerText($0.timer).stateWord } ?? "none"
    let band = first?.band(at: now)?.name
    let percentage = first.map { Int64((rounded($0.progress(at: now)) * 100).rounded()) } ?? 0
    return .object([
      .init("text", .string(urgency == .rung ? ring : text(Markup.escaped))),
      .init("alt", .string(state)),
      .init(
        "tooltip",
        .string(
          timers.map { Markup.escaped(Self.line($0, at: now)) }.joined(separator: "\n"))),
      .init("class", .array(([state, band].compactMap(\.self)).map(JSONValue.string))),
      .init("percentage", .integer(percentage)),
    ])
  }

  /// The text of a ring as Pango markup.
  private var ring: String {
    "<span color=\"\((color ?? Self.ringColor).hex)\">\(text(Markup.escaped))</span>"
  }

  /// i3blocks(1), `format=json`: the keys of the i3bar protocol. i3blocks 1.4 reads only strings
  /// and ignores a boolean; later versions accept both. All versions forget `urgent` with the next
  /// line.
  private var i3blocks: JSONValue {
    .members([
      ("full_text", .string(text { $0 })),
      ("short_text", first.map { .string($0.clock(at: now, in: .seconds)) } ?? ""),
      ("color", color.map { .string($0.hex) }), ("urgent", urgency == .rung ? "true" : nil),
    ])
  }

  /// The block `custom` of i3status-rust with `json = true`. Its default format accepts Pango
  /// markup.
  private var i3statusRs: JSONValue {
    let state =
      switch urgency {
      case .none, .idle: "Idle"
      case .paused: "Info"
      case .band: "Warning"
      case .lastBand, .rung: "Critical"
      }
    return .members([
      ("text", .string(text(Markup.escaped))),
      ("short_text", first.map { .string($0.clock(at: now, in: .seconds)) } ?? ""),
      ("state", .string(state)),
    ])
  }
}
