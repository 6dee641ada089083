package import NightjarModel
package import NightjarTime
internal import Varlink

/// The engine's calendar: systemd calendar expressions, computed with this machine's time zones.
///
/// Parsed expressions and zones are cached, because the engine asks for the same ones again and
/// again. `refresh()` clears the cache if the zone files have changed.
package final class ZoneCalendar: Calendar {
  /// The most expressions in the cache, and the most zones.
  private static let cacheLimit = 1024

  /// The machine's own zone.
  package var local: ZoneRules {
    didSet { expressions = [:] }
  }
  private let warn: (String) -> Void
  private var zones: [String: ZoneRules] = [:]
  private var expressions: [String: CalendarExpression] = [:]
  private(set) var fingerprint = ZoneDatabase.fingerprint

  /// The name of the machine's own zone, and the fingerprint of the rules of all zones.
  package var zone: (name: String, fingerprint: Int64) { (local.name ?? "", fingerprint) }

  /// - Parameters:
  ///   - local: the machine's own zone.
  ///   - warn: called with a sentence if a stored calendar expression or zone is not valid any
  ///     more.
  package init(
    local: ZoneRules = ZoneDatabase.local, warn: @escaping (String) -> Void = { _ in }
  ) {
    self.local = local
    self.warn = warn
  }

  /// Reads the rules of all zones again, if the zone files have changed.
  package func refresh() {
    let now = ZoneDatabase.fingerprint
    guard now != fingerprint else { return }
    fingerprint = now
    local = ZoneDatabase.local
    zones = [:]
    expressions = [:]
  }

  /// Parses a calendar expression.
  ///
  /// - Parameters:
  ///   - text: the expression as the user wrote it, with or without a zone.
  ///   - zone: the name of the zone, if `text` has none; nil: the machine's own.
  /// - Throws: `CalendarRefusal`.
  package func schedule(_ text: String, zone: String?) throws(CalendarRefusal) -> Schedule {
    guard text.utf8.count <= Limits.calendarBytes else {
      throw CalendarRefusal(
        part: "calendar",
        reason: "a calendar expression has at most \(Limits.calendarBytes) bytes; make two alarms")
    }
    let expression: CalendarExpression
    do throws(TimeError) {
      expression = try CalendarExpression(text, local: local)
    } catch {
      throw CalendarRefusal(part: "calendar", reason: error.description)
    }
    if let reason = Self.excess(of: expression) {
      throw CalendarRefusal(part: "calendar", reason: reason)
    }
    switch expression.zone {
    case .local: break
    case .named:
      guard zone == nil else {
        throw CalendarRefusal(part: "zone", reason: "name the zone once, not twice")
      }
    case .setting(let setting):
      throw CalendarRefusal(
        part: "calendar",
        reason: "'\(setting.abbreviation)' names a zone only for a part of the year; name "
          + "the zone, such as Europe/Berlin, or leave it out for the machine's own")
    }
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw CalendarRefusal(
        part: "zone", reason: "there is no zone '\(zone)'; they are spelled like Europe/Berlin")
    }
    return Schedule(expression: expression.description, zone: zone ?? "")
  }

  /// Why a calendar expression repeats too often; nil: it does not repeat too often.
  package static func excess(of expression: CalendarExpression) -> String? {
    guard expression.shortestUsec < Limits.shortestRoundUsec else { return nil }
    return "\(TimerSpec.tooOften); write '*:*:*' for every second"
  }

  package func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    guard let expression = expression(schedule.expression) else { return nil }
    let rules = rules(of: schedule, expression)
    return schedule.next(afterUsec: afterUsec, in: rules) {
      expression.next(afterUsec: $0, in: rules)
    }
  }

  /// Marks a local time that occurs for the second time because clocks were set back; added to the
  /// local time.
  private static let secondTime: Int64 = 1 << 56

  package func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64 {
    let rules = rules(of: schedule, expression(schedule.expression))
    let civil = rules.civil(atUsec: usec)
    if case .twice(_, let second) = rules.read(civil), second == usec {
      return civil.utcUsec + Self.secondTime
    }
    return civil.utcUsec
  }

  package func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64? {
    let isSecond = wall > Self.secondTime / 2
    let civil = CivilTime(utcUsec: isSecond ? wall - Self.secondTime : wall)
    switch rules(of: schedule, expression(schedule.expression)).read(civil) {
    case .once(let usec): return isSecond ? nil : usec
    case .twice(let first, let second): return isSecond ? second : first
    case .never: return nil
    }
  }

  private func rules(of schedule: Schedule, _ expression: CalendarExpression?) -> ZoneRules {
    if !schedule.zone.isEmpty { return zone(named: schedule.zone) }
    if case .named(let name)? = expression?.zone { return zone(named: name) }
    return local
  }

  /// A point in time as local time of the machine's zone, without seconds: `09:30`.
  package func wallTime(usec: Int64) -> String {
    let minutes = local.civil(atUsec: usec).usecOfDay / 60_000_000
    func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
  }

  private func expression(_ text: String) -> CalendarExpression? {
    if let known = expressions[text] { return known }
    // The expression was valid when the alarm was started. If its zone does not exist any more, UTC
    // is used instead.
    guard let read = try? CalendarExpression(text, local: local, isZone: { _ in true }) else {
      warn("the calendar expression '\(text)' is not understood any more")
      return nil
    }
    if expressions.count >= Self.cacheLimit { expressions = [:] }
    expressions[text] = read
    return read
  }

  private func zone(named name: String) -> ZoneRules {
    if let known = zones[name] { return known }
    let read = ZoneDatabase.zone(named: name)
    if read == nil {
      warn("there is no zone '\(name)' any more; its alarms go by UTC")
    }
    if zones.count >= Self.cacheLimit { zones = [:] }
    zones[name] = read ?? .utc
    return read ?? .utc
  }
}

package struct CalendarRefusal: Error {
  /// The name of the parameter that is wrong.
  package var part: String
  /// The reason in one sentence.
  package var reason: String
}
