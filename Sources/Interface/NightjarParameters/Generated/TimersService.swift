// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

package import NightjarInterface
package import NightjarModel
package import Varlink

/// The methods of org.nightjar.Timers.
package protocol TimersService {
  /// The context of a call: all but its parameters.
  associatedtype Exchange
  /// The result of a method, beside its replies.
  associatedtype Answer

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
  func start(
    name: JSONText?,
    durationUsec: Int64?,
    repeat: Parameters.Repeat?,
    alarm: Parameters.Alarm?,
    stopwatch: Bool?,
    sequence: Parameters.Sequence?,
    bands: [Parameters.Band]?,
    late: TimersInterface.Late?,
    fireWithinUsec: Int64?,
    missed: MissedPolicy?,
    clock: Timeline?,
    replace: Bool?,
    ifAbsent: Bool?,
    labels: [Parameters.Member]?,
    data: UnsafeRawBufferPointer?,
    wake: Bool?,
    ring: Parameters.Ring?,
    message: JSONText?,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// One timer, as it is now.
  func get(
    name: JSONText,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// A page of timers, in no particular order. For the next page call again with after = next,
  /// until a reply has no next; a page may be short or empty although it has a next. Called with
  /// more, it sends one reply for each timer, and a last one with none. prefix matches whole
  /// segments: run matches run and run/4711, not runner. states: only timers in one of these.
  /// limit: how many timers a page has, at most 1000.
  func list(
    prefix: JSONText?,
    states: [TimerState]?,
    after: Int64?,
    limit: Int64?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Pauses a timer. Its remaining time stays. An alarm is muted.
  func pause(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Continues a paused timer.
  func resume(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Ends a timer before its deadline. It can be seen and restarted until it is removed.
  func cancel(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Starts a timer again from the beginning, as it was started.
  func restart(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Adds by_usec to the remaining time. by_usec may be negative; a timer with no time remaining
  /// fires.
  func extend(
    name: JSONText,
    byUsec: Int64,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Makes a timer that rang ring once more, by_usec from now; also one that is snoozed already. If
  /// the timer repeats, it continues after that.
  func snooze(
    name: JSONText,
    byUsec: Int64,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Dismisses a ring, and the failure of a command. A fired timer is removed, and the reply has
  /// its last state; a timer that continues stays.
  func dismiss(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Removes a timer in any state. The reply has its last state.
  func remove(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Begins the next step of a sequence, even if the present one is not over. In its last step the
  /// sequence ends.
  func advance(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Records the time that a stopwatch shows.
  func lap(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Skips the next expiry of a repeating timer. The timer does not ring then, and continues with
  /// the expiry after it. A skipped expiry counts as a round. Each further call skips one more
  /// expiry, at most 64 in all.
  func skip(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Takes back the last Skip whose expiry is still to come.
  func unskip(
    name: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

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
  func update(
    name: JSONText,
    labels: [Parameters.Member]?,
    data: UnsafeRawBufferPointer?,
    bands: [Parameters.Band]?,
    ring: Parameters.Ring?,
    ringWithout: [JSONText]?,
    message: JSONText?,
    except: [JSONText]?,
    until: JSONText?,
    calendar: JSONText?,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Renames a timer. It stays the same timer, with the same id and the same deadline. The ledger
  /// has two events: renamed_to, the last under the old name, and renamed_from, the first under the
  /// new one. new_name: the new name, as in Start. If another timer has that name, in any state,
  /// the call is refused with TimerExists.
  func rename(
    name: JSONText,
    newName: JSONText,
    change: Parameters.Change,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

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
  func undo(
    request: JSONText?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

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
  func watch(
    name: JSONText?,
    prefix: JSONText?,
    tickUsec: Int64?,
    after: Int64?,
    ledger: JSONText?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Needs more. Sends the entries of the ledger after the number after, and then each new entry;
  /// without after only new entries. prefix leaves out other timers' entries, not those about the
  /// machine. ledger: the name of the ledger that numbers these events; the first reply has it. If
  /// a call gives ledger and after, and the daemon has begun another ledger since, the call is
  /// refused with LedgerChanged.
  func events(
    after: Int64?,
    prefix: JSONText?,
    ledger: JSONText?,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// The state of the daemon.
  func status(
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Rings once without a timer, in the same way as timers ring. Replies with the result within
  /// some seconds. seen: the server has accepted the notification. heard: the sound was played to
  /// its end, or the server has begun to play it.
  func testRing(
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Needs more. While this call lasts, the daemon delays rings: when a background span ends, it
  /// does not show or play the rings of the timers that expired in it until the client calls
  /// ReleaseRings or closes the connection, at most for 5 s. Events are not delayed, and commands
  /// run at once. A timer that is dismissed or snoozed in that time does not ring. hold: the number
  /// of this hold, for ReleaseRings; the first reply has only this. The daemon sends another reply
  /// at the end of each background span. span_id: the number of that span.
  func holdRings(
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// Plays the rings that a hold delays. The hold continues with the next background span. If there
  /// are several holds, rings wait for all of them.
  func releaseRings(
    hold: Int64,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer

  /// All events of one timer since it was started, and the background spans since then.
  func why(
    name: JSONText,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer
}

extension TimersService {
  /// Reads the parameters of a method and calls it.
  ///
  /// - Returns: nil if there is no such method.
  package func perform(
    _ method: JSONText,
    _ reader: inout ParameterReader,
    _ exchange: inout Exchange
  ) throws(CallError) -> Answer? {
    if method.equals("Start") {
      let parameters = try Parameters.Start(from: &reader)
      return try start(
        name: parameters.name,
        durationUsec: parameters.durationUsec,
        repeat: parameters.repeat,
        alarm: parameters.alarm,
        stopwatch: parameters.stopwatch,
        sequence: parameters.sequence,
        bands: parameters.bands,
        late: parameters.late,
        fireWithinUsec: parameters.fireWithinUsec,
        missed: parameters.missed,
        clock: parameters.clock,
        replace: parameters.replace,
        ifAbsent: parameters.ifAbsent,
        labels: parameters.labels,
        data: parameters.data,
        wake: parameters.wake,
        ring: parameters.ring,
        message: parameters.message,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Get") {
      let parameters = try Parameters.Get(from: &reader)
      return try get(
        name: parameters.name,
        &exchange)
    }
    if method.equals("List") {
      let parameters = try Parameters.List(from: &reader)
      return try list(
        prefix: parameters.prefix,
        states: parameters.states,
        after: parameters.after,
        limit: parameters.limit,
        &exchange)
    }
    if method.equals("Pause") {
      let parameters = try Parameters.Pause(from: &reader)
      return try pause(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Resume") {
      let parameters = try Parameters.Resume(from: &reader)
      return try resume(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Cancel") {
      let parameters = try Parameters.Cancel(from: &reader)
      return try cancel(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Restart") {
      let parameters = try Parameters.Restart(from: &reader)
      return try restart(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Extend") {
      let parameters = try Parameters.Extend(from: &reader)
      return try extend(
        name: parameters.name,
        byUsec: parameters.byUsec,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Snooze") {
      let parameters = try Parameters.Snooze(from: &reader)
      return try snooze(
        name: parameters.name,
        byUsec: parameters.byUsec,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Dismiss") {
      let parameters = try Parameters.Dismiss(from: &reader)
      return try dismiss(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Remove") {
      let parameters = try Parameters.Remove(from: &reader)
      return try remove(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Advance") {
      let parameters = try Parameters.Advance(from: &reader)
      return try advance(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Lap") {
      let parameters = try Parameters.Lap(from: &reader)
      return try lap(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Skip") {
      let parameters = try Parameters.Skip(from: &reader)
      return try skip(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Unskip") {
      let parameters = try Parameters.Unskip(from: &reader)
      return try unskip(
        name: parameters.name,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Update") {
      let parameters = try Parameters.Update(from: &reader)
      return try update(
        name: parameters.name,
        labels: parameters.labels,
        data: parameters.data,
        bands: parameters.bands,
        ring: parameters.ring,
        ringWithout: parameters.ringWithout,
        message: parameters.message,
        except: parameters.except,
        until: parameters.until,
        calendar: parameters.calendar,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Rename") {
      let parameters = try Parameters.Rename(from: &reader)
      return try rename(
        name: parameters.name,
        newName: parameters.newName,
        change: parameters.change,
        &exchange)
    }
    if method.equals("Undo") {
      let parameters = try Parameters.Undo(from: &reader)
      return try undo(
        request: parameters.request,
        &exchange)
    }
    if method.equals("Watch") {
      let parameters = try Parameters.Watch(from: &reader)
      return try watch(
        name: parameters.name,
        prefix: parameters.prefix,
        tickUsec: parameters.tickUsec,
        after: parameters.after,
        ledger: parameters.ledger,
        &exchange)
    }
    if method.equals("Events") {
      let parameters = try Parameters.Events(from: &reader)
      return try events(
        after: parameters.after,
        prefix: parameters.prefix,
        ledger: parameters.ledger,
        &exchange)
    }
    if method.equals("Status") {
      _ = try Parameters.Status(from: &reader)
      return try status(&exchange)
    }
    if method.equals("TestRing") {
      _ = try Parameters.TestRing(from: &reader)
      return try testRing(&exchange)
    }
    if method.equals("HoldRings") {
      _ = try Parameters.HoldRings(from: &reader)
      return try holdRings(&exchange)
    }
    if method.equals("ReleaseRings") {
      let parameters = try Parameters.ReleaseRings(from: &reader)
      return try releaseRings(
        hold: parameters.hold,
        &exchange)
    }
    if method.equals("Why") {
      let parameters = try Parameters.Why(from: &reader)
      return try why(
        name: parameters.name,
        &exchange)
    }
    return nil
  }
}

extension Parameters {
  /// The members that all methods share.
  package struct Change {
    package var undoId: JSONText?
    package var ifSeq: Int64?
    package var request: JSONText?
  }
}

extension Parameters {
  /// A range of progress, from 0 to 1, exact to a millionth. from may be greater than to.
  package struct ProgressRange {
    package var from: Double
    package var to: Double

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var from: Double?
      var to: Double?
      while let key = try reader.next() {
        if key.equals("from") {
          from = try reader.number(key)
        } else if key.equals("to") {
          to = try reader.number(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let from else { throw .invalid("from") }
      guard let to else { throw .invalid("to") }
      self.from = from
      self.to = to
    }
  }
}

extension Parameters {
  /// A part of the remaining time: from remaining_usec down to the next band. color and text: for
  /// the client that shows the band. If a band has a progress, the timer's progress runs through
  /// that range in this band.
  package struct Band {
    package var name: JSONText
    package var remainingUsec: Int64
    package var color: JSONText?
    package var text: JSONText?
    package var progress: ProgressRange?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var name: JSONText?
      var remainingUsec: Int64?
      var color: JSONText?
      var text: JSONText?
      var progress: ProgressRange?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("remaining_usec") {
          remainingUsec = try reader.integer(key)
        } else if key.equals("color") {
          color = try reader.text(key)
        } else if key.equals("text") {
          text = try reader.text(key)
        } else if key.equals("progress") {
          progress = try reader.structure(key, ProgressRange.init(from:))
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      guard let remainingUsec else { throw .invalid("remaining_usec") }
      self.name = name
      self.remainingUsec = remainingUsec
      self.color = color
      self.text = text
      self.progress = progress
    }
  }
}

extension Parameters {
  /// A step of a sequence. duration_usec: its length. waits: at its end the sequence waits for
  /// Advance. break: the step is a break; see AfterSleep. long_usec: its length in every
  /// long_every-th round.
  package struct Step {
    package var name: JSONText
    package var durationUsec: Int64
    package var waits: Bool?
    package var `break`: Bool?
    package var longUsec: Int64?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var name: JSONText?
      var durationUsec: Int64?
      var waits: Bool?
      var `break`: Bool?
      var longUsec: Int64?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("duration_usec") {
          durationUsec = try reader.integer(key)
        } else if key.equals("waits") {
          waits = try reader.bool(key)
        } else if key.equals("break") {
          `break` = try reader.bool(key)
        } else if key.equals("long_usec") {
          longUsec = try reader.integer(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      guard let durationUsec else { throw .invalid("duration_usec") }
      self.name = name
      self.durationUsec = durationUsec
      self.waits = waits
      self.break = `break`
      self.longUsec = longUsec
    }
  }
}

extension Parameters {
  /// When an alarm rings: at the point in time at_usec, or at each time of a calendar expression in
  /// the format of systemd.time(7). The zone is a name of the time zone database, in the expression
  /// or in zone, or else the machine's own zone. rounds: how often it rings; without end if it is 0
  /// or absent. except: the days of that zone on which it does not ring, each a date such as
  /// 2026-12-24 or a range such as 2026-12-24..2027-01-01. until: the date of the last day on which
  /// it rings. except and until are for a calendar expression. An alarm is on the clock wall.
  package struct Alarm {
    package var atUsec: Int64?
    package var calendar: JSONText?
    package var zone: JSONText?
    package var rounds: Int64?
    package var except: [JSONText]?
    package var until: JSONText?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var atUsec: Int64?
      var calendar: JSONText?
      var zone: JSONText?
      var rounds: Int64?
      var except: [JSONText]?
      var until: JSONText?
      while let key = try reader.next() {
        if key.equals("at_usec") {
          atUsec = try reader.integer(key)
        } else if key.equals("calendar") {
          calendar = try reader.text(key)
        } else if key.equals("zone") {
          zone = try reader.text(key)
        } else if key.equals("rounds") {
          rounds = try reader.integer(key)
        } else if key.equals("except") {
          except = try reader.texts(key)
        } else if key.equals("until") {
          until = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.atUsec = atUsec
      self.calendar = calendar
      self.zone = zone
      self.rounds = rounds
      self.except = except
      self.until = until
    }
  }
}

extension Parameters {
  /// What a timer does when it rings. exec: a command, which runs without a shell. on: the types of
  /// the events on which the command runs. Without on it runs on fired, which stands for every
  /// ring, also at the end of a step. environment: variables for the command, beside the NIGHTJAR_
  /// ones. timeout_usec: how long the command may run; a minute unless given, at most a day. sound:
  /// the sound instead of the usual one: the path of a file, or one of the built-in sounds chime,
  /// marimba and pulse. silent: it makes no sound. ring_for_usec: how long it rings if no user
  /// answers; 0 is one sound. volume: from 1 to 100. rising_usec: how long the volume rises from
  /// quiet to volume. insist_usec: how long after a ring without an answer it rings again, at most
  /// 11 times; 0 is not at all. disturb: whether it makes its sound while the notification server
  /// is paused (do not disturb). What is not given is taken from the configuration.
  package struct Ring {
    package var exec: [JSONText]?
    package var on: [JSONText]?
    package var environment: [Parameters.Member]?
    package var timeoutUsec: Int64?
    package var sound: JSONText?
    package var silent: Bool?
    package var ringForUsec: Int64?
    package var volume: Int64?
    package var risingUsec: Int64?
    package var insistUsec: Int64?
    package var disturb: Bool?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var exec: [JSONText]?
      var on: [JSONText]?
      var environment: [Parameters.Member]?
      var timeoutUsec: Int64?
      var sound: JSONText?
      var silent: Bool?
      var ringForUsec: Int64?
      var volume: Int64?
      var risingUsec: Int64?
      var insistUsec: Int64?
      var disturb: Bool?
      while let key = try reader.next() {
        if key.equals("exec") {
          exec = try reader.texts(key)
        } else if key.equals("on") {
          on = try reader.texts(key)
        } else if key.equals("environment") {
          environment = try reader.members(key)
        } else if key.equals("timeout_usec") {
          timeoutUsec = try reader.integer(key)
        } else if key.equals("sound") {
          sound = try reader.text(key)
        } else if key.equals("silent") {
          silent = try reader.bool(key)
        } else if key.equals("ring_for_usec") {
          ringForUsec = try reader.integer(key)
        } else if key.equals("volume") {
          volume = try reader.integer(key)
        } else if key.equals("rising_usec") {
          risingUsec = try reader.integer(key)
        } else if key.equals("insist_usec") {
          insistUsec = try reader.integer(key)
        } else if key.equals("disturb") {
          disturb = try reader.bool(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.exec = exec
      self.on = on
      self.environment = environment
      self.timeoutUsec = timeoutUsec
      self.sound = sound
      self.silent = silent
      self.ringForUsec = ringForUsec
      self.volume = volume
      self.risingUsec = risingUsec
      self.insistUsec = insistUsec
      self.disturb = disturb
    }
  }
}

extension Parameters {
  /// rounds: how often all steps run; 1 unless given, without end if it is 0. long_every: in every
  /// long_every-th round the steps take their long_usec. after_sleep: continue unless given.
  package struct Sequence {
    package var steps: [Step]
    package var longEvery: Int64?
    package var rounds: Int64?
    package var afterSleep: AfterSleep?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var steps: [Step]?
      var longEvery: Int64?
      var rounds: Int64?
      var afterSleep: AfterSleep?
      while let key = try reader.next() {
        if key.equals("steps") {
          steps = try reader.array(key, Step.init(from:))
        } else if key.equals("long_every") {
          longEvery = try reader.integer(key)
        } else if key.equals("rounds") {
          rounds = try reader.integer(key)
        } else if key.equals("after_sleep") {
          afterSleep = try reader.word(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let steps else { throw .invalid("steps") }
      self.steps = steps
      self.longEvery = longEvery
      self.rounds = rounds
      self.afterSleep = afterSleep
    }
  }
}

extension Parameters {
  /// rounds: how often it rings; without end if it is 0 or absent.
  package struct Repeat {
    package var rounds: Int64?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var rounds: Int64?
      while let key = try reader.next() {
        if key.equals("rounds") {
          rounds = try reader.integer(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.rounds = rounds
    }
  }
}

extension Parameters {
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
  package struct Start: ~Copyable {
    package var name: JSONText?
    package var durationUsec: Int64?
    package var `repeat`: Repeat?
    package var alarm: Alarm?
    package var stopwatch: Bool?
    package var sequence: Sequence?
    package var bands: [Band]?
    package var late: TimersInterface.Late?
    package var fireWithinUsec: Int64?
    package var missed: MissedPolicy?
    package var clock: Timeline?
    package var replace: Bool?
    package var ifAbsent: Bool?
    package var labels: [Parameters.Member]?
    package var data: UnsafeRawBufferPointer?
    package var wake: Bool?
    package var ring: Ring?
    package var message: JSONText?
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      var durationUsec: Int64?
      var `repeat`: Repeat?
      var alarm: Alarm?
      var stopwatch: Bool?
      var sequence: Sequence?
      var bands: [Band]?
      var late: TimersInterface.Late?
      var fireWithinUsec: Int64?
      var missed: MissedPolicy?
      var clock: Timeline?
      var replace: Bool?
      var ifAbsent: Bool?
      var labels: [Parameters.Member]?
      var data: UnsafeRawBufferPointer?
      var wake: Bool?
      var ring: Ring?
      var message: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("duration_usec") {
          durationUsec = try reader.integer(key)
        } else if key.equals("repeat") {
          `repeat` = try reader.structure(key, Repeat.init(from:))
        } else if key.equals("alarm") {
          alarm = try reader.structure(key, Alarm.init(from:))
        } else if key.equals("stopwatch") {
          stopwatch = try reader.bool(key)
        } else if key.equals("sequence") {
          sequence = try reader.structure(key, Sequence.init(from:))
        } else if key.equals("bands") {
          bands = try reader.array(key, Band.init(from:))
        } else if key.equals("late") {
          late = try reader.word(key)
        } else if key.equals("fire_within_usec") {
          fireWithinUsec = try reader.integer(key)
        } else if key.equals("missed") {
          missed = try reader.word(key)
        } else if key.equals("clock") {
          clock = try reader.word(key)
        } else if key.equals("replace") {
          replace = try reader.bool(key)
        } else if key.equals("if_absent") {
          ifAbsent = try reader.bool(key)
        } else if key.equals("labels") {
          labels = try reader.members(key)
        } else if key.equals("data") {
          data = try reader.object(key)
        } else if key.equals("wake") {
          wake = try reader.bool(key)
        } else if key.equals("ring") {
          ring = try reader.structure(key, Ring.init(from:))
        } else if key.equals("message") {
          message = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.name = name
      self.durationUsec = durationUsec
      self.repeat = `repeat`
      self.alarm = alarm
      self.stopwatch = stopwatch
      self.sequence = sequence
      self.bands = bands
      self.late = late
      self.fireWithinUsec = fireWithinUsec
      self.missed = missed
      self.clock = clock
      self.replace = replace
      self.ifAbsent = ifAbsent
      self.labels = labels
      self.data = data
      self.wake = wake
      self.ring = ring
      self.message = message
      self.change = change
    }
  }
}

extension Parameters {
  /// One timer, as it is now.
  package struct Get: ~Copyable {
    package var name: JSONText

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
    }
  }
}

extension Parameters {
  /// A page of timers, in no particular order. For the next page call again with after = next,
  /// until a reply has no next; a page may be short or empty although it has a next. Called with
  /// more, it sends one reply for each timer, and a last one with none. prefix matches whole
  /// segments: run matches run and run/4711, not runner. states: only timers in one of these.
  /// limit: how many timers a page has, at most 1000.
  package struct List: ~Copyable {
    package var prefix: JSONText?
    package var states: [TimerState]?
    package var after: Int64?
    package var limit: Int64?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var prefix: JSONText?
      var states: [TimerState]?
      var after: Int64?
      var limit: Int64?
      while let key = try reader.next() {
        if key.equals("prefix") {
          prefix = try reader.text(key)
        } else if key.equals("states") {
          states = try reader.words(key)
        } else if key.equals("after") {
          after = try reader.integer(key)
        } else if key.equals("limit") {
          limit = try reader.integer(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.prefix = prefix
      self.states = states
      self.after = after
      self.limit = limit
    }
  }
}

extension Parameters {
  /// Pauses a timer. Its remaining time stays. An alarm is muted.
  package struct Pause: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Continues a paused timer.
  package struct Resume: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Ends a timer before its deadline. It can be seen and restarted until it is removed.
  package struct Cancel: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Starts a timer again from the beginning, as it was started.
  package struct Restart: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Adds by_usec to the remaining time. by_usec may be negative; a timer with no time remaining
  /// fires.
  package struct Extend: ~Copyable {
    package var name: JSONText
    package var byUsec: Int64
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      var byUsec: Int64?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("by_usec") {
          byUsec = try reader.integer(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      guard let byUsec else { throw .invalid("by_usec") }
      self.name = name
      self.byUsec = byUsec
      self.change = change
    }
  }
}

extension Parameters {
  /// Makes a timer that rang ring once more, by_usec from now; also one that is snoozed already. If
  /// the timer repeats, it continues after that.
  package struct Snooze: ~Copyable {
    package var name: JSONText
    package var byUsec: Int64
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      var byUsec: Int64?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("by_usec") {
          byUsec = try reader.integer(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      guard let byUsec else { throw .invalid("by_usec") }
      self.name = name
      self.byUsec = byUsec
      self.change = change
    }
  }
}

extension Parameters {
  /// Dismisses a ring, and the failure of a command. A fired timer is removed, and the reply has
  /// its last state; a timer that continues stays.
  package struct Dismiss: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Removes a timer in any state. The reply has its last state.
  package struct Remove: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Begins the next step of a sequence, even if the present one is not over. In its last step the
  /// sequence ends.
  package struct Advance: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Records the time that a stopwatch shows.
  package struct Lap: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Skips the next expiry of a repeating timer. The timer does not ring then, and continues with
  /// the expiry after it. A skipped expiry counts as a round. Each further call skips one more
  /// expiry, at most 64 in all.
  package struct Skip: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
  /// Takes back the last Skip whose expiry is still to come.
  package struct Unskip: ~Copyable {
    package var name: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.change = change
    }
  }
}

extension Parameters {
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
  package struct Update: ~Copyable {
    package var name: JSONText
    package var labels: [Parameters.Member]?
    package var data: UnsafeRawBufferPointer?
    package var bands: [Band]?
    package var ring: Ring?
    package var ringWithout: [JSONText]?
    package var message: JSONText?
    package var except: [JSONText]?
    package var until: JSONText?
    package var calendar: JSONText?
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      var labels: [Parameters.Member]?
      var data: UnsafeRawBufferPointer?
      var bands: [Band]?
      var ring: Ring?
      var ringWithout: [JSONText]?
      var message: JSONText?
      var except: [JSONText]?
      var until: JSONText?
      var calendar: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("labels") {
          labels = try reader.members(key)
        } else if key.equals("data") {
          data = try reader.object(key)
        } else if key.equals("bands") {
          bands = try reader.array(key, Band.init(from:))
        } else if key.equals("ring") {
          ring = try reader.structure(key, Ring.init(from:))
        } else if key.equals("ring_without") {
          ringWithout = try reader.texts(key)
        } else if key.equals("message") {
          message = try reader.text(key)
        } else if key.equals("except") {
          except = try reader.texts(key)
        } else if key.equals("until") {
          until = try reader.text(key)
        } else if key.equals("calendar") {
          calendar = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
      self.labels = labels
      self.data = data
      self.bands = bands
      self.ring = ring
      self.ringWithout = ringWithout
      self.message = message
      self.except = except
      self.until = until
      self.calendar = calendar
      self.change = change
    }
  }
}

extension Parameters {
  /// Renames a timer. It stays the same timer, with the same id and the same deadline. The ledger
  /// has two events: renamed_to, the last under the old name, and renamed_from, the first under the
  /// new one. new_name: the new name, as in Start. If another timer has that name, in any state,
  /// the call is refused with TimerExists.
  package struct Rename: ~Copyable {
    package var name: JSONText
    package var newName: JSONText
    package var change: Change

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var change = Change()
      var name: JSONText?
      var newName: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("new_name") {
          newName = try reader.text(key)
        } else if key.equals("undo_id") {
          change.undoId = try reader.text(key)
        } else if key.equals("if_seq") {
          change.ifSeq = try reader.integer(key)
        } else if key.equals("request") {
          change.request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      guard let newName else { throw .invalid("new_name") }
      self.name = name
      self.newName = newName
      self.change = change
    }
  }
}

extension Parameters {
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
  package struct Undo: ~Copyable {
    package var request: JSONText?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var request: JSONText?
      while let key = try reader.next() {
        if key.equals("request") {
          request = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.request = request
    }
  }
}

extension Parameters {
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
  package struct Watch: ~Copyable {
    package var name: JSONText?
    package var prefix: JSONText?
    package var tickUsec: Int64?
    package var after: Int64?
    package var ledger: JSONText?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var name: JSONText?
      var prefix: JSONText?
      var tickUsec: Int64?
      var after: Int64?
      var ledger: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else if key.equals("prefix") {
          prefix = try reader.text(key)
        } else if key.equals("tick_usec") {
          tickUsec = try reader.integer(key)
        } else if key.equals("after") {
          after = try reader.integer(key)
        } else if key.equals("ledger") {
          ledger = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.name = name
      self.prefix = prefix
      self.tickUsec = tickUsec
      self.after = after
      self.ledger = ledger
    }
  }
}

extension Parameters {
  /// Needs more. Sends the entries of the ledger after the number after, and then each new entry;
  /// without after only new entries. prefix leaves out other timers' entries, not those about the
  /// machine. ledger: the name of the ledger that numbers these events; the first reply has it. If
  /// a call gives ledger and after, and the daemon has begun another ledger since, the call is
  /// refused with LedgerChanged.
  package struct Events: ~Copyable {
    package var after: Int64?
    package var prefix: JSONText?
    package var ledger: JSONText?

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var after: Int64?
      var prefix: JSONText?
      var ledger: JSONText?
      while let key = try reader.next() {
        if key.equals("after") {
          after = try reader.integer(key)
        } else if key.equals("prefix") {
          prefix = try reader.text(key)
        } else if key.equals("ledger") {
          ledger = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      self.after = after
      self.prefix = prefix
      self.ledger = ledger
    }
  }
}

extension Parameters {
  /// The state of the daemon.
  package struct Status: ~Copyable {
    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      if let key = try reader.next() { throw .invalid(key.string) }
    }
  }
}

extension Parameters {
  /// Rings once without a timer, in the same way as timers ring. Replies with the result within
  /// some seconds. seen: the server has accepted the notification. heard: the sound was played to
  /// its end, or the server has begun to play it.
  package struct TestRing: ~Copyable {
    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      if let key = try reader.next() { throw .invalid(key.string) }
    }
  }
}

extension Parameters {
  /// Needs more. While this call lasts, the daemon delays rings: when a background span ends, it
  /// does not show or play the rings of the timers that expired in it until the client calls
  /// ReleaseRings or closes the connection, at most for 5 s. Events are not delayed, and commands
  /// run at once. A timer that is dismissed or snoozed in that time does not ring. hold: the number
  /// of this hold, for ReleaseRings; the first reply has only this. The daemon sends another reply
  /// at the end of each background span. span_id: the number of that span.
  package struct HoldRings: ~Copyable {
    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      if let key = try reader.next() { throw .invalid(key.string) }
    }
  }
}

extension Parameters {
  /// Plays the rings that a hold delays. The hold continues with the next background span. If there
  /// are several holds, rings wait for all of them.
  package struct ReleaseRings: ~Copyable {
    package var hold: Int64

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var hold: Int64?
      while let key = try reader.next() {
        if key.equals("hold") {
          hold = try reader.integer(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let hold else { throw .invalid("hold") }
      self.hold = hold
    }
  }
}

extension Parameters {
  /// All events of one timer since it was started, and the background spans since then.
  package struct Why: ~Copyable {
    package var name: JSONText

    /// Reads the members of an object. O(n).
    package init(from reader: inout ParameterReader) throws(CallError) {
      var name: JSONText?
      while let key = try reader.next() {
        if key.equals("name") {
          name = try reader.text(key)
        } else {
          throw .invalid(key.string)
        }
      }
      guard let name else { throw .invalid("name") }
      self.name = name
    }
  }
}
