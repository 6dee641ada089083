internal import Glibc
internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarSystem
internal import Varlink

/// Reads calls in order and sends replies in order.
extension Server {
  /// Serves the clients whose descriptors are ready.
  func serve() {
    // Serve the postponed sessions first. Otherwise a client that sends calls without a pause would
    // take every iteration for itself.
    servePostponed()
    do {
      try clients.wait(maximum: 256) { token, events in
        // An earlier event of this batch may have closed the connection, and a new connection may
        // have its descriptor number.
        guard let session = session(of: token) else { return }
        if session.isHeavy {
          heavy.append((session, events))
        } else {
          serve(session, events)
        }
      }
    } catch { warn("cannot wait for calls of clients: \(error)") }
    if !heavy.isEmpty { serveHeavy() }
  }

  private func session(of token: UInt64) -> Session? {
    let raw = Int(UInt32(truncatingIfNeeded: token))
    guard raw < sessions.count, let session = sessions[raw], session.token == token else {
      return nil
    }
    return session
  }

  private func serve(_ session: Session, _ events: EpollSet.Events) {
    beginTurn()
    // The client may have hung up after sending oneway calls, which want no reply. So read its
    // input to the end.
    if events.contains(.readable) {
      receive(session)
    } else if !events.isDisjoint(with: .closed), !session.isPostponed {
      session.connection.isBroken = true
    }
    proceed(session, isWritable: !events.isDisjoint(with: [.writable, .closed]))
    endTurn(of: session)
  }

  /// Serves sessions whose last turn was long. All of them together get about the time of one turn.
  /// The session that has waited longest comes first. If the time is used up, epoll reports the
  /// remaining sessions again in the next iteration.
  private func serveHeavy() {
    var waiting = heavy.sorted { $0.session.lastTurn < $1.session.lastTurn }[...]
    heavy = []
    clock.measure()
    let end = clock.spentUsec + Self.turnUsec
    repeat {
      let (session, events) = waiting.removeFirst()
      guard self.session(of: session.token) === session else { continue }
      serve(session, events)
      clock.measure()
    } while !waiting.isEmpty && clock.spentUsec < end
  }

  /// Begins a client's turn. A turn ends when the server has answered `callsInTurn` calls or has
  /// worked for `turnUsec`. Then the other clients have their turns.
  private func beginTurn() {
    (callsInTurn, bytesInTurn) = (0, 0)
    turnBeganUsec = clock.spentUsec
  }

  private func endTurn(of session: Session) {
    turns += 1
    session.lastTurn = turns
    session.isHeavy =
      callsInTurn > Self.lightCalls || bytesInTurn > Self.lightBytes
      || clock.spentUsec - turnBeganUsec >= Self.turnUsec
  }

  private func receive(_ session: Session) {
    let chunk = session.connection.receive(into: buffer)
    guard !chunk.isEmpty else { return }
    bytesInTurn = chunk.count
    // Append input that cannot be answered yet to the earlier input of the session, to keep the
    // order.
    guard !session.isPostponed, canAnswer(session) else {
      return session.connection.input.append(chunk)
    }
    let outcome = session.connection.input.consume(chunk) { handle($0, session) }
    if outcome == .frameTooLong { refuse(session, "a message over \(WireLimits.frameBytes) bytes") }
  }

  /// Whether the server may answer the session's next call now. The call waits while a stream
  /// before it is open, while the client has not read enough of its output, while the session's
  /// turn is over, and while the time for clients in this loop iteration is used up.
  private func canAnswer(_ session: Session) -> Bool {
    session.stream == nil && session.outlet.hasRoom && !isIterationSpent && !isTurnOver
  }

  private var isTurnOver: Bool {
    callsInTurn >= Self.callsInTurn || clock.spentUsec - turnBeganUsec >= Self.turnUsec
  }

