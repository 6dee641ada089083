import NightjarClient
import NightjarTime
import NightjarVarlink

/// What a timer carries behind an event, as far as the ledger says.
struct CarriedParts {
  fileprivate let labels: [NightjarTimer.Label]
  fileprivate let data: JSONValue
  fileprivate let message: String?
  fileprivate let ring: NightjarTimer.Ring?
  /// Nil: the ledger does not say.
  fileprivate let bands: [Band]?
  fileprivate let alarm: AlarmFields?

  /// - Parameters:
  ///   - event: `started` or `updated`, which have all that is attached.
  ///   - before: what the timer carried before; nil: that is not known.
  init(behind event: Event, before: CarriedParts?) {
    labels = event.labels ?? []
    data = event.data ?? .object([])
    message = event.message
    ring = event.ring
    // An update says these only if it changes one of them.
    bands = event.bands ?? before?.bands
    alarm = event.alarm ?? before?.alarm
  }
}

/// What an update of a timer changed, in plain words.
struct UpdateText {
  private let event: Event
  private let before: CarriedParts?
  private let others: [String]

  /// - Parameters:
  ///   - before: what the timer carried before; nil: that is not known, and all is told that it carries now.
  ///   - others: what else the event says.
  init(_ event: Event, before: CarriedParts?, others: [String]) {
    (self.event, self.before, self.others) = (event, before, others)
  }

  /// `updated: message: Take the bread out, no labels`.
  var sentence: String {
    let parts = attached + ring + bands + alarm + others
    guard parts.isEmpty else { return "updated: \(parts.joined(separator: ", "))" }
    return before == nil ? "updated: nothing is attached now" : "updated: to what it was before"
  }

  /// What is no more there is known only of a timer that had it.
  private func gone(_ part: String) -> [String] { before == nil ? [] : ["no \(part)"] }

  private var attached: [String] {
    var parts: [String] = []
    let labels = event.labels ?? []
    if labels != before?.labels {
      parts += labels.isEmpty ? gone("labels") : ["labels \(TimerText.labels(labels))"]
    }
    let data = event.data ?? .object([])
    if data != before?.data {
      parts += data == .object([]) ? gone("data") : ["data \(data.text)"]
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
    _ ring: NightjarTimer.Ring
  ) -> [(about: String, words: String)] {
    var parts: [(about: String, words: String)] = []
    if !ring.command.isEmpty {
      let words = ring.command.map(Quoting.quoted).joined(separator: " ")
      parts.append(("command", "command \(words)"))
    }
    if let sound = ring.sound { parts.append(("sound", "sound \(sound)")) }
    if ring.isSilent { parts.append(("sound", "no sound")) }
    return parts + Show.ways(ring)
  }

  private var bands: [String] {
    // An event that tells when an alarm rings tells its bands too, also if the update left them alone.
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
