import NightjarClient
import NightjarTime
import NightjarWire

/// What an entry of the ledger says, in plain words.
struct EventText {
  let event: Event

  init(_ event: Event) { self.event = event }

  /// Without the timer's name: `paused, 03:12 left`.
  var sentence: String {
    switch event.type {
    case "started", "restarted": "\(event.type)\(duration)\(clock)"
    case "paused", "resumed", "cancelled": event.type + left
    case "extended": extended
    case "snoozed": "snoozed\(event.byUsec.map { " for \(SpanFormat.people(usec: $0))" } ?? "")"
    case "updated": updated
    case "fired":
      "rang\(TimerText.late(usec: event.lateUsec, cause: event.lateCause).map { ", \($0)" } ?? "")"
    case "expired": "put away by itself"
    case "did_enter_background": "went into the background: \(causes)"
    case "will_enter_foreground": "back in the foreground after \(length): \(causes)"
    case "span_corrected": "corrected, it was \(length): \(causes)"
    case "clock_stepped": stepped
    default: event.type.split(separator: "_").joined(separator: " ")
    }
  }

  /// With the name of the timer in front, where it is about one.
  var sentenceWithName: String {
    event.name.map { "\($0): \(sentence)" } ?? sentence
  }

  /// Whether it is about the machine's time, which `why` tells by its spans.
  var isAboutSpan: Bool {
    ["did_enter_background", "will_enter_foreground", "span_corrected"].contains(event.type)
  }

  private var duration: String {
    event.durationUsec.map { ": \(SpanFormat.people(usec: $0))" } ?? ""
  }

  private var clock: String {
    guard let clock = event.clock, clock != .elapsed else { return "" }
    return ", on the \(clock.rawValue) clock"
  }

  private var left: String {
    event.remainingUsec.map { ", \(SpanFormat.clock(remainingUsec: $0)) left" } ?? ""
  }

  private var extended: String {
    guard let byUsec = event.byUsec else { return "extended" }
    let verb = byUsec < 0 ? "shortened" : "extended"
    return "\(verb) by \(SpanFormat.people(usec: Int64(clamping: byUsec.magnitude)))\(left)"
  }

  private var updated: String {
    var parts: [String] = []
    if let labels = event.labels, !labels.isEmpty {
      parts.append("labels \(TimerText.labels(labels))")
    }
    if let data = event.data, data != .object([]) { parts.append("data \(data.text)") }
    return "updated: " + (parts.isEmpty ? "no labels, no data" : parts.joined(separator: ", "))
  }

  private var causes: String { TimerText.reasons(event.span?.causes ?? []) }

  private var length: String {
    guard let span = event.span else { return "some time" }
    let about = span.isEstimated ? "about " : ""
    return about + SpanFormat.people(usec: span.elapsedUsec, units: 2)
  }

  private var stepped: String {
    guard let offsetUsec = event.offsetUsec else { return "the clock was set" }
    let direction = offsetUsec < 0 ? "back" : "forward"
    let amount = SpanFormat.people(usec: Int64(clamping: offsetUsec.magnitude), units: 2)
    return "the clock was set \(direction) by \(amount)"
  }
}