  /// Does all that can be done for a client now: answers waiting calls, lets its stream write, and
  /// sends its output.
  ///
  /// - Parameter isWritable: the kernel has reported that the socket accepts more.
  func proceed(_ session: Session, isWritable: Bool = false) {
    session.flush(isWritable: isWritable)
    // A postponed session had its turn in this iteration already.
    guard !session.isPostponed else { return settle(session) }
    while !session.isBroken, canAnswer(session), session.connection.input.pendingBytes > 0 {
      let before = session.connection.input.pendingBytes
      let outcome = session.connection.input.drain { handle($0, session) }
      if outcome == .frameTooLong {
        refuse(session, "a message over \(WireLimits.frameBytes) bytes")
      }
      session.flush()
      if session.connection.input.pendingBytes == before { break }
    }
    let hadStream = session.stream != nil
    if hadStream, session.outlet.hasRoom, !session.isListedAsUnfinished {
      pump(session)
      session.flush()
    }
    // Some calls could be answered but were not: a stream before them has only just ended, or the
    // time of this turn or of this iteration is used up.
    if session.stream == nil, session.outlet.hasRoom, session.connection.input.pendingBytes > 0,
      hadStream || isIterationSpent || isTurnOver
    {
      proceedLater(session)
      loop.requestIteration()
    }
    settle(session)
  }

  /// Continues with a client at the end of this iteration. If the end of this iteration has begun,
  /// continues at the end of the next one.
  private func proceedLater(_ session: Session) {
    guard !session.isPostponed else { return }
    session.isPostponed = true
    postponed.append(session)
  }

  /// Whether the time for clients in this iteration is used up. The limit exists because long work
  /// for clients must not make timers late.
  private var isIterationSpent: Bool { clock.spentUsec >= Self.iterationUsec }

  /// Closes a session that has ended. For any other session, updates the events that epoll watches.
  private func settle(_ session: Session) {
    // A client that has shut down its sending side may still read, so its calls are answered until
    // it disconnects.
    let isOver =
      session.connection.hasInputEnded && session.outlet.isDrained && session.stream == nil
      && !session.isPostponed
    guard !session.isBroken, !isOver else { return close(session) }
    let awaited = session.connection.awaited
    guard awaited != session.watched else { return }
    session.watched = awaited
    do {
      try clients.modify(session.connection.descriptor, token: session.token, awaited)
    } catch { warn("a connection cannot be watched: \(error)") }
  }

  /// Closes the connection of a client whose message is not valid. Varlink has no error reply for
  /// that.
  private func refuse(_ session: Session, _ why: String) {
    log.write("closed", .info, "closed the connection of process \(session.peer.pid): \(why)")
    session.flush()
    session.connection.isBroken = true
  }

  /// Answers one call.
  ///
  /// - Returns: false if the session's next call has to wait.
  private func handle(_ frame: UnsafeRawBufferPointer, _ session: Session) -> Bool {
    guard !session.isBroken else { return false }
    precondition(session.stream == nil, "replies go out in the order of the calls")
    let call: VarlinkCall
    do {
      call = try VarlinkCall.parse(frame)
    } catch {
      refuse(session, error.description)
      return false
    }
    let start = session.outlet.output.count
    let seq = core.engine.lastSeq
    if let stream = methods.answer(call, to: session.outlet, at: clock.now) {
      session.begin(stream, from: start)
      streaming.append(session)
      pump(session)
    }
    if !call.oneway, core.engine.lastSeq != seq || isReplyToUnfinished(call) {
      gate(session, from: start, commit: core.journal.latestCommit)
    }
    callsInTurn += 1
    callsSinceClockRead += 1
    // The clock is not read after each call, because reading it takes longer than most calls do.
    if callsSinceClockRead >= Self.callsBetweenClockReads
      || frame.count > Self.bytesBetweenClockReads
      || !call.method.equals("org.nightjar.Timers.Get")
    {
      callsSinceClockRead = 0
      clock.measure()
    }
    return canAnswer(session)
  }

  /// Holds back the output from `start` on until `commit`.
  private func gate(_ session: Session, from start: Int, commit: Int64) {
    session.outlet.gate(from: start, commit: commit)
    guard !session.isListedAsGated else { return }
    session.isListedAsGated = true
    gated.append(session)
  }

  /// Returns the sessions that wait for a commit, and clears the list. If a session still has to
  /// wait, the caller puts it back in the list.
  private func takeGated() -> [Session] {
    defer { gated = [] }
    for session in gated { session.isListedAsGated = false }
    return gated
  }

  /// Whether the reply to a call that changed nothing depends on a pending commit. A `Start` with
  /// `if_absent` changes nothing if the timer exists, but its reply shows the timer, which may not
  /// be on disk yet. A call with a known request ID gets the stored reply again, and the change in
  /// that reply may not be on disk yet.
  private func isReplyToUnfinished(_ call: VarlinkCall) -> Bool {
    core.journal.hasUnfinished
      && (methods.isAnswerToRequest || call.method.equals("org.nightjar.Timers.Start"))
  }
}

