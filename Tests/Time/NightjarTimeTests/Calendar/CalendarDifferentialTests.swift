import NightjarTestSupport
import Testing

@testable import NightjarTime

/// Calendar expressions compared with the installed systemd: `systemd-analyze` is the oracle.
@Suite(.blocking) struct CalendarDifferentialTests {
  /// Where we intentionally differ from systemd 252, and how. There is no other difference.
  enum Intended: String, CaseIterable {
    /// An expression for an hour that clocks skip matches at the end of the gap; systemd leaves it
    /// out.
    case gap
    /// If an hour occurs twice, an expression for every hour matches in both, and one for this hour
    /// in the first; systemd matches in one of them, which depends on the zone.
    case repeatedHour
    /// A step that passes the end of its hour, day or month starts again in the next one; systemd
    /// continues from where it landed and leaves out the values before.
    case stepOver
    /// A zone's abbreviation for a part of the year, such as CET, means this clock setting all
    /// year; in the other part of the year, systemd says that the expression never matches.
    case abbreviation
    /// For some expressions systemd gives up ("Infinite loop in calendar calculation").
    case givenUp
    /// Days that are counted from the end of the month go from 1 to 28; systemd lowers the limit by
    /// three for each day before.
    case daysFromEnd
  }

  /// Days before changes of clocks, in leap years, and at the end of a year.
  private static let bases: [(year: Int, month: Int, day: Int)] = [
    (2026, 3, 28), (2026, 10, 24), (2024, 2, 28), (2026, 12, 31), (2027, 3, 13), (2026, 11, 1),
    (2026, 4, 4), (2026, 9, 5), (2028, 2, 29), (2026, 6, 15),
  ]
  private static let iterations = 10

  /// Seconds since the epoch. Each time of a repeated hour is given as its first occurrence, once.
  private func canonical(_ elapses: [Int64], in zone: ZoneRules) -> [Int64] {
    var seen: Set<Int64> = []
    return elapses.compactMap { second in
      var second = second
      if case .twice(let first, _) = zone.read(zone.civil(atUsec: second * 1_000_000)) {
        second = first / 1_000_000
      }
      return seen.insert(second).inserted ? second : nil
    }
  }

  /// The instants by our rules, except ends of gaps; enough of them to make up for those that
  /// systemd may leave out.
  private func elapses(
    of expression: CalendarExpression, in zone: ZoneRules, afterUsec base: Int64,
    count: Int, noting differences: inout [Intended: Int]
  ) -> [Int64] {
    var elapses: [Int64] = []
    var usec = base
    while elapses.count < count, let next = expression.next(afterUsec: usec, in: zone) {
      usec = next
      let civil = zone.civil(atUsec: next)
      if expression.nextCivil(from: civil) != civil {
        differences[.gap, default: 0] += 1
      } else {
        elapses.append(next / 1_000_000)
      }
    }
    return elapses
  }

  /// The intended difference between the two, or none; nil: the difference is not intended.
  private func compare(
    _ ours: [Int64], _ theirs: [Int64], _ expression: CalendarExpression, in zone: ZoneRules,
    more: () -> [Int64]
  ) -> [Intended]? {
    // systemd has fewer instants if the expression matches no more.
    func isSame(_ ours: [Int64], _ theirs: [Int64]) -> Bool {
      ours.prefix(theirs.count).elementsEqual(theirs)
        && (theirs.count >= Self.iterations || ours.count <= theirs.count)
    }
    if isSame(ours, theirs) { return [] }
    if case .setting = expression.zone { return [.abbreviation] }
    let ours = more()
    let (our, their) = (canonical(ours, in: zone), canonical(theirs, in: zone))
    if isSame(our, their) { return [.repeatedHour] }
    return isStepOver(our, their, expression, in: zone) ? [.stepOver] : nil
  }

