import NightjarClient
import NightjarTime
import Varlink

/// The properties of a timer after an event, as far as the ledger contains them.
struct CarriedParts {
  fileprivate let labels: WireMap<String>
  fileprivate let data: RawJSON
  fileprivate let message: String?
  fileprivate let ring: Wire.RingState?
  /// The bands; nil: the ledger does not contain them.
  fileprivate let bands: [Wire.Band]?
  fileprivate let alarm: Wire.Alarm?

  /// - Parameters:
  ///   - event: an event `started` or `updated`. These events contain all properties, except for
  ///     bands and the schedule of an alarm.
  ///   - before: the properties before the event; nil: unknown.
  init(behind event: Wire.Event, before: CarriedParts?) {
    labels = event.labels ?? [:]
    data = event.data ?? RawJSON()
    message = event.message
    ring = event.ring
    // An event `updated` contains the bands and the schedule only if the update changed one of the
    // two.
    bands = event.bands ?? before?.bands
    alarm = event.alarm ?? before?.alarm
  }
}

struct UpdateText {
  private let event: Wire.Event
  private let before: CarriedParts?
  private let others: [String]

  /// - Parameters:
  ///   - before: the properties of the timer before the update. Nil: unknown; the text then has all
  ///     properties that the timer now has.
  ///   - others: the words for the other fields of the event.
  init(_ event: Wire.Event, before: CarriedParts?, others: [String]) {
    (self.event, self.before, self.others) = (event, before, others)
  }

  /// The text about the update, such as `updated: message: Take the bread out, no labels`.
  var sentence: String {
    let parts = attached + ring + bands + alarm + others
    guard parts.isEmpty else { return "updated: \(parts.joined(separator: ", "))" }
    return before == nil ? "updated: nothing is attached now" : "updated: to what it was before"
  }

  /// The words for a part that was removed. Empty if the earlier properties are unknown, because
  /// the part may not have existed.
  private func gone(_ part: String) -> [String] { before == nil ? [] : ["no \(part)"] }

  private var attached: [String] {
    var parts: [String] = []
    let labels = event.labels ?? [:]
    if labels != before?.labels {
      parts += labels.isEmpty ? gone("labels") : ["labels \(TimerText.labels(labels))"]
    }
    let data = event.data ?? RawJSON()
    if data != before?.data {
      parts += data.nonEmpty.map { ["data \($0.text)"] } ?? gone("data")
    }
    if event.message != before?.message {
      parts += event.message.map { ["message: \($0)"] } ?? gone("message")
    }
    return parts
  }

  private var ring: [String] {
    let old = before?.ring.map(Self.parts) ?? []
    let new = event.ring.map(Self.parts) ?? []
    let changed = new.filter { part in
      !old.contains { $0.about == part.about && $0.words == part.words }
    }
    let lost = old.filter { part in !new.contains { $0.about == part.about } }
    return changed.map(\.words) + lost.map { "no \($0.about) of its own" }
  }

  private static func parts(
    _ ring: Wire.RingState
  ) -> [(about: String, words: String)] {
    var parts: [(about: String, words: String)] = []
    if !ring.exec.isEmpty {
      let words = ring.exec.map(Quoting.quoted).joined(separator: " ")
      parts.append(("command", "command \(words)"))
    }
    if let sound = ring.sound { parts.append(("sound", "sound \(sound)")) }
    if ring.silent { parts.append(("sound", "no sound")) }
    return parts + Setting.ways(of: ring)
  }

  private var bands: [String] {
    // The event has no news about bands if it only has the schedule of an alarm: such an event
    // always contains the bands as well.
    guard let bands = event.bands, bands != before?.bands, !bands.isEmpty || event.alarm == nil
    else { return [] }
    return [bands.isEmpty ? "no bands" : "bands \(bands.map(\.name).joined(separator: ", "))"]
  }

  private var alarm: [String] {
    guard let alarm = event.alarm, let calendar = alarm.calendar, alarm != before?.alarm else {
      return []
    }
    let days = TimerText.days(except: alarm.except ?? [], until: alarm.until)
    return [CalendarText.short(calendar) + (days.map { " \($0)" } ?? "")]
  }
}
