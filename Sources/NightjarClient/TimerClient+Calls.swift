public import NightjarVarlink

/// Questions. All throw `ClientError`: `.refused` with the daemon's reason; `.daemonUnreachable` if
/// no daemon listens; `.timedOut` after `patience`; `.cancelled` if the task was cancelled.
extension TimerClient {
  /// One timer.
  ///
  /// - Throws: also `ClientError.refused(.timerNotFound)`.
  public func timer(_ name: String) async throws(ClientError) -> NightjarTimer {
    try Self.timer(in: await call(.get(name: name), mayRepeat: true))
  }

  /// Timers, in no particular order. O(number of timers).
  ///
  /// - Parameters:
  ///   - prefix: whole segments of the name: `run` includes `run/4711` and not `runner`. Nil: all
  ///     timers.
  ///   - states: only timers in one of these states. Empty: all timers.
  public func timers(
    under prefix: String? = nil, in states: [NightjarTimer.State] = []
  ) async throws(ClientError) -> [NightjarTimer] {
    var timers: [NightjarTimer] = []
    var after: Int64?
    repeat {
      let page = try await call(
        .list(prefix: prefix, states: states.isEmpty ? nil : states, after: after),
        mayRepeat: true)
      for timer in page["timers"]?.arrayValue ?? [] { timers.append(try NightjarTimer(timer)) }
      after = page["next"]?.integerValue
    } while after != nil
    return timers
  }

  /// All events of a timer since it was started, and the background spans since then.
  public func why(_ name: String) async throws(ClientError) -> Story {
    try Story(await call(.why(name: name), mayRepeat: true))
  }

  /// The daemon's status.
  public func status() async throws(ClientError) -> DaemonStatus {
    try DaemonStatus(await call(.status(), mayRepeat: true))
  }

  /// Rings as a test, without a timer. As for a timer, the daemon shows a notification and plays
  /// the sound.
  ///
  /// - Returns: the result, after some seconds at most.
  public func testRing() async throws(ClientError) -> RingReport {
    try RingReport(await call(.testRing(), mayRepeat: false)["ring"] ?? .null)
  }

  private static func timer(in reply: JSONValue) throws(ClientError) -> NightjarTimer {
    try NightjarTimer(reply["timer"] ?? .null)
  }
}

/// Changes. When a call returns, the change is on the daemon's disk. After
/// `ClientError.connectionLost`, `.timedOut` and `.cancelled`, the caller does not know whether the
/// change was made. To find out, ask for the timer. Or give each change a request ID, and send the
/// change again with the same ID. A change that makes no sense for the timer's state is refused
/// with `.invalidTransition` or `.notForKind`.
///
/// All take `options`: the request ID, an ID for undoing the change, and the number of the timer's
/// last event that the change depends on.
extension TimerClient {
  /// Starts a countdown.
  ///
  /// - Parameters:
  ///   - name: nil: the daemon invents a short one.
  ///   - duration: rounded to whole microseconds.
  /// - Returns: the timer as it was started.
  /// - Throws: also `ClientError.refused(.timerExists)`: a timer of that name is active.
  @discardableResult
  public func start(
    _ name: String? = nil, for duration: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await start(NewTimer(name: name, .countdown(duration)), options: options)
  }

