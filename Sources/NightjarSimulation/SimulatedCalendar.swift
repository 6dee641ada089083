public import NightjarCore
public import NightjarTime

/// The calendar of a simulated machine: systemd's expressions, by the zones that are installed here.
public final class SimulatedCalendar: Calendar {
  /// The machine's own zone. A machine that is moved is told so by `SimulatedMachine.move(toZone:)`.
  public var local: ZoneRules {
    didSet { expressions = [:] }
  }

  private var expressions: [String: CalendarExpression] = [:]
  private var zones: [String: ZoneRules] = [:]

  /// Makes one for a machine in this zone.
  public init(local: ZoneRules) {
    self.local = local
  }

  /// The next point of an expression, in its own zone or in the machine's.
  public func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    guard let expression = expression(schedule.expression) else { return nil }
    if !schedule.zone.isEmpty {
      return expression.next(afterUsec: afterUsec, in: zone(named: schedule.zone))
    }
    guard case .named(let name) = expression.zone else {
      return expression.next(afterUsec: afterUsec, in: local)
    }
    return expression.next(afterUsec: afterUsec, in: zone(named: name))
  }

  private func expression(_ text: String) -> CalendarExpression? {
    if let known = expressions[text] { return known }
    guard let read = try? CalendarExpression(text, local: local, isZone: { _ in true }) else {
      return nil
    }
    expressions[text] = read
    return read
  }

  private func zone(named name: String) -> ZoneRules {
    if let known = zones[name] { return known }
    let read = ZoneDatabase.zone(named: name) ?? .utc
    zones[name] = read
    return read
  }
}
