internal import NightjarModel
internal import NightjarTime
internal import Varlink

/// The state of a machine's timers, as Home Assistant shows it. It contains the time at which a
/// timer ends, not the remaining time, so it changes only when a timer has an event.
///
/// The words for a timer's activity are those of Home Assistant: `active`, `paused`, `idle`.
public struct HomeState: Sendable {
  private enum Activity: String {
    case active
    case paused
    /// The timer's ring sounds, whatever its schedule does, or the timer does not run and its ring
    /// is open.
    case ringing
    /// The timer is over, was cancelled or waits for its next step, and has no open ring.
    case idle
  }

  private struct Entry {
    let activity: Activity
    let seq: Int64
    /// When the timer will ring next, for an expiry or at the end of a snooze; nil: it will not.
    let finishesUsec: Int64?
    /// When the open ring last sounded; nil: no ring is open.
    let rangUsec: Int64?
    let durationUsec: Int64
    /// The actions that the daemon would not refuse.
    let actions: Set<HomeAction>
  }

  private var timers: [String: Entry] = [:]

  /// Whether the daemon answers its bridge. While it does not, all buttons are unavailable.
  public var isAnswered = true

  public init() {}

  /// Updates a timer.
  ///
  /// - Parameters:
  ///   - payload: the published value of the timer; empty: the timer was removed. O(bytes).
  public mutating func set(_ name: String, _ payload: [UInt8]) {
    timers[name] = (try? JSONValue.parse(payload)).flatMap(Self.entry)
  }

  private static func entry(_ timer: JSONValue) -> Entry? {
    guard let word = timer["state"]?.stringValue,
      let state = TimerState.allCases.first(where: { "\($0)" == word })
    else { return nil }
    let ring = timer["open_ring"]
    let ringing = timer["ringing"]?.stringValue
    let snoozedUsec = ringing == "snoozed" ? ring?["until_usec"]?.integerValue : nil
    let deadlineUsec = state == .running ? timer["deadline_usec"]?.integerValue : nil
    let isOpen = ringing == "ringing" || ringing == "unanswered"
    let activity: Activity =
      switch state {
      case _ where ringing == "ringing": .ringing
      case .running: .active
      case .paused: .paused
      case .over, .cancelled, .waiting: isOpen ? .ringing : ringing == "snoozed" ? .active : .idle
      }
    let hasRing = Operation.Ringing(hasRing: ring != nil, hasMiss: timer["miss"] != nil)
    return Entry(
      activity: activity, seq: timer["seq"]?.integerValue ?? 0,
      finishesUsec: snoozedUsec ?? deadlineUsec,
      rangUsec: isOpen ? ring?["rang_usec"]?.integerValue : nil,
      durationUsec: timer["duration_usec"]?.integerValue ?? 0,
      actions: Set(HomeAction.allCases.filter { isLegal($0, state, timer, hasRing) }))
  }

  /// Whether the daemon would carry out an action on a timer.
  private static func isLegal(
    _ action: HomeAction, _ state: TimerState, _ timer: JSONValue, _ ringing: Operation.Ringing
  ) -> Bool {
    guard action.operation.isLegal(in: state, ringing) else { return false }
    let kind = timer["kind"]?.stringValue
    return switch action {
    case .pause, .unpause, .dismiss, .snooze: true
    // The button of a ring is `dismiss`.
    case .cancel: state.isActive
    case .finish, .addTime, .subtractTime: kind == "countdown" || kind == "sequence"
    }
  }

  /// The timer on which an action acts if the user pressed a button of the machine, and not a
  /// button of a timer.
  ///
  /// - Returns: for `dismiss` and `snooze`, the timer whose ring sounded last and is not snoozed;
  ///   for `unpause`, the paused timer that changed last; for other actions, the timer that rings
  ///   next. Nil if there is none, or if the daemon would refuse the action. O(timers).
  public func meant(by action: HomeAction) -> String? {
    guard isAnswered else { return nil }
    switch action {
    case .dismiss, .snooze:
      return timers.filter { $0.value.actions.contains(action) && $0.value.rangUsec != nil }.max {
        ($0.value.rangUsec ?? 0, $0.key) < ($1.value.rangUsec ?? 0, $1.key)
      }?.key
    case .unpause:
      return timers.filter { $0.value.actions.contains(action) }.max {
        ($0.value.seq, $0.key) < ($1.value.seq, $1.key)
      }?.key
    case .pause, .cancel, .finish, .addTime, .subtractTime:
      return next.flatMap { timers[$0]?.actions.contains(action) == true ? $0 : nil }
    }
  }

  private var next: String? {
    timers.filter { $0.value.finishesUsec != nil }
      .min { ($0.value.finishesUsec ?? 0, $0.key) < ($1.value.finishesUsec ?? 0, $1.key) }?.key
  }

  /// The payload for the machine: the number of timers, the next ring, and the timer of each
  /// button. O(timers).
  public var overview: [UInt8] {
    let next = next
    // The timer on which each button of the machine acts.
    let can = HomeAction.allCases.compactMap { action in
      meant(by: action).map { JSONValue.Member(action.rawValue, .string($0)) }
    }
    let overview: JSONValue = [
      "timers": .integer(Int64(timers.count)), "next": next.map(JSONValue.string) ?? .null,
      "finishes_at": Self.point(next.flatMap { timers[$0]?.finishesUsec }), "can": .object(can),
    ]
    return overview.bytes
  }

  /// The state of a timer as a payload. It is never empty, even if the timer does not exist. O(1).
  public func timer(_ name: String) -> [UInt8] {
    let absent: JSONValue = ["state": "absent", "finishes_at": .null, "can": []]
    guard let timer = timers[name] else { return absent.bytes }
    let can = HomeAction.allCases.filter { isAnswered && timer.actions.contains($0) }
    let state: JSONValue = [
      "state": .string(timer.activity.rawValue), "finishes_at": Self.point(timer.finishesUsec),
      "created_duration": .integer(timer.durationUsec / 1_000_000),
      "can": .array(can.map { .string($0.rawValue) }),
    ]
    return state.bytes
  }

  /// An instant, rounded down to the second.
  private static func point(_ usec: Int64?) -> JSONValue {
    usec.map { .string(CivilTime.rfc3339(utcUsec: $0 / 1_000_000 * 1_000_000)) }
      ?? .null
  }
}
