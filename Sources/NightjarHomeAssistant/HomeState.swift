internal import NightjarModel
internal import NightjarTime
internal import NightjarVarlink

/// The state of a machine's timers for Home Assistant. It changes only on events of timers: running
/// times are published as instants.
///
/// The words are those of Home Assistant's timers: `active`, `paused`, `idle`.
public struct HomeState: Sendable {
  /// The state of a timer.
  private enum Doing: String {
    case active
    case paused
    /// It rang, and the ring was not dismissed.
    case ringing
    /// It was cancelled.
    case idle
  }

  private struct Standing {
    let doing: Doing
    let seq: Int64
    let finishesUsec: Int64?
    let durationUsec: Int64
  }

  private var timers: [String: Standing] = [:]

  /// Makes a state without timers.
  public init() {}

  /// Updates a timer.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - payload: its published value; empty: it is gone. O(bytes).
  public mutating func set(_ name: String, _ payload: [UInt8]) {
    timers[name] = (try? JSONValue.parse(payload)).flatMap(Self.standing)
  }

  private static func standing(_ timer: JSONValue) -> Standing? {
    let doing: Doing
    switch timer["state"]?.stringValue {
    case "running": doing = .active
    case "paused": doing = .paused
    case "fired", "waiting": doing = .ringing
    case "cancelled": doing = .idle
    default: return nil
    }
    return Standing(
      doing: doing, seq: timer["seq"]?.integerValue ?? 0,
      finishesUsec: doing == .active ? timer["deadline_usec"]?.integerValue : nil,
      durationUsec: timer["duration_usec"]?.integerValue ?? 0)
  }

  /// The timer for a button without a name.
  ///
  /// - Returns: for `dismiss` and `snooze` the timer that rang last, for `unpause` the one that was
  ///   paused last, else the one that rings next; nil: there is none. O(timers).
  public func meant(by action: HomeAction) -> String? {
    switch action {
    case .dismiss, .snooze: latest(.ringing)
    case .unpause: latest(.paused)
    case .pause, .cancel, .finish, .addTime, .subtractTime: next
    }
  }

  private var next: String? {
    timers.filter { $0.value.finishesUsec != nil }
      .min { ($0.value.finishesUsec ?? 0, $0.key) < ($1.value.finishesUsec ?? 0, $1.key) }?.key
  }

  private func latest(_ doing: Doing) -> String? {
    timers.filter { $0.value.doing == doing }.max {
      ($0.value.seq, $0.key) < ($1.value.seq, $1.key)
    }?
    .key
  }

  /// The next ring on the machine, as a payload. O(timers).
  public var overview: [UInt8] {
    let next = next
    return JSONValue.object([
      .init("timers", .integer(Int64(timers.count))), .init("next", Self.text(next)),
      .init("finishes_at", Self.point(next.flatMap { timers[$0]?.finishesUsec })),
      .init("paused", Self.text(latest(.paused))), .init("ringing", Self.text(latest(.ringing))),
    ]).bytes
  }

  /// A timer as a payload; never empty, even if the timer does not exist. O(1).
  public func timer(_ name: String) -> [UInt8] {
    guard let timer = timers[name] else {
      return JSONValue.object([.init("state", "absent"), .init("finishes_at", .null)]).bytes
    }
    return JSONValue.object([
      .init("state", .string(timer.doing.rawValue)),
      .init("finishes_at", Self.point(timer.finishesUsec)),
      .init("created_duration", .integer(timer.durationUsec / 1_000_000)),
    ]).bytes
  }

  private static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// Rounded down to seconds, as in lists.
  private static func point(_ usec: Int64?) -> JSONValue {
    usec.map { .string(CivilTime.rfc3339(utcUsec: $0 / 1_000_000 * 1_000_000)) }
      ?? .null
  }
}
