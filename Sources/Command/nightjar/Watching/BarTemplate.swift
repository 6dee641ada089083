import NightjarClient
import NightjarConfig
import NightjarTime

/// A template for the text of a status bar. It has fields of a timer in braces, such as `{name}
/// {remaining}`.
struct BarTemplate {
  /// The fields of a template. A field with the name of a field of the interface has the same
  /// meaning.
  enum Field: String, CaseIterable {
    case name, kind, state, ringing, clock, step, band, calendar, message
    case id
    case progress
    case durationUsec = "duration_usec"
    case remainingUsec = "remaining_usec"
    case elapsedUsec = "elapsed_usec"
    case deadlineUsec = "deadline_usec"
    case startedUsec = "started_usec"
    case rangUsec = "rang_usec"
    /// The time of the timer, as the bar shows it without a template, such as `03:12`.
    case remaining
    case elapsed
    case percent
    /// The time of the ring, such as `14:32`.
    case rings
    /// The text and the colour of the timer's band.
    case text, color
    /// The number of other timers, such as `+2`.
    case more
    /// The number of other unanswered rings; empty: there are none.
    case unanswered
  }

  private enum Piece {
    case text(String)
    case field(Field)
    case label(String)
  }

  /// The beginning of a field for a label. The label's key follows.
  private static let labels = "labels."

  private let pieces: [Piece]

  /// - Throws: `CommandError`: a field is unknown, or a brace has no partner.
  init(_ text: String) throws(CommandError) {
    var pieces: [Piece] = []
    var (plain, rest) = ("", text[...])
    while let character = rest.popFirst() {
      if character == rest.first, character == "{" || character == "}" {
        plain.append(character)
        rest.removeFirst()
      } else if character == "{", let end = rest.firstIndex(of: "}") {
        pieces += [.text(plain), try Self.piece(String(rest[..<end]))]
        plain = ""
        rest = rest[rest.index(after: end)...]
      } else if character == "{" || character == "}" {
        throw .usage(
          "--template has a lone '\(character)'; for the character itself write it twice")
      } else {
        plain.append(character)
      }
    }
    self.pieces = pieces + [.text(plain)]
  }

  private static func piece(_ name: String) throws(CommandError) -> Piece {
    if let field = Field(rawValue: name) { return .field(field) }
    if name.hasPrefix(labels), name.count > labels.count {
      return .label(String(name.dropFirst(labels.count)))
    }
    let names = Field.allCases.map(\.rawValue)
    let hint =
      NearName.nearest(to: name, among: names).map { "did you mean '{\($0)}'?" }
      ?? "there are \(names.joined(separator: ", ")) and labels.KEY"
    throw .usage("--template has no field '{\(name)}'; \(hint)")
  }

  /// The text for a timer. O(length of the text).
  ///
  /// - Parameters:
  ///   - more: the text for the number of other timers.
  ///   - unanswered: the number of other unanswered rings.
  ///   - escape: escapes the values of fields.
  func text(
    _ live: LiveTimer, more: String, unanswered: Int, at now: ClockReading,
    escape: (String) -> String
  ) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .field(.more): escape(more)
      case .field(.unanswered): unanswered > 0 ? "\(unanswered)" : ""
      case .field(let field): escape(Self.value(field, live, at: now) ?? "")
      case .label(let key): escape(live.timer.labels.first { $0.key == key }?.value ?? "")
      }
    }.joined()
  }

  /// The value of a field; nil: the timer does not have the property.
  private static func value(
    _ field: Field, _ live: LiveTimer, at now: ClockReading
  ) -> String? {
    let timer = live.timer
    return switch field {
    case .name: timer.name
    case .kind: timer.kind.rawValue
    case .state: timer.state.rawValue
    case .ringing: timer.ringing?.rawValue
    case .clock: timer.clock.rawValue
    case .step: timer.step?.name
    case .band: live.band(at: now)?.name
    case .calendar: timer.calendar
    case .message: timer.message
    case .id: "\(timer.id)"
    case .progress: "\(Double(live.percent(at: now)) / 100)"
    case .durationUsec: "\(timer.durationUsec)"
    case .remainingUsec: "\(live.remainingUsec(at: now))"
    case .elapsedUsec: "\(elapsedUsec(live, at: now))"
    case .deadlineUsec: timer.deadlineUsec.map(String.init)
    case .startedUsec: "\(timer.startedUsec)"
    case .rangUsec: (timer.openRing?.rangUsec).map { String($0) }
    case .remaining: live.clock(at: now, in: .seconds)
    case .elapsed: clock(elapsedUsec(live, at: now))
    case .percent: "\(live.percent(at: now))"
    case .rings: timer.nextRingUsec.map { String(LocalTime(usec: $0).time.prefix(5)) }
    case .text: live.band(at: now)?.text
    case .color: live.band(at: now)?.color
    case .more, .unanswered: nil
    }
  }

  private static func elapsedUsec(_ live: LiveTimer, at now: ClockReading) -> Int64 {
    live.isStopwatch
      ? live.elapsedUsec(at: now) : max(0, live.timer.durationUsec - live.remainingUsec(at: now))
  }

  /// A time as a clock. It is rounded down, because it is an elapsed time.
  private static func clock(_ usec: Int64) -> String {
    SpanFormat.countdown(remainingUsec: max(0, usec) / 1_000_000 * 1_000_000)
  }
}