  /// Whether `ours` and `theirs` are the same except for instants that `theirs` leaves out at the
  /// end of a step: the first of another day, or with seconds, of another minute, for a step
  /// without an end.
  private func isStepOver(
    _ ours: [Int64], _ theirs: [Int64], _ expression: CalendarExpression, in zone: ZoneRules
  ) -> Bool {
    let fields = [expression.month, expression.day, expression.hour, expression.minute]
    func isOpen(_ field: CalendarField) -> Bool {
      field.components.contains { $0.stop == nil && $0.step > 0 }
    }
    let areSecondsOpen = isOpen(expression.second)
    guard areSecondsOpen || fields.contains(where: isOpen) else { return false }
    var (previous, isLeftOut) = (CivilDate(year: 0, month: 1, day: 1), false)
    var previousMinute = Int64.min
    var rest = theirs[...]
    for our in ours {
      guard let their = rest.first else { return true }
      let date = zone.civil(atUsec: our * 1_000_000).date
      if our == their {
        rest.removeFirst()
        isLeftOut = false
      } else {
        let isFirst = date != previous || areSecondsOpen && our / 60 != previousMinute
        guard our < their, isFirst || isLeftOut else { return false }
        isLeftOut = true
      }
      (previous, previousMinute) = (date, our / 60)
    }
    // systemd may leave out more than was compared.
    return rest.isEmpty || isLeftOut
  }

  /// Why systemd refuses an expression that we accept; nil: it should not.
  private func refusal(_ expression: CalendarExpression) -> Intended? {
    if expression.countsFromEnd, expression.day.components.count > 1 { return .daysFromEnd }
    return nil
  }

  /// The database; each zone is read once.
  private final class Zones {
    private var known: [String: ZoneRules?] = [:]

    func zone(named name: String) -> ZoneRules? {
      if let zone = known[name] { return zone }
      let zone = ZoneDatabase.zone(named: name)
      known[name] = zone
      return zone
    }
  }

  private func zone(
    of expression: CalendarExpression, local: ZoneRules, from zones: Zones
  ) throws -> ZoneRules {
    switch expression.zone {
    case .local: local
    case .named(let name): try #require(zones.zone(named: name))
    case .setting(let setting): ZoneRules(setting)
    }
  }

  @Test func `Expressions are accepted, refused, written and matched as by systemd`() throws {
    let zones = Zones()
    var generator = CalendarGenerator(seed: SplitMix.usualSeed)
    var (accepted, refused) = (0, 0)
    var differences: [Intended: Int] = [:]
    for round in 0..<120 {
      let name = Oracle.zones[round % Oracle.zones.count]
      let local = try #require(zones.zone(named: name))
      let base = Self.bases[round % Self.bases.count]
      let date = CivilDate(year: base.year, month: base.month, day: base.day)
      let baseSecond = Int64(date.daysSinceEpoch) * 86_400 + 43_200
      let expressions = (0..<100).map { _ in generator.expression() }
      let answers = try CalendarOracle.answers(
        to: expressions, zone: name, baseSecond: baseSecond, iterations: Self.iterations)
      for (text, answer) in zip(expressions, answers) {
        let comment = Comment(
          rawValue: "\(text.debugDescription) in \(name) from @\(baseSecond), "
            + "seed \(SplitMix.usualSeed)")
        do throws(TimeError) {
          let expression = try CalendarExpression(
            text, local: local, isZone: { zones.zone(named: $0) != nil })
          accepted += 1
          guard let answer else {
            if let reason = refusal(expression) {
              differences[reason, default: 0] += 1
            } else {
              Issue.record("systemd refuses \(comment)")
            }
            continue
          }
          guard !answer.hasFailed else {
            differences[.givenUp, default: 0] += 1
            continue
          }
          #expect(expression.description == answer.normalized, comment)
          do {
            let zone = try zone(of: expression, local: local, from: zones)
            func elapses(_ count: Int) -> [Int64] {
              self.elapses(
                of: expression, in: zone, afterUsec: baseSecond * 1_000_000, count: count,
                noting: &differences)
            }
            let first = elapses(Self.iterations)
            let found = compare(first, answer.elapses, expression, in: zone) {
              elapses(Self.iterations * 4)
            }
            if let found {
              for difference in found { differences[difference, default: 0] += 1 }
            } else {
              Issue.record("\(first), systemd: \(answer.elapses), \(comment)")
            }
          } catch { Issue.record(error, comment) }
        } catch {
          refused += 1
          #expect(answer == nil, "systemd takes \(comment), we say: \(error)")
          #expect(error.position >= 1 && error.position <= text.unicodeScalars.count + 1)
        }
      }
    }
    // The generator must produce enough of both; otherwise agreement would mean little.
    #expect(accepted > 4_000 && refused > 4_000)
    #expect(differences.count >= Intended.allCases.count - 2)
    print("\(accepted) accepted, \(refused) refused; intended differences: \(differences)")
  }
}
