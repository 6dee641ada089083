internal import NightjarInterface
package import Varlink

/// A timer as it is published: the daemon's Timer with the name of its ledger. It does not have the
/// members that change as time passes, nor the members that must not leave the machine.
///
/// Instants in the value are points in time on the owner's CLOCK_REALTIME, not times from now.
public struct TimerValue: Equatable, Sendable {
  /// How much two values of one deadline may differ, in microseconds. The daemon counts on
  /// CLOCK_BOOTTIME, and the wall clock is slewed against CLOCK_BOOTTIME, so the deadline is
  /// slightly different in each reply.
  static let deadlineToleranceUsec: Int64 = 100_000

  /// Members that change as time passes, in every state of the timer.
  private static let moving: Set<String> = ["deadline_boottime_usec", "progress"]
  /// Members that change as time passes while the timer runs.
  private static let counted: Set<String> = ["remaining_usec", "elapsed_usec"]
  /// The member with the instant at which a running stopwatch would have shown zero.
  static let countsFrom = "counts_from_usec"
  /// The member of an open ring with the instant since when it sounds, or is quiet because the end
  /// of a snooze was too late.
  static let ringsSince = "since_usec"
  /// The member with the instant since when an open ring is quiet.
  static let quietSince = "quiet_since_usec"
  private static let absolute: Set<String> = [
    "deadline_usec", "until_usec", "paused_since_usec", countsFrom, ringsSince, quietSince,
  ]

  public let name: String
  /// The value, an object in JSON.
  public let payload: [UInt8]

  /// The published value of a timer, made from the timer as the daemon showed it.
  ///
  /// - Parameters:
  ///   - timer: a Timer of org.nightjar.Timers.
  ///   - ledger: the name of the daemon's ledger.
  ///   - nowUsec: the wall clock when the daemon showed it.
  /// - Returns: nil if the timer has no name.
  package init?(timer: JSONValue, ledger: String, nowUsec: Int64) {
    guard let name = timer["name"]?.stringValue,
      let members = Withheld.removed(from: timer).objectValue
    else { return nil }
    let isAway = timer["away"]?.boolValue == true
    let isStopwatch = timer["kind"]?.stringValue == "stopwatch"
    let counts = timer["state"]?.stringValue == "running" && !isAway
    var result = [JSONValue.Member("ledger", .string(ledger))]
    result.reserveCapacity(members.count + 2)
    for member in members {
      switch member.key {
      case _ where Self.moving.contains(member.key): break
      case "elapsed_usec" where counts && isStopwatch:
        let elapsedUsec = ForeignNumber.read(member.value) ?? 0
        result.append(JSONValue.Member(Self.countsFrom, .integer(nowUsec - elapsedUsec)))
      case _ where counts && Self.counted.contains(member.key): break
      // While the user is away, `deadline_usec` is the time at which the timer would ring if the
      // user came back now. So it changes as time passes.
      case "deadline_usec" where isAway: break
      case "open_ring":
        result.append(JSONValue.Member(member.key, Self.openRing(member.value, nowUsec: nowUsec)))
      default: result.append(member)
      }
    }
    self.name = name
    payload = JSONValue.object(result).bytes
  }

  /// An open ring without the times that change as time passes.
  private static func openRing(_ ring: JSONValue, nowUsec: Int64) -> JSONValue {
    let members = (ring.objectValue ?? []).filter {
      !["ago_usec", "left_usec", "quiet_usec"].contains($0.key)
    }
    func since(_ span: JSONValue?) -> JSONValue {
      .integer(nowUsec - (ForeignNumber.read(span) ?? 0))
    }
    let quiet = ring["quiet_usec"].map { [JSONValue.Member(quietSince, since($0))] } ?? []
    return .object(members + [JSONValue.Member(ringsSince, since(ring["ago_usec"]))] + quiet)
  }

  /// Whether two payloads are equal, except that their instants may differ by
  /// `deadlineToleranceUsec`. O(bytes).
  static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one != other else { return true }
    guard let ours = try? JSONValue.parse(one), let theirs = try? JSONValue.parse(other) else {
      return false
    }
    return isSame(ours, theirs)
  }

  private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    guard let ours = one.objectValue, let theirs = other.objectValue else { return false }
    return ours.count == theirs.count
      && zip(ours, theirs).allSatisfy { a, b in
        guard a.key == b.key else { return false }
        if a.key == "open_ring" { return isSame(a.value, b.value) }
        guard Self.absolute.contains(a.key), let first = a.value.integerValue,
          let second = b.value.integerValue
        else { return a.value == b.value }
        let (difference, overflow) = first.subtractingReportingOverflow(second)
        return !overflow && difference.magnitude <= UInt64(Self.deadlineToleranceUsec)
      }
  }
}

/// An event as it is published: the daemon's Event with the name of its ledger, and without the
/// members that must not leave the machine.
package enum EventValue {
  /// The published form of an event.
  ///
  /// - Parameters:
  ///   - event: an Event of org.nightjar.Timers.
  ///   - ledger: the name of the daemon's ledger.
  package static func payload(_ event: JSONValue, ledger: String) -> [UInt8] {
    let members = Withheld.removed(from: event).objectValue ?? []
    return JSONValue.object([JSONValue.Member("ledger", .string(ledger))] + members).bytes
  }

  /// An Event of org.nightjar.Timers from its published form.
  static func shown(_ event: JSONValue) -> JSONValue {
    .object((event.objectValue ?? []).filter { $0.key != "ledger" })
  }
}
