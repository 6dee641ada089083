// Made from org.nightjar.Timers.varlink and client-values by varlink-swift. Do not edit: run `make generate`.

package import NightjarWire

extension Call {
  /// Starts a countdown of duration_usec, once or again and again (repeat: the Nth ring is at the
  /// start and N times the duration, whatever happened); or what one of alarm, stopwatch and
  /// sequence says, without duration_usec. Without a name it is given a short one. A name that is
  /// active is refused with TimerExists, unless replace (start anew) or if_absent (leave it and
  /// answer with it) is true; created says which. clock is elapsed unless given; late and missed
  /// are what the daemon's configuration says, or else fire and once. wake: to wake the machine for
  /// it, which the clock awake cannot; where that is not possible it is started all the same, and
  /// its own wake says why.
  package static func start(
    name: String? = nil,
    durationUsec: Int64? = nil,
    repeat: RepeatFields? = nil,
    alarm: AlarmFields? = nil,
    stopwatch: Bool? = nil,
    sequence: NewTimer.Sequence? = nil,
    bands: [Band]? = nil,
    late: TimersInterface.Late? = nil,
    fireWithinUsec: Int64? = nil,
    missed: MissedPolicy? = nil,
    clock: NightjarTimer.Clock? = nil,
    replace: Bool? = nil,
    ifAbsent: Bool? = nil,
    labels: [NightjarTimer.Label]? = nil,
    data: JSONValue? = nil,
    wake: Bool? = nil,
    ring: NewTimer.Ring? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("duration_usec", durationUsec)
    fields.add("repeat", `repeat`)
    fields.add("alarm", alarm)
    fields.add("stopwatch", stopwatch)
    fields.add("sequence", sequence)
    fields.add("bands", bands)
    fields.add("late", late)
    fields.add("fire_within_usec", fireWithinUsec)
    fields.add("missed", missed)
    fields.add("clock", clock)
    fields.add("replace", replace)
    fields.add("if_absent", ifAbsent)
    fields.add("labels", labels)
    fields.add("data", data)
    fields.add("wake", wake)
    fields.add("ring", ring)
    return Call(method: "org.nightjar.Timers.Start", parameters: fields.json)
  }

  /// One timer, as it is now.
  package static func get(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Get", parameters: fields.json)
  }

  /// A page of timers, in no particular order. Ask again with after = next until next is missing; a
  /// page may be short or empty while next is there. With more: one reply for each timer, and a
  /// last one with none. prefix matches whole segments: run matches run and run/4711, not runner.
  package static func list(
    prefix: String? = nil,
    states: [NightjarTimer.State]? = nil,
    after: Int64? = nil,
    limit: Int64? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("prefix", prefix)
    fields.add("states", states)
    fields.add("after", after)
    fields.add("limit", limit)
    return Call(method: "org.nightjar.Timers.List", parameters: fields.json)
  }

  /// A timer is held, and keeps what remains; an alarm is muted.
  package static func pause(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Pause", parameters: fields.json)
  }

  /// A paused timer goes on.
  package static func resume(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Resume", parameters: fields.json)
  }

  /// A timer is ended before its time; it can be seen and restarted until it is put away.
  package static func cancel(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Cancel", parameters: fields.json)
  }

  /// A timer begins anew, as it was started.
  package static func restart(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Restart", parameters: fields.json)
  }

  /// by_usec may be negative; a timer shortened past its end fires.
  package static func extend(name: String, byUsec: Int64) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("by_usec", byUsec)
    return Call(method: "org.nightjar.Timers.Extend", parameters: fields.json)
  }

  /// A timer that rang rings again by_usec from now; one that repeats goes on behind that.
  package static func snooze(name: String, byUsec: Int64) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("by_usec", byUsec)
    return Call(method: "org.nightjar.Timers.Snooze", parameters: fields.json)
  }

  /// A fired timer is put away; the answer is its last state. Of one that goes on the ring is put
  /// away.
  package static func dismiss(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Dismiss", parameters: fields.json)
  }

  /// A timer in any state is put away; the answer is its last state.
  package static func remove(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Remove", parameters: fields.json)
  }

  /// Goes on to the next step of a sequence, whether or not this one is over; behind the last it
  /// ends.
  package static func advance(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Advance", parameters: fields.json)
  }

  /// Takes down what a stopwatch has measured.
  package static func lap(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Lap", parameters: fields.json)
  }

  /// labels, data and bands replace what was there; what is not given stays. Of a ring likewise:
  /// exec is a new command, with nothing of the old one's; without exec, on and timeout_usec are
  /// for the command that is there, and environment adds to what it finds; a sound is in place of
  /// silent, and silent of a sound; of command and sound stays what nothing is said of. A ring with
  /// nothing in it takes away both.
  package static func update(
    name: String,
    labels: [NightjarTimer.Label]? = nil,
    data: JSONValue? = nil,
    bands: [Band]? = nil,
    ring: NewTimer.Ring? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("labels", labels)
    fields.add("data", data)
    fields.add("bands", bands)
    fields.add("ring", ring)
    return Call(method: "org.nightjar.Timers.Update", parameters: fields.json)
  }

  /// Needs more. First a reply for each timer there is now, then synced, with the number of the
  /// last event that this takes into account as seq, then one for every change, with its event;
  /// every tick_usec (10000 or more) one for each that runs, if asked for. missed_after: this
  /// client read too slowly, and what happened to this timer after that number was folded into one;
  /// together with name: that one is not there any more; with neither timer nor name nor synced: it
  /// is the machine that something happened to; together with synced: all timers have been told
  /// once more. after goes on where another watch was cut: the changes behind that event's number
  /// stand in the place of what there is now. ledger: with synced, whose numbers these are; given
  /// with after, LedgerChanged is the answer if another ledger was begun since.
  package static func watch(
    name: String? = nil,
    prefix: String? = nil,
    tickUsec: Int64? = nil,
    after: Int64? = nil,
    ledger: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("prefix", prefix)
    fields.add("tick_usec", tickUsec)
    fields.add("after", after)
    fields.add("ledger", ledger)
    return Call(method: "org.nightjar.Timers.Watch", parameters: fields.json)
  }

  /// Needs more. The ledger from the entry behind after, then what comes, as it comes; without
  /// after only what comes. prefix leaves out other timers' entries, not those of the machine.
  /// ledger: with the first entry, whose numbers these are; given with after, LedgerChanged is the
  /// answer if another ledger was begun since.
  package static func events(
    after: Int64? = nil,
    prefix: String? = nil,
    ledger: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("after", after)
    fields.add("prefix", prefix)
    fields.add("ledger", ledger)
    return Call(method: "org.nightjar.Timers.Events", parameters: fields.json)
  }

  /// How the daemon is.
  package static func status() -> Call {
    Call(method: "org.nightjar.Timers.Status", parameters: .object([]))
  }

  /// Rings for no timer, the way every timer rings, and says within some seconds what came of it:
  /// seen, the server has taken the notification; heard, the sound was played to its end, or begun
  /// by the server.
  package static func testRing() -> Call {
    Call(method: "org.nightjar.Timers.TestRing", parameters: .object([]))
  }

  /// Everything that happened to one timer since it was started, and the spans it lived through.
  package static func why(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Why", parameters: fields.json)
  }
}
