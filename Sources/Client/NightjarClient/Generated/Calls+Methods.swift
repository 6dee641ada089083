// Made from org.nightjar.Timers.varlink and client-values by varlink-swift. Do not edit: run `make generate`.

package import NightjarInterface
package import Varlink

extension Call {
  /// Starts a timer. Give it one of duration_usec, alarm, stopwatch and sequence; with
  /// duration_usec it is a countdown. With repeat a countdown rings again and again; its Nth ring
  /// is due N times the duration after the start, and a late ring does not move the next one.
  /// Without a name the daemon gives it a short one. If a timer of that name is active, the call is
  /// refused with TimerExists, unless replace is true (the new timer replaces it) or if_absent is
  /// true (it stays, and the reply has it). created is true if the daemon started a timer, and
  /// false if it left one in place. By default clock is elapsed, and late and missed come from the
  /// daemon's configuration, or are fire and once. fire_within_usec, instead of late: the timer
  /// rings if it is at most this late. bands: the one with the most time remaining first. labels
  /// and data are for the timer's owner, and clients see them. wake: the timer wakes the machine.
  /// It cannot do that on the clocks awake and present. If the machine cannot be woken, the daemon
  /// starts the timer all the same, and wake of the timer says why. message: the text that people
  /// see when it rings, on one line. All methods that change timers have three parameters in
  /// common. undo_id: a person asks for the change; see Undo. if_seq: the daemon makes the change
  /// only if this is the number of the timer's last event, its seq; else it refuses the call with
  /// TimerChanged. Start compares it with the timer that has the name; 0 stands for no timer.
  /// request: an id of 1 to 64 bytes, another one for each change. The daemon makes the change
  /// once, however often the call is sent, even if the daemon or the machine crashes. It replies to
  /// a call with a known id as it replied to the first one, even if it refused that. It stores an
  /// id for a day, at most the last 10000 ids, and refuses an id that came with another method. The
  /// events of the change show the id.
  package static func start(
    name: String? = nil,
    durationUsec: Int64? = nil,
    repeat: RepeatFields? = nil,
    alarm: AlarmFields? = nil,
    stopwatch: Bool? = nil,
    sequence: NewTimer.Sequence? = nil,
    bands: [Band]? = nil,
    late: Wire.Late? = nil,
    fireWithinUsec: Int64? = nil,
    missed: Wire.Missed? = nil,
    clock: Wire.Clock? = nil,
    replace: Bool? = nil,
    ifAbsent: Bool? = nil,
    labels: [NightjarTimer.Label]? = nil,
    data: JSONValue? = nil,
    wake: Bool? = nil,
    ring: NewTimer.Ring? = nil,
    message: String? = nil,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
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
    fields.add("message", message)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Start", parameters: fields.json)
  }

  /// One timer, as it is now.
  package static func get(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Get", parameters: fields.json)
  }

  /// A page of timers, in no particular order. For the next page call again with after = next,
  /// until a reply has no next; a page may be short or empty although it has a next. Called with
  /// more, it sends one reply for each timer, and a last one with none. prefix matches whole
  /// segments: run matches run and run/4711, not runner. states: only timers in one of these.
  /// limit: how many timers a page has, at most 1000.
  package static func list(
    prefix: String? = nil,
    states: [Wire.State]? = nil,
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

  /// Pauses a timer. Its remaining time stays. An alarm is muted.
  package static func pause(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Pause", parameters: fields.json)
  }

  /// Continues a paused timer.
  package static func resume(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Resume", parameters: fields.json)
  }

  /// Ends a timer before its deadline. It can be seen and restarted until it is removed.
  package static func cancel(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Cancel", parameters: fields.json)
  }

  /// Starts a timer again from the beginning, as it was started.
  package static func restart(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Restart", parameters: fields.json)
  }

  /// Adds by_usec to the remaining time. by_usec may be negative; a timer with no time remaining
  /// fires.
  package static func extend(
    name: String,
    byUsec: Int64,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("by_usec", byUsec)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Extend", parameters: fields.json)
  }

  /// Makes a timer that rang ring once more, by_usec from now; also one that is snoozed already. If
  /// the timer repeats, it continues after that.
  package static func snooze(
    name: String,
    byUsec: Int64,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("by_usec", byUsec)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Snooze", parameters: fields.json)
  }

  /// Dismisses a ring, and the failure of a command. A fired timer is removed, and the reply has
  /// its last state; a timer that continues stays.
  package static func dismiss(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Dismiss", parameters: fields.json)
  }

  /// Removes a timer in any state. The reply has its last state.
  package static func remove(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Remove", parameters: fields.json)
  }

  /// Begins the next step of a sequence, even if the present one is not over. In its last step the
  /// sequence ends.
  package static func advance(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Advance", parameters: fields.json)
  }

  /// Records the time that a stopwatch shows.
  package static func lap(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Lap", parameters: fields.json)
  }

  /// Skips the next expiry of a repeating timer. The timer does not ring then, and continues with
  /// the expiry after it. A skipped expiry counts as a round. Each further call skips one more
  /// expiry, at most 64 in all.
  package static func skip(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Skip", parameters: fields.json)
  }

  /// Takes back the last Skip whose expiry is still to come.
  package static func unskip(
    name: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Unskip", parameters: fields.json)
  }

  /// Changes a timer. labels, data and bands replace the old ones; what is not given stays. The
  /// same holds for the parts of a ring: exec is a new command, and nothing of the old command
  /// stays. Without exec, on and timeout_usec are for the present command, and environment adds to
  /// its variables. sound replaces silent, and silent replaces a sound. ring_for_usec, volume,
  /// rising_usec, insist_usec and disturb each stay unless they are given. If only the command or
  /// only the sound is given, the other stays. A ring with nothing in it removes both. ring_without
  /// removes parts of the ring, by their names in Ring, before ring is applied: exec also removes
  /// on, environment and timeout_usec, and environment removes all variables. message replaces the
  /// old one, and an empty one removes it. except and until are as in Alarm, and replace the old
  /// ones; an empty array and an empty text remove them. calendar is the new calendar expression of
  /// a repeating alarm, as in Alarm; its zone stays.
  package static func update(
    name: String,
    labels: [NightjarTimer.Label]? = nil,
    data: JSONValue? = nil,
    bands: [Band]? = nil,
    ring: NewTimer.Ring? = nil,
    ringWithout: [String]? = nil,
    message: String? = nil,
    except: [String]? = nil,
    until: String? = nil,
    calendar: String? = nil,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("labels", labels)
    fields.add("data", data)
    fields.add("bands", bands)
    fields.add("ring", ring)
    fields.add("ring_without", ringWithout)
    fields.add("message", message)
    fields.add("except", except)
    fields.add("until", until)
    fields.add("calendar", calendar)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Update", parameters: fields.json)
  }

  /// Renames a timer. It stays the same timer, with the same id and the same deadline. The ledger
  /// has two events: renamed_to, the last under the old name, and renamed_from, the first under the
  /// new one. new_name: the new name, as in Start. If another timer has that name, in any state,
  /// the call is refused with TimerExists.
  package static func rename(
    name: String,
    newName: String,
    undoId: String? = nil,
    ifSeq: Int64? = nil,
    request: String? = nil
  ) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("new_name", newName)
    fields.add("undo_id", undoId)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Rename", parameters: fields.json)
  }