  /// Starts a timer of any kind.
  ///
  /// - Returns: the timer as it was started or, with `ifAbsent`, the one that existed.
  /// - Throws: as `start(_:for:)`; also `.refused(.neverElapses)`: the time of an alarm is past.
  @discardableResult
  public func start(
    _ timer: NewTimer, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.start(timer), options)
  }

  /// Pauses a running timer.
  @discardableResult
  public func pause(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.pause, name: name), options)
  }

  /// Resumes a paused timer.
  @discardableResult
  public func resume(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.resume, name: name), options)
  }

  /// Ends a running or paused timer before its time.
  @discardableResult
  public func cancel(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.cancel, name: name), options)
  }

  /// Restarts a timer's run from the beginning.
  @discardableResult
  public func restart(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.restart, name: name), options)
  }

  /// Dismisses a timer that rang. If the timer continues, dismisses only its ring.
  ///
  /// - Returns: the timer's last state.
  @discardableResult
  public func dismiss(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.dismiss, name: name), options)
  }

  /// Removes a timer in whatever state.
  ///
  /// - Returns: the timer's last state.
  @discardableResult
  public func remove(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.remove, name: name), options)
  }

  /// Advances a sequence to its next step.
  @discardableResult
  public func advance(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.advance, name: name), options)
  }

  /// Records the time that a stopwatch has measured.
  @discardableResult
  public func lap(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.lap, name: name), options)
  }

  /// Skips the next expiry of a repeating timer: it does not ring then.
  @discardableResult
  public func skip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.skip, name: name), options)
  }

  /// Undoes the last `skip`, if the skipped expiry is still to come.
  @discardableResult
  public func unskip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.unskip, name: name), options)
  }

  /// Gives a timer more time, or less; a timer that is shortened past its end fires.
  @discardableResult
  public func extend(
    _ name: String, by length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.extend(name: name, byUsec: length.usec), options)
  }

  /// Makes a timer that rang ring again later.
  @discardableResult
  public func snooze(
    _ name: String, for length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.snooze(name: name, byUsec: length.usec), options)
  }

  /// Replaces a timer's labels, data, bands, ring or message; nil leaves one as it is.
  ///
  /// - Parameters:
  ///   - data: a JSON object of at most 4 KiB.
  ///   - ring: replaces the command, the sound, or other settings that it contains; the rest stays.
  ///     An empty ring removes the command and the sound.
  ///   - message: the text to show when it rings; an empty one removes it.
  @discardableResult
  public func update(
    _ name: String, labels: [NightjarTimer.Label]? = nil, data: JSONValue? = nil,
    bands: [Band]? = nil, ring: NewTimer.Ring? = nil, message: String? = nil,
    options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(
      .update(
        name: name, labels: labels, data: data, bands: bands, ring: ring, message: message),
      options)
  }

  /// Changes everything in a timer that `Update` can change; nil leaves a part as it is.
  @discardableResult
  public func update(
    _ name: String, _ changes: TimerChanges, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.update(name, changes), options)
  }

  private func change(
    _ call: Call, _ options: ChangeOptions
  ) async throws(ClientError) -> NightjarTimer {
    // The daemon makes a change with a request ID once, however often it is sent.
    try Self.timer(
      in: await self.call(call.with(options), mayRepeat: options.request != nil))
  }
}

/// Streams. Each sequence has a connection of its own and continues across restarts of the daemon:
/// it misses no event, and delivers no event twice. It ends with the task that reads it. If the
/// daemon lost the ledger's file and began a new ledger, the sequence continues with all events of
/// the new ledger. Their numbers begin at 1.
extension TimerClient {
  /// Delivers the timer's present state, then a change with `isSynced`, then every change of the
  /// timer until it is removed. It also delivers every event of the machine, such as a sleep or a
  /// clock change.
  ///
  /// - Parameters:
  ///   - name: the timer; if there is none, the first `next` throws `.refused(.timerNotFound)`.
  ///   - tick: how often to get the present state while the timer runs, 10 ms or more; nil: only
  ///     changes.
  public func watch(_ name: String, tick: Duration? = nil) -> LiveSequence<Change> {
    changes(.watch(name: name, tickUsec: tick?.usec))
  }

  /// Delivers the present state of all timers, or of the timers under a prefix, then a change with
  /// `isSynced`. Then it delivers every change of these timers and of timers that are started
  /// later. It also delivers every event of the machine.
  ///
  /// - Parameters:
  ///   - prefix: whole segments of the name; nil: all timers.
  ///   - tick: how often to get the present state of each running timer, 10 ms or more; nil: only
  ///     changes.
  public func watch(under prefix: String? = nil, tick: Duration? = nil) -> LiveSequence<Change> {
    changes(.watch(prefix: prefix, tickUsec: tick?.usec))
  }

  /// Events, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - after: the number of the last event that the caller knows: the sequence begins with the
  ///     next one. 0: it begins with the oldest stored event. Nil: it has only new events.
  ///   - ledger: the ledger to which `after` belongs, from `status().storage.ledger`. If the daemon
  ///     has begun another ledger, even while the sequence is read, `next` throws
  ///     `.refused(.ledgerChanged)`. Nil: whichever ledger the daemon has.
  ///   - prefix: only events of timers under this prefix, and all events of the machine.
  public func events(
    after: Int64? = nil, of ledger: String? = nil, under prefix: String? = nil
  ) -> LiveSequence<Event> {
    LiveSequence(path: socketPath, call: .events(after: after, prefix: prefix, ledger: ledger)) {
      (reply) throws(ClientError) in try Event(reply["event"] ?? .null)
    }
  }

  private func changes(_ call: Call) -> LiveSequence<Change> {
    LiveSequence(path: socketPath, call: call) { (reply) throws(ClientError) in try Change(reply) }
  }
}
