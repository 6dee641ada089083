public import NightjarVarlink

/// Asking. All throw `ClientError`: `.refused` with the daemon's reason; `.daemonUnreachable` if nobody
/// listens; `.timedOut` beyond `patience`; `.cancelled` with the task.
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
  ///   - prefix: whole segments of the name: `run` has `run/4711` and not `runner`. Nil: all.
  ///   - states: only those in one of these. Empty: all.
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

  /// How the daemon is.
  public func status() async throws(ClientError) -> DaemonStatus {
    try DaemonStatus(await call(.status(), mayRepeat: true))
  }

  /// Rings for no timer, the way every timer rings: shows a notification and plays the sound.
  ///
  /// - Returns: what came of it, after some seconds at most.
  public func testRing() async throws(ClientError) -> RingReport {
    try RingReport(await call(.testRing(), mayRepeat: false)["ring"] ?? .null)
  }

  private static func timer(in reply: JSONValue) throws(ClientError) -> NightjarTimer {
    try NightjarTimer(reply["timer"] ?? .null)
  }
}

/// Changing. What returns is on the daemon's disk. Beside the errors of asking there is one more to live
/// with: after `ClientError.connectionLost`, `.timedOut` and `.cancelled` nobody can say whether the change
/// was made; ask for the timer, or make each change with an id, and send it again with the same.
/// What makes no sense for the timer's state is refused with `.invalidTransition` or `.notForKind`.
///
/// All take `options`, which have that id and say who makes the change, and of which timer.
extension TimerClient {
  /// Starts a countdown.
  ///
  /// - Parameters:
  ///   - name: nil: the daemon makes up a short one.
  ///   - duration: to the microsecond.
  /// - Returns: the timer as it was started.
  /// - Throws: also `ClientError.refused(.timerExists)`: one of that name is active.
  @discardableResult
  public func start(
    _ name: String? = nil, for duration: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await start(NewTimer(name: name, .countdown(duration)), options: options)
  }

  /// Starts a timer of any kind.
  ///
  /// - Returns: the timer as it was started, or with `ifAbsent` the one that was there.
  /// - Throws: as `start(_:for:)`; also `.refused(.neverElapses)`: the time of an alarm is past.
  @discardableResult
  public func start(
    _ timer: NewTimer, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.start(timer), options)
  }

  /// Holds a running timer.
  @discardableResult
  public func pause(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.pause, name: name), options)
  }

  /// Lets a paused timer go on.
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

  /// Begins a timer's run anew.
  @discardableResult
  public func restart(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.restart, name: name), options)
  }

  /// Puts away a timer that rang, or the ring of one that goes on.
  ///
  /// - Returns: the timer as it was last.
  @discardableResult
  public func dismiss(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.dismiss, name: name), options)
  }

  /// Puts away a timer in whatever state.
  ///
  /// - Returns: the timer as it was last.
  @discardableResult
  public func remove(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.remove, name: name), options)
  }

  /// Sends a sequence on to its next step.
  @discardableResult
  public func advance(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.advance, name: name), options)
  }

  /// Takes down what a stopwatch has measured.
  @discardableResult
  public func lap(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.lap, name: name), options)
  }

  /// Has a timer that repeats pass over its next expiry: it does not ring then.
  @discardableResult
  public func skip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.skip, name: name), options)
  }

  /// Takes the last `skip` back whose expiry is still to come.
  @discardableResult
  public func unskip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.perform(.unskip, name: name), options)
  }

  /// Gives a timer more time, or less; one that is shortened past its end fires.
  @discardableResult
  public func extend(
    _ name: String, by length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.extend(name: name, byUsec: length.usec), options)
  }

  /// Lets a timer that rang ring again.
  @discardableResult
  public func snooze(
    _ name: String, for length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.snooze(name: name, byUsec: length.usec), options)
  }

  /// Replaces a timer's labels, its data, its bands, its ring, its message, or some of them; what is nil stays.
  ///
  /// - Parameters:
  ///   - data: an object of at most 4 KiB as JSON.
  ///   - ring: what it says of the command or of the sound takes the place of what was there; what it
  ///     does not speak of stays. One with nothing in it takes both away.
  ///   - message: what people are told when it rings; an empty one takes it away.
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

  /// Changes a timer in all that `Update` can change; what is nil stays.
  @discardableResult
  public func update(
    _ name: String, _ changes: TimerChanges, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> NightjarTimer {
    try await change(.update(name, changes), options)
  }

  private func change(
    _ call: Call, _ options: ChangeOptions
  ) async throws(ClientError) -> NightjarTimer {
    // The daemon makes a change with an id once, however often it is sent.
    try Self.timer(
      in: await self.call(call.with(options), mayRepeat: options.request != nil))
  }
}

/// Following. Each sequence has a connection of its own, and outlives restarts of the daemon: nothing is
/// missed, and nothing comes twice. It ends with the task that reads it. Where the ledger was begun anew
/// meanwhile, because its file was lost, it goes on with all that is in the new one, whose numbers begin
/// with 1.
extension TimerClient {
  /// A timer as it is, then a change with `isSynced`, then every change of it until it is removed, and
  /// of the machine: that it slept, that its clock was set.
  ///
  /// - Parameters:
  ///   - name: the timer; if there is none, the first `next` throws `.refused(.timerNotFound)`.
  ///   - tick: how often to be told how it is while it runs, 10 ms or more; nil: only of changes.
  public func watch(_ name: String, tick: Duration? = nil) -> LiveSequence<Change> {
    changes(.watch(name: name, tickUsec: tick?.usec))
  }

  /// All timers, or those under a prefix, as they are, then a change with `isSynced`, and then every
  /// change of one, of one that is started later, and of the machine.
  ///
  /// - Parameters:
  ///   - prefix: whole segments of the name; nil: all timers.
  ///   - tick: how often to be told how each is that runs, 10 ms or more; nil: only of changes.
  public func watch(under prefix: String? = nil, tick: Duration? = nil) -> LiveSequence<Change> {
    changes(.watch(prefix: prefix, tickUsec: tick?.usec))
  }

  /// What happens, in order and by number.
  ///
  /// - Parameters:
  ///   - after: the number of the last event that is known: all behind it come first. 0: from the oldest
  ///     that is kept; nil: only what comes.
  ///   - ledger: whose number that is, `status().storage.ledger`; if another was begun since, also while
  ///     this is read, `next` throws `.refused(.ledgerChanged)`. nil: the daemon's, whichever it is.
  ///   - prefix: leaves out events of timers that are not under it, not those of the machine.
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
