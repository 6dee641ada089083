public import NightjarInterface
import Varlink

/// Calls that only read. All throw `ClientError`: `.refused` with the daemon's reason;
/// `.daemonUnreachable` if no daemon listens; `.timedOut` after `timeout`; `.cancelled` if the
/// task was cancelled.
extension TimerClient {
  /// Returns the present state of one timer.
  ///
  /// - Throws: in addition, `ClientError.refused(.timerNotFound)`.
  public func timer(_ name: String) async throws(ClientError) -> Wire.Timer {
    try await ask(Wire.Get(name: name)).timer
  }

  /// Returns the present state of several timers, in no particular order. O(number of timers).
  ///
  /// - Parameters:
  ///   - prefix: the first segments of the name: `run` includes `run/4711` and not `runner`. Nil:
  ///     all timers.
  ///   - states: the states of timers to return; empty: all states.
  ///   - ringing: what the open rings of timers to return do; empty: all timers, also those without
  ///     an open ring.
  public func timers(
    under prefix: String? = nil, in states: [Wire.State] = [], ringing: [Wire.Ringing] = []
  ) async throws(ClientError) -> [Wire.Timer] {
    var timers: [Wire.Timer] = []
    var question = Wire.List()
    (question.prefix, question.states) = (prefix, states.isEmpty ? nil : states)
    question.ringing = ringing.isEmpty ? nil : ringing
    repeat {
      let page = try await ask(question)
      timers += page.timers
      question.after = page.next
    } while question.after != nil
    return timers
  }

  /// Returns all events of a timer since it was started, and the background spans since then.
  public func why(_ name: String) async throws(ClientError) -> Wire.Why.Reply {
    try await ask(Wire.Why(name: name))
  }

  /// Returns the daemon's status.
  public func status() async throws(ClientError) -> Wire.Status.Reply {
    try await ask(Wire.Status())
  }

  /// Makes the daemon ring as a test, without a timer. The daemon shows a notification and plays
  /// the sound, as for a timer.
  ///
  /// - Returns: whether the user would notice a ring, after at most some seconds.
  public func testRing() async throws(ClientError) -> Wire.RingReport {
    try Wire.TestRing.Reply(try await call(Call(Wire.TestRing()), mayRepeat: false)).ring
  }

  private func ask<Question: WireMethod>(
    _ question: Question
  ) async throws(ClientError) -> Question.Reply {
    try Question.Reply(try await call(Call(question), mayRepeat: true))
  }
}

/// Calls that change timers. When a call returns, the change is on the daemon's disk. After
/// `ClientError.connectionLost`, `.timedOut` and `.cancelled`, the caller does not know whether the
/// change was made. The caller can read the timer to find out. Or the caller can give each change a
/// request ID, and send the change again with the same ID. A change that is not possible in the
/// timer's state is refused with `.invalidTransition`, and a change that is not possible for its
/// kind with `.notForKind`.
///
/// All these calls take `options`: a request ID, an ID for undoing the change, and a number of the
/// timer's last event. If the number is given and the timer has had a later event, the change is
/// refused.
extension TimerClient {
  /// Starts a countdown.
  ///
  /// - Parameters:
  ///   - name: the name of the timer; nil: the daemon invents a short name.
  ///   - duration: the length of the countdown, rounded to whole microseconds.
  /// - Returns: the timer as it was started.
  /// - Throws: in addition, `ClientError.refused(.timerExists)`: a timer of that name is active.
  @discardableResult
  public func start(
    _ name: String? = nil, for duration: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await start(Wire.Start(name: name, .countdown(duration)), options: options)
  }

  /// Starts a timer of any kind.
  ///
  /// - Returns: the timer as it was started. With `ifAbsent`, if a timer of that name existed, that
  ///   timer.
  /// - Throws: as `start(_:for:)`. In addition, `.refused(.neverElapses)`: the time of an alarm is
  ///   past.
  @discardableResult
  public func start(
    _ timer: Wire.Start, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try timer.data?.check()
    return try await change(Call(timer), options)
  }