// MARK: - Streams

extension Server {
  private func pump(_ session: Session) {
    guard let stream = session.stream else { return }
    let start = session.outlet.output.count
    follow(session, stream.pump(session.outlet, at: clock.now))
    // The stream has written the present state, which may not be on disk yet. A client must not see
    // that state before it is on disk: a crash could undo it, and no later event would correct the
    // client.
    let commit = core.journal.latestCommit
    guard stream.writesPresent, session.outlet.output.count > start,
      commit > core.journal.publicCommit
    else { return }
    gate(session, from: start, commit: commit)
  }

  private func follow(_ session: Session, _ state: StreamState) {
    switch state {
    case .waiting: break
    case .hasMore:
      guard !session.isListedAsUnfinished else { break }
      session.isListedAsUnfinished = true
      unfinished.append(session)
    case .ended:
      session.releaseStream()
      streaming.removeAll { $0 === session }
    }
    // If a stream stops needing ticks, the timer is not set again. It may then expire for nothing,
    // which costs at most one wake-up.
    if session.stream?.nextTickUsec != nil { isTickStale = true }
  }

  /// Lets a stream write when it has something to write that no event has caused.
  func continueStream(with stream: any ReplyStream) {
    guard let session = streaming.first(where: { $0.stream === stream }) else { return }
    follow(session, .hasMore)
    loop.requestIteration()
  }

  /// Serves the clients and streams for which this loop iteration had no time yet. The daemon calls
  /// this at the end of each iteration.
  func iterationEnded() {
    servePostponed()
    continueStreams()
    if budget.isExceeded { cutSlowest() }
    if isTickStale { armTick() }
    if !undelivered.isEmpty || unfinished.contains(where: { $0.outlet.hasRoom }) {
      loop.requestIteration()
    }
  }

  /// Serves the postponed sessions in their order. If the time of this iteration is used up, the
  /// remaining sessions come first in the next iteration. While other clients have sent input, all
  /// postponed sessions together get the time of one turn.
  private func servePostponed() {
    guard !postponed.isEmpty else { return }
    var waiting = postponed[...]
    postponed = []
    clock.measure()
    let end = clock.spentUsec + Self.turnUsec
    while let session = waiting.first, !isIterationSpent,
      clock.spentUsec < end || !clients.isAnyReady
    {
      waiting.removeFirst()
      session.isPostponed = false
      guard !session.isBroken else { continue }
      beginTurn()
      proceed(session)
      endTurn(of: session)
      clock.measure()
    }
    postponed = waiting + postponed
    if !postponed.isEmpty { loop.requestIteration() }
  }

  /// Delivers events to streams, and lets unfinished streams continue. While clients wait, this
  /// takes at most as long as the iteration has taken so far, or `streamsTurnUsec` if that is
  /// longer. The limit exists because a thousand clients that watch the same timer, or one client
  /// that reads the whole ledger, must not delay other clients.
  private func continueStreams() {
    guard !undelivered.isEmpty || !unfinished.isEmpty else { return }
    clock.measure()
    let begin = clock.spentUsec
    serveStreams(
      until: (
        share: begin + min(max(begin, Self.streamsTurnUsec), Self.iterationUsec),
        longest: begin + Self.iterationUsec
      ))
  }

  /// Writes all pending events to streams without a time limit, because the process is about to be
  /// suspended (SIGTSTP).
  func deliverEverything() {
    // The changes that these sessions requested are on disk, so their replies must not wait for a
    // SIGCONT.
    for session in postponed where !session.isBroken { session.flush() }
    serveStreams(until: (share: .max, longest: .max))
  }

  private func serveStreams(until end: (share: Int64, longest: Int64)) {
    streamsEnd = end
    continueDelivery(at: clock.now)
    var (streams, rounds) = (ArraySlice<Session>(), 0)
    while !isStreamsTimeUp {
      if streams.isEmpty, rounds < Self.streamRounds {
        (streams, unfinished) = (unfinished[...], [])
        rounds += 1
      }
      guard let session = streams.popFirst() else { break }
      session.isListedAsUnfinished = false
      guard session.outlet.hasRoom, !session.isBroken else { continue }
      pump(session)
      session.flush()
      clock.measure()
      // If the stream has ended, the calls behind it can be answered.
      if session.stream == nil { proceedLater(session) } else { settle(session) }
    }
    unfinished = streams + unfinished
    if !postponed.isEmpty { loop.requestIteration() }
  }