  /// Undoes the newest change of a person, or refuses if it cannot be undone. The timers become as
  /// they would be without the change. If a deadline has passed since, the late policy applies. A
  /// change is one of a person if its call had an undo_id of 1 to 64 bytes. All changes with the
  /// same undo_id are undone together, at most 10000 timers. Only changes of the last minute on the
  /// clock elapsed can be undone, and none from before the daemon was started. A timer stays as it
  /// is if something else happened to it since: it rang, another client changed it, or another
  /// timer has its name. So does a timer on the clock wall if the clock or the zone was set since,
  /// and a sequence with an after_sleep if a background span ended since. A restored ring makes no
  /// sound, unless insist_usec lets it ring again. A command does not run again. The start of a
  /// timer is not undone, because an undo cannot be undone. The first Undo refuses it, and the next
  /// Undo undoes the change before it. There is one exception. If the start replaced a timer that
  /// was running, paused or waiting, that timer returns.
  package static func undo(request: String? = nil) -> Call {
    var fields = WrittenFields()
    fields.add("request", request)
    return Call(method: "org.nightjar.Timers.Undo", parameters: fields.json)
  }

  /// Needs more. name or prefix: only these timers, as in Get and List. First the daemon sends a
  /// reply for each timer, as it is now. Then it sends a reply with synced: all timers have been
  /// sent, and seq is the number of the last event that they include. Then it sends a reply for
  /// each change, with its event. If tick_usec (10000 or more) is given, it also sends a reply for
  /// each running timer every tick_usec. missed_after: this client read too slowly, and this reply
  /// stands for the timer's events after that number. If the reply has a name, the timer of that
  /// name was removed. If the reply has synced, the daemon has sent all timers again. If the reply
  /// has none of timer, name and synced, the missed events are about the machine. after: the number
  /// of the last event of an earlier watch. The daemon sends the changes after it instead of all
  /// timers. ledger: the name of the ledger that numbers these events; the reply with synced has
  /// it. If a call gives ledger and after, and the daemon has begun another ledger since, the call
  /// is refused with LedgerChanged.
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

  /// Needs more. Sends the entries of the ledger after the number after, and then each new entry;
  /// without after only new entries. prefix leaves out other timers' entries, not those about the
  /// machine. ledger: the name of the ledger that numbers these events; the first reply has it. If
  /// a call gives ledger and after, and the daemon has begun another ledger since, the call is
  /// refused with LedgerChanged.
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

  /// The state of the daemon.
  package static func status() -> Call {
    Call(method: "org.nightjar.Timers.Status", parameters: .object([]))
  }

  /// Rings once without a timer, in the same way as timers ring. Replies with the result within
  /// some seconds. seen: the server has accepted the notification. heard: the sound was played to
  /// its end, or the server has begun to play it.
  package static func testRing() -> Call {
    Call(method: "org.nightjar.Timers.TestRing", parameters: .object([]))
  }

  /// Needs more. While this call lasts, the daemon delays rings: when a background span ends, it
  /// does not show or play the rings of the timers that expired in it until the client calls
  /// ReleaseRings or closes the connection, at most for 5 s. Events are not delayed, and commands
  /// run at once. A timer that is dismissed or snoozed in that time does not ring. hold: the number
  /// of this hold, for ReleaseRings; the first reply has only this. The daemon sends another reply
  /// at the end of each background span. span_id: the number of that span.
  package static func holdRings() -> Call {
    Call(method: "org.nightjar.Timers.HoldRings", parameters: .object([]))
  }

  /// Plays the rings that a hold delays. The hold continues with the next background span. If there
  /// are several holds, rings wait for all of them.
  package static func releaseRings(hold: Int64) -> Call {
    var fields = WrittenFields()
    fields.add("hold", hold)
    return Call(method: "org.nightjar.Timers.ReleaseRings", parameters: fields.json)
  }

  /// All events of one timer since it was started, and the background spans since then.
  package static func why(name: String) -> Call {
    var fields = WrittenFields()
    fields.add("name", name)
    return Call(method: "org.nightjar.Timers.Why", parameters: fields.json)
  }
}
