import Foundation
import NightjarTestSupport
import Testing

@testable import NightjarTime

/// Points in time compared with the installed systemd: `systemd-analyze` is the oracle.
@Suite(.blocking) struct TimestampDifferentialTests {
  /// Where we intentionally differ from systemd 252, and how. There is no other difference.
  enum Intended: String, CaseIterable {
    /// A local time that clocks skip is when they were put forward; systemd adds the jump to it.
    case gap
    /// A local time that clocks show twice is the first of the two; in systemd it depends on the
    /// zone.
    case repeatedHour
    /// A day that its month does not have is refused; systemd counts into the next month.
    case noSuchDay
    /// The name of a zone is accepted, as the manual page says; systemd 252 refuses it.
    case zoneName
    /// A zone's abbreviation for a part of the year means this clock setting all year; systemd
    /// refuses it in the other part.
    case abbreviation
    /// A space before a number within a date or time is refused, and so is no space between date
    /// and time.
    case spacing
    /// RFC 3339's `T`.
    case rfc3339
    /// `9am`.
    case halfOfDay
    /// `tomorrow 9:00`.
    case dayAndTime
  }

  /// Why systemd refuses a text that we accept; nil: it should not.
  private func refusal(_ text: String, local: ZoneRules) -> Intended? {
    let words = text.split(separator: " ").map { $0.lowercased() }
    guard let last = words.last else { return nil }
    if last.hasSuffix("am") || last.hasSuffix("pm") { return .halfOfDay }
    if ["today", "tomorrow", "yesterday"].contains(words[0]), words.count == 2, last.contains(":") {
      return .dayAndTime
    }
    if last.contains("t"), last.hasPrefix("1") || last.hasPrefix("2") { return .rfc3339 }
    guard words.count > 1, last.first?.isLetter == true else { return nil }
    let isOurs = local.presentSettings.contains { $0.abbreviation.lowercased() == last }
    return isOurs ? .abbreviation : .zoneName
  }

  /// A text relative to now may be some seconds later for the second of the two.
  private func isRelative(_ text: String) -> Bool {
    text == "now" || text.hasPrefix("+") || text.hasPrefix("-") || text.hasSuffix(" ago")
      || text.hasSuffix(" left")
  }

  private func difference(
    _ text: String, _ ours: Int64, _ theirs: Int64, in zone: ZoneRules
  ) -> Intended? {
    // The jump is before the instant of systemd, and ours is when the clocks were put forward.
    if ours != theirs, case .twice(let first, let second) = zone.read(zone.civil(atUsec: ours)),
      ours == first, theirs == second
    {
      return .repeatedHour
    }
    let change = zone.nextTransition(afterUsec: ours - 1_000_000, beforeUsec: ours + 1)
    return change?.second == ours / 1_000_000 ? .gap : nil
  }

  @Test func `Points in time are accepted, refused and valued as by systemd`() throws {
    var generator = TimestampGenerator(seed: SplitMix.usualSeed)
    var (accepted, refused) = (0, 0)
    var differences: [Intended: Int] = [:]
    for round in 0..<70 {
      let name = Oracle.zones[round % Oracle.zones.count]
      let local = try #require(ZoneDatabase.zone(named: name))
      let texts = (0..<100).map { _ in generator.text() }
      let now = Int64(Date().timeIntervalSince1970 * 1e6)
      let answers = try TimestampOracle.answers(to: texts, zone: name)
      for (text, answer) in zip(texts, answers) {
        let comment = Comment(
          rawValue: "\(text.debugDescription) in \(name), seed \(SplitMix.usualSeed)")
        do throws(TimeError) {
          let ours = try Timestamp(text, now: now, local: local).usec
          accepted += 1
          guard let answer else {
            if let reason = refusal(text, local: local) {
              differences[reason, default: 0] += 1
            } else {
              Issue.record("systemd refuses \(comment)")
            }
            continue
          }
          if isRelative(text) {
            #expect(abs(ours - answer) < 60_000_000, comment)
          } else if ours != answer {
            if let reason = difference(text, ours, answer, in: local) {
              differences[reason, default: 0] += 1
            } else {
              #expect(ours == answer, comment)
            }
          }
        } catch {
          refused += 1
          if answer != nil, error.description.contains("that month has") {
            differences[.noSuchDay, default: 0] += 1
          } else if answer != nil,
            error.kind == .missingNumber || error.description.contains("the day at")
          {
            differences[.spacing, default: 0] += 1
          } else {
            #expect(answer == nil, "systemd takes \(comment), we say: \(error)")
          }
          #expect(error.position >= 1 && error.position <= text.unicodeScalars.count + 1)
        }
      }
    }
    #expect(accepted > 3_000 && refused > 1_000)
    #expect(differences.count >= Intended.allCases.count - 3)
    print("\(accepted) accepted, \(refused) refused; intended differences: \(differences)")
  }
}
