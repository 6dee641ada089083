package import NightjarWire

/// The calls of `org.nightjar.Timers`, by name. What each does and answers is in the interface's
/// description, `TimersInterface.description`; what is nil is left out.
extension Call {
  /// An operation on one timer that needs nothing but its name.
  package enum Operation: String, CaseIterable, Sendable {
    /// Holds a running timer.
    case pause = "Pause"
    /// Lets a paused timer go on.
    case resume = "Resume"
    /// Ends a running or paused timer before its time.
    case cancel = "Cancel"
    /// Begins a timer's run anew.
    case restart = "Restart"
    /// Puts a fired timer away.
    case dismiss = "Dismiss"
    /// Puts a timer away in whatever state.
    case remove = "Remove"
    /// Goes on to the next step of a sequence.
    case advance = "Advance"
    /// Takes down what a stopwatch has measured.
    case lap = "Lap"
  }

  /// Starts a countdown, the most frequent of `start(_:)`.
  package static func start(
    name: String?, durationUsec: Int64, clock: NightjarTimer.Clock? = nil, replace: Bool = false,
    ifAbsent: Bool = false, labels: [NightjarTimer.Label] = [], data: JSONValue? = nil,
    wake: Bool = false
  ) -> Call {
    var timer = NewTimer(name: name, .countdown(.microseconds(durationUsec)))
    (timer.clock, timer.replace, timer.ifAbsent) = (clock, replace, ifAbsent)
    (timer.labels, timer.data, timer.wake) = (labels, data, wake)
    return start(timer)
  }

  /// Asks for one timer.
  package static func get(name: String) -> Call { timers("Get", [("name", .string(name))]) }

  /// Asks for a page of timers.
  ///
  /// - Parameters:
  ///   - prefix: whole segments of the name.
  ///   - states: only timers in these.
  ///   - after: the `next` of the page before.
  ///   - limit: at most this many.
  package static func list(
    prefix: String? = nil, states: [NightjarTimer.State] = [], after: Int64? = nil,
    limit: Int64? = nil
  ) -> Call {
    timers(
      "List",
      [
        ("prefix", prefix.map(JSONValue.string)),
        ("states", states.isEmpty ? JSONValue?.none : .array(states.map { .string($0.rawValue) })),
        ("after", after.map(JSONValue.integer)), ("limit", limit.map(JSONValue.integer)),
      ])
  }

  /// Does something to one timer.
  package static func perform(_ operation: Operation, name: String) -> Call {
    timers(operation.rawValue, [("name", .string(name))])
  }

  /// Gives a timer more time, or less if `byUsec` is below zero.
  package static func extend(name: String, byUsec: Int64) -> Call {
    timers("Extend", [("name", .string(name)), ("by_usec", .integer(byUsec))])
  }

  /// Lets a fired timer ring again `byUsec` microseconds from now.
  package static func snooze(name: String, byUsec: Int64) -> Call {
    timers("Snooze", [("name", .string(name)), ("by_usec", .integer(byUsec))])
  }

  /// Replaces a timer's labels, its data, its bands, or some of them.
  package static func update(
    name: String, labels: [NightjarTimer.Label]? = nil, data: JSONValue? = nil,
    bands: [Band]? = nil, ring: NewTimer.Ring? = nil
  ) -> Call {
    timers(
      "Update",
      [
        ("name", .string(name)), ("labels", labels.map(object)), ("data", data),
        ("bands", bands.map { .array($0.map(\.json)) }), ("ring", ring.map(\.json)),
      ])
  }

  /// Watches a timer, a prefix or all there are; for `Connection.stream`.
  ///
  /// - Parameters:
  ///   - after: the number of the last event that was seen, to go on behind it; nil: begin with what
  ///     there is now.
  ///   - ledger: whose number that is; if the daemon has another by now, it refuses.
  package static func watch(
    name: String? = nil, prefix: String? = nil, tickUsec: Int64? = nil, after: Int64? = nil,
    ledger: String? = nil
  ) -> Call {
    timers(
      "Watch",
      [
        ("name", name.map(JSONValue.string)), ("prefix", prefix.map(JSONValue.string)),
        ("tick_usec", tickUsec.map(JSONValue.integer)), ("after", after.map(JSONValue.integer)),
        ("ledger", ledger.map(JSONValue.string)),
      ])
  }

  /// Reads the ledger from behind the entry numbered `after`; for `Connection.stream`.
  ///
  /// - Parameter ledger: whose number that is; if the daemon has another by now, it refuses.
  package static func events(
    after: Int64? = nil, ledger: String? = nil, prefix: String? = nil
  ) -> Call {
    timers(
      "Events",
      [
        ("after", after.map(JSONValue.integer)), ("ledger", ledger.map(JSONValue.string)),
        ("prefix", prefix.map(JSONValue.string)),
      ])
  }

  /// Asks how the daemon is.
  package static var status: Call { timers("Status", []) }

  /// Has it ring for no timer.
  package static var testRing: Call { timers("TestRing", []) }

  /// Asks for a timer's story.
  package static func why(name: String) -> Call { timers("Why", [("name", .string(name))]) }

  static func timers(_ method: String, _ members: [(String, JSONValue?)]) -> Call {
    Call(method: "\(TimersInterface.name).\(method)", parameters: .members(members))
  }

  static func object(_ labels: [NightjarTimer.Label]) -> JSONValue {
    .object(labels.map { JSONValue.Member($0.key, .string($0.value)) })
  }
}