  private var isStreamsTimeUp: Bool {
    guard clock.spentUsec >= streamsEnd.share else { return false }
    return clock.spentUsec >= streamsEnd.longest || clients.isAnyReady
  }

  /// Ends the streams with the most unread output, because all watching clients together exceed the
  /// budget.
  private func cutSlowest() {
    let count = streaming.count
    budget.enforce(on: streaming) { session in
      session.cutStream()
      proceedLater(session)
    }
    streaming.removeAll { $0.stream == nil }
    Log.write(
      .notice,
      "\(count - streaming.count) of \(count) watching clients read too slowly; "
        + "their streams are ended",
      [("NIGHTJAR_WATCHERS", "cut")])
    loop.requestIteration()
  }

  func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .committed(let events, let durable): publish(events, durable: durable)
    case .commitFailed(let reason, let inDoubt):
      for session in takeGated() {
        let error = TimersError.storageFailed(reason: reason, inDoubt: inDoubt)
        session.outlet.replaceGated { error.write(to: &$0) }
        // The stream has reported a change that the failed commit undid, and no event will take
        // that report back. So the server closes the connection, and the client asks again.
        if session.stream != nil { session.connection.isBroken = true }
        if session.isBroken { settle(session) } else { proceedLater(session) }
      }
    case .didEnterBackground, .spanExtended, .willEnterForeground, .spansCorrected, .clockStepped,
      .presenceChanged, .absenceBegan, .absenceEnded, .synchronizationChanged, .zoneChanged,
      .recorded, .actionsCalled:
      break
    }
  }

  private func publish(_ events: [Event], durable: Bool) {
    for session in takeGated() {
      session.outlet.release(through: core.journal.publicCommit)
      if session.outlet.isGated {
        session.isListedAsGated = true
        gated.append(session)
      }
      // Continue with the session only after these events are delivered. Its next call may change a
      // timer, or may open a stream that has to begin after these events.
      proceedLater(session)
    }
    undelivered.append(Delivery(events: events, isDurable: durable, sessions: streaming[...]))
  }

  /// Delivers pending events to the sessions that have not got them yet, as far as there is time.
  private func continueDelivery(at moment: Moment) {
    while var delivery = undelivered.first {
      while !isStreamsTimeUp, let session = delivery.sessions.popFirst() {
        deliver(delivery, to: session, at: moment)
        clock.measure()
      }
      guard delivery.sessions.isEmpty else {
        undelivered[0] = delivery
        break
      }
      undelivered.removeFirst()
    }
  }

  private func deliver(_ delivery: Delivery, to session: Session, at moment: Moment) {
    guard !session.isBroken, let stream = session.stream else { return }
    follow(
      session,
      stream.deliver(delivery.events, durable: delivery.isDurable, to: session.outlet, at: moment))
    session.flush()
    // If the stream has ended, the calls behind it can be answered, but only after all sessions
    // have got these events.
    if session.stream == nil { proceedLater(session) }
    if session.watched.contains(.writable) != session.outlet.hasSendable { settle(session) }
  }

  // MARK: Ticks

  /// Arms the tick timer for the stream that needs the next tick. O(number of streams), once per
  /// loop iteration.
  private func armTick() {
    isTickStale = false
    tickTimer?.arm(atUsec: streaming.compactMap { $0.stream?.nextTickUsec }.min())
  }

  /// Writes a tick to each stream whose tick is due. A stream for which this iteration has no time
  /// gets its tick in the next iteration.
  func tick() {
    let due = streaming.filter { session in
      session.stream?.nextTickUsec.map { $0 <= clock.now.monotonicUsec } ?? false
    }
    // The stream that has waited longest comes first. Otherwise clients that ask for very frequent
    // ticks would take every iteration.
    let inOrder = due.sorted { left, right in
      left.stream?.nextTickUsec ?? 0 < right.stream?.nextTickUsec ?? 0
    }
    for session in inOrder {
      session.stream?.tick(session.outlet, at: clock.now)
      session.flush()
      settle(session)
      clock.measure()
      if isIterationSpent { break }
    }
    isTickStale = true
  }
}
