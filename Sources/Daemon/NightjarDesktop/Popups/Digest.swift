internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// One popup for several timers that rang at once.
struct Digest {
  /// The most timers that the popup names.
  static let named = 5
  /// The shortest time between two sounds of a digest, in microseconds, even if many timers join
  /// it.
  static let pauseUsec: Int64 = 5_000_000

  let popup = Popup(.digest)
  /// The timers whose rings were not answered yet.
  var slots = SlotSet()
  /// The background span in which all of the timers expired; nil: they did not all expire in one
  /// background span.
  var span: Span?
  /// When the sound of the digest was last played, on CLOCK_MONOTONIC.
  var playedUsec = Int64.min / 2
  /// The number of the last event of a ring that the popup shows. Its button is not about later
  /// ones.
  var shownSeq: Int64 = 0

  init(span: Span?) { self.span = span }

  /// The text of the popup. O(slots up to the last named timer).
  ///
  /// - Parameter unanswered: the timers whose rings fell silent without an answer.
  func notice(
    sound: Notice.Sound, of timers: any TimerAccess, unanswered: SlotSet
  ) -> Notice? {
    guard !slots.isEmpty else { return nil }
    let known = slots.prefix(Self.named) { timers.isRinging($0) }
    return Self.notice(
      "\(Self.timers(slots.count)) rang\(meanwhile)",
      lines: known.map {
        line($0, of: timers, isMissed: unanswered.contains($0) || timers.isUnseen($0))
      },
      of: slots.count, sound: sound)
  }

  /// `1 timer`, `4 timers`.
  static func timers(_ count: Int) -> String { count == 1 ? "1 timer" : "\(count) timers" }

  /// - Parameter lines: a line for each named timer; `count` is the number of all timers.
  static func notice(
    _ summary: String, lines: [String], of count: Int, sound: Notice.Sound
  ) -> Notice {
    let more = count > lines.count ? ["and \(count - lines.count) more"] : []
    return Notice(
      summary: summary, body: (lines + more).joined(separator: "\n"), icon: "appointment-missed",
      actions: [.init("default", "Dismiss all"), .init("dismiss", "Dismiss all")],
      urgency: .critical, category: "x-nightjar.digest", sound: sound, stays: true)
  }

  /// - Parameter late: how late the timer rang, in words; nil to leave that out.
  static func line(_ name: String, message: String, late: String?, isMissed: Bool) -> String {
    name + (message.isEmpty ? "" : ": \(message)") + (late.map { ", \($0)" } ?? "")
      + (isMissed ? ", missed" : "")
  }

  private var meanwhile: String {
    guard let span, let cause = span.causes.first else { return "" }
    let length = SpanFormat.text(usec: span.elapsedUsec, units: 1)
    switch cause {
    case .sleep: return " while the machine slept \(length)"
    case .stop: return " while the daemon was stopped for \(length)"
    case .down: return " while the daemon was down for \(length)"
    case .reboot: return " while the machine was down for \(length)"
    case .freeze: return " while the machine stood still for \(length)"
    case .away: return ""
    }
  }

  private func line(_ slot: Int, of timers: any TimerAccess, isMissed: Bool) -> String {
    let name = timers.name(slot)
    guard let sound = timers.timer(slot)?.ring?.sound else { return name }
    // If the reason is the same for all timers, only the title has it.
    let late = LateText.late(
      usec: sound.lateUsec, cause: sound.cause.map { "\($0.name)" }, withReason: span == nil)
    return Self.line(name, message: timers.message(slot), late: late, isMissed: isMissed)
  }
}