  /// Pauses a running timer.
  @discardableResult
  public func pause(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.pause, name: name), options)
  }

  /// Resumes a paused timer.
  @discardableResult
  public func resume(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.resume, name: name), options)
  }

  /// Ends a timer before its time, and its ring.
  @discardableResult
  public func cancel(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.cancel, name: name), options)
  }

  /// Restarts a timer's run from the beginning.
  @discardableResult
  public func restart(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.restart, name: name), options)
  }

  /// Dismisses a timer's ring, or an expiry that did not ring. If the timer is over, it is removed.
  ///
  /// - Returns: the timer's state before it was removed, or after the change if it continues.
  @discardableResult
  public func dismiss(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.dismiss, name: name), options)
  }

  /// Ends a timer's ring, as `dismiss` does. If no ring is open, cancels the timer.
  @discardableResult
  public func stop(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.stop, name: name), options)
  }

  /// Removes a timer in any state.
  ///
  /// - Returns: the timer's state before it was removed.
  @discardableResult
  public func remove(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.remove, name: name), options)
  }

  /// Advances a sequence to its next step.
  @discardableResult
  public func advance(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.advance, name: name), options)
  }

  /// Records the time that a stopwatch has measured.
  @discardableResult
  public func lap(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.lap, name: name), options)
  }

  /// Makes a repeating timer skip its next expiry, so that it does not ring then.
  @discardableResult
  public func skip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.skip, name: name), options)
  }

  /// Withdraws the last `skip`, if the time of the skipped expiry has not come yet.
  @discardableResult
  public func unskip(
    _ name: String, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(.perform(.unskip, name: name), options)
  }

  /// Gives a timer more time, or less. A timer that is shortened by more than its remaining time
  /// expires.
  @discardableResult
  public func extend(
    _ name: String, by length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(Call(Wire.Extend(name: name, byUsec: length.usec)), options)
  }

  /// Makes a timer's open ring ring again after some time.
  @discardableResult
  public func snooze(
    _ name: String, for length: Duration, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try await change(Call(Wire.Snooze(name: name, byUsec: length.usec)), options)
  }

  /// Changes the parts of a timer that `changes` has. A part that is nil does not change, nor does
  /// a part of the ring that is nil. An empty ring removes the command and the sound, and an empty
  /// text removes the message.
  @discardableResult
  public func update(
    _ changes: Wire.Update, options: ChangeOptions = ChangeOptions()
  ) async throws(ClientError) -> Wire.Timer {
    try changes.data?.check()
    return try await change(Call(changes), options)
  }

  private func change(
    _ call: Call, _ options: ChangeOptions
  ) async throws(ClientError) -> Wire.Timer {
    // The call may be repeated if it has a request ID: the daemon then makes the change once, even
    // if it receives the call twice.
    let reply = try await self.call(call.with(options), mayRepeat: options.request != nil)
    return try Wire.Get.Reply(reply).timer
  }
}

/// Calls that return a sequence. Each sequence has its own connection and continues across restarts
/// of the daemon: it misses no event, and delivers no event twice. It ends when the task that reads
/// it is cancelled. If the daemon lost the ledger's file and began a new ledger, the sequence
/// continues with all events of the new ledger. Their numbers begin at 1.
extension TimerClient {
  /// Delivers the timer's present state, then a change with `synced`, then every change of the
  /// timer until it is removed. It also delivers every event of the machine, such as a sleep or a
  /// clock change.
  ///
  /// - Parameters:
  ///   - name: the name of the timer. If there is no such timer, the first `next` throws
  ///     `.refused(.timerNotFound)`.
  ///   - tick: how often to deliver the present state while the timer runs, 10 ms or more; nil:
  ///     only changes.
  public func watch(_ name: String, tick: Duration? = nil) -> LiveSequence<Wire.Watch.Reply> {
    var call = Wire.Watch()
    (call.name, call.tickUsec) = (name, tick?.usec)
    return changes(call)
  }

  /// Delivers the present state of all timers, or of the timers under a prefix, then a change with
  /// `synced`. Then it delivers every change of these timers and of timers that are started
  /// later. It also delivers every event of the machine.
  ///
  /// - Parameters:
  ///   - prefix: the first segments of the name; nil: all timers.
  ///   - tick: how often to deliver the present state of each running timer, 10 ms or more; nil:
  ///     only changes.
  public func watch(
    under prefix: String? = nil, tick: Duration? = nil
  ) -> LiveSequence<Wire.Watch.Reply> {
    var call = Wire.Watch()
    (call.prefix, call.tickUsec) = (prefix, tick?.usec)
    return changes(call)
  }

  /// Delivers events, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - after: the number of the last event that the caller knows. The sequence begins with the
  ///     next event. 0: it begins with the oldest stored event. Nil: it has only new events.
  ///   - ledger: the ledger to which `after` belongs, from `status().storage.ledger`. If the daemon
  ///     has begun another ledger, even while the sequence is read, `next` throws
  ///     `.refused(.ledgerChanged)`. Nil: the daemon's present ledger.
  ///   - prefix: the first segments of the names of the timers whose events are delivered, in
  ///     addition to all events of the machine; nil: all timers.
  public func events(
    after: Int64? = nil, of ledger: String? = nil, under prefix: String? = nil
  ) -> LiveSequence<Wire.Event> {
    var call = Wire.Events()
    (call.after, call.ledger, call.prefix) = (after, ledger, prefix)
    return LiveSequence(path: socketPath, call: Call(call)) { (reply) throws(ClientError) in
      try Wire.Events.Reply(reply).event
    }
  }

  private func changes(_ call: Wire.Watch) -> LiveSequence<Wire.Watch.Reply> {
    LiveSequence(path: socketPath, call: Call(call)) { (reply) throws(ClientError) in
      try Wire.Watch.Reply(reply)
    }
  }
}
