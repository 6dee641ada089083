internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarVarlink

/// Reads calls in order and sends replies in order.
extension Server {
  /// Serves the clients whose descriptors are ready.
  func serve() {
    // Postponed sessions come first. Otherwise a client that never stops asking would take every
    // iteration for itself.
    goOnWithPostponed()
    do {
      try clients.wait(maximum: 256) { token, events in
        // A connection may have been closed in this round, and its descriptor number may belong to
        // a new connection.
        guard let session = session(of: token) else { return }
        if session.isHeavy {
          heavy.append((session, events))
        } else {
          serve(session, events)
        }
      }
    } catch { warn("the clients could not be asked: \(error)") }
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
    // A client that hung up may have left calls that want no reply: read its input to the end.
    if events.contains(.readable) {
      receive(session)
    } else if !events.isDisjoint(with: .closed), !session.isPostponed {
      session.isBroken = true
    }
    proceed(session, isWritable: !events.isDisjoint(with: [.writable, .closed]))
    endTurn(of: session)
  }

  /// Serves sessions whose last turn was long, for about the time of one turn in all. The session
  /// that has waited longest comes first. epoll reports the others again in the next iteration.
  private func serveHeavy() {
    var waiting = heavy.sorted { $0.session.lastTurn < $1.session.lastTurn }[...]
    heavy = []
    clock.look()
    let end = clock.spentUsec + Self.turnUsec
    repeat {
      let (session, events) = waiting.removeFirst()
      guard self.session(of: session.token) === session else { continue }
      serve(session, events)
      clock.look()
    } while !waiting.isEmpty && clock.spentUsec < end
  }

  /// Begins a client's turn. In a turn the server answers `callsInTurn` calls or works for
  /// `turnUsec`; then the other clients have their turns.
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
    guard !session.isBroken else { return }
    let count = recv(
      session.descriptor.raw, buffer.baseAddress, Self.readBytes, Int32(MSG_DONTWAIT))
    if count < 0 {
      if errno != EAGAIN, errno != EINTR { session.isBroken = true }
      return
    }
    if count == 0 {
      session.hasInputEnded = true
      return
    }
    bytesInTurn = count
    consume(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), session)
  }

  private func consume(_ chunk: UnsafeRawBufferPointer, _ session: Session) {
    // Input that cannot be answered yet is appended, to keep the order.
    guard !session.isPostponed, canAnswer(session) else { return session.input.append(chunk) }
    let outcome = session.input.consume(chunk) { handle($0, session) }
    if outcome == .frameTooLong { refuse(session, "a message over \(WireLimits.frameBytes) bytes") }
  }

  /// Whether the next call may be answered now. Calls behind a stream wait for its end. Calls of a
  /// client that does not read wait for room in its output. Calls of a client whose turn is over
  /// wait for the others. When this loop iteration has been long, all calls wait for the next one.
  private func canAnswer(_ session: Session) -> Bool {
    session.stream == nil && session.outlet.hasRoom && !isPassSpent && !isTurnOver
  }

  private var isTurnOver: Bool {
    callsInTurn >= Self.callsInTurn || clock.spentUsec - turnBeganUsec >= Self.turnUsec
  }

  /// Handles `message` as if the client had just sent it.
  func take(_ message: [UInt8], as session: Session) {
    beginTurn()
    message.withUnsafeBytes { consume($0, session) }
    proceed(session)
  }

  /// Continues with a client as far as possible: answers waiting calls, continues its stream,
  /// sends.
  ///
  /// - Parameter isWritable: the kernel has reported that the socket accepts more.
  func proceed(_ session: Session, isWritable: Bool = false) {
    session.flush(isWritable: isWritable)
    // A postponed session has had its turn.
    guard !session.isPostponed else { return settle(session) }
    while !session.isBroken, canAnswer(session), session.input.pendingBytes > 0 {
      let before = session.input.pendingBytes
      let outcome = session.input.drain { handle($0, session) }
      if outcome == .frameTooLong {
        refuse(session, "a message over \(WireLimits.frameBytes) bytes")
      }
      session.flush()
      if session.input.pendingBytes == before { break }
    }
    let hadStream = session.stream != nil
    if hadStream, session.outlet.hasRoom, !session.isListedAsUnfinished {
      pump(session)
      session.flush()
    }
    // Calls are left that could be answered now. They wait because a stream before them has only
    // just ended, or because the time of this turn or iteration is used up.
    if session.stream == nil, session.outlet.hasRoom, session.input.pendingBytes > 0,
      hadStream || isPassSpent || isTurnOver
    {
      proceedLater(session)
      loop.requestPass()
    }
    settle(session)
  }

  /// Continues with a client at the end of this iteration, or of the next one if this one is
  /// ending.
  private func proceedLater(_ session: Session) {
    guard !session.isPostponed else { return }
    session.isPostponed = true
    postponed.append(session)
  }

  /// Whether the time for clients in this iteration is used up: long work for clients must not make
  /// timers late.
  private var isPassSpent: Bool { clock.spentUsec >= Self.passUsec }

  /// Closes a session that is over; otherwise updates the events that epoll watches for it.
  private func settle(_ session: Session) {
    // A client that has shut down its sending side may still read: its calls are served until it
    // hangs up.
    let isOver =
      session.hasInputEnded && session.outlet.isDrained && session.stream == nil
      && !session.isPostponed
    guard !session.isBroken, !isOver else { return close(session) }
    let wanted = (
      readable: !session.hasInputEnded && session.outlet.hasRoom
        && session.input.pendingBytes <= WireLimits.frameBytes,
      writable: session.hasSendable
    )
    guard wanted != session.watched else { return }
    session.watched = wanted
    do {
      try clients.modify(
        session.descriptor.raw, token: session.token, readable: wanted.readable,
        writable: wanted.writable)
    } catch { warn("a connection cannot be watched: \(error)") }
  }

  /// Closes the connection: Varlink has no error reply to something that is not a valid message.
  private func refuse(_ session: Session, _ why: String) {
    log.write("closed", .info, "closed the connection of process \(session.peer.pid): \(why)")
    session.flush()
    session.isBroken = true
  }

  /// Answers one call.
  ///
  /// - Returns: false if the next call has to wait.
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
      gate(session, from: start, ticket: core.journal.ticket)
    }
    callsInTurn += 1
    callsSinceLook += 1
    // Reading the clock takes longer than most calls do.
    if callsSinceLook >= Self.callsBetweenLooks || frame.count > Self.bytesBetweenLooks
      || !call.method.equals("org.nightjar.Timers.Get")
    {
      callsSinceLook = 0
      clock.look()
    }
    return canAnswer(session)
  }

  /// Holds back the output from `start` on until commit `ticket`.
  private func gate(_ session: Session, from start: Int, ticket: Int64) {
    session.gate(from: start, ticket: ticket)
    guard !session.isListedAsGated else { return }
    session.isListedAsGated = true
    gated.append(session)
  }

  /// Returns the sessions that wait for a commit and clears the list. The caller puts the sessions
  /// that still wait back in the list.
  private func takeGated() -> [Session] {
    defer { gated = [] }
    for session in gated { session.isListedAsGated = false }
    return gated
  }

  /// Whether the reply to a call that changed nothing depends on a pending commit. A `Start` that
  /// left a timer as it was confirms a timer that may not be on disk yet. The answer to a repeated
  /// request ID repeats an earlier answer, whose change may not be on disk yet.
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
    // The present state may not be on disk yet. A client that saw it would know of a change that a
    // crash undoes, and no later event would correct it.
    let ticket = core.journal.ticket
    guard stream.tellsPresent, session.outlet.output.count > start,
      ticket > core.journal.tellableTicket
    else { return }
    gate(session, from: start, ticket: ticket)
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
    // Otherwise the timer may stay armed for a tick that is not needed any more. That costs at most
    // one wake-up.
    if session.stream?.nextTickUsec != nil { isTickStale = true }
  }

  /// Called when a stream has something to write that no event has caused.
  func goOn(with stream: any ReplyStream) {
    guard let session = streaming.first(where: { $0.stream === stream }) else { return }
    follow(session, .hasMore)
    loop.requestPass()
  }

  /// Continues with clients and streams that this loop iteration had no time for yet. The daemon
  /// calls this at the end of each iteration.
  func passEnded() {
    goOnWithPostponed()
    goOnWithStreams()
    if budget.isExceeded { cutSlowest() }
    if isTickStale { armTick() }
    if !untold.isEmpty || unfinished.contains(where: { $0.outlet.hasRoom }) { loop.requestPass() }
  }

  /// Serves the postponed sessions in turn. Sessions that this iteration has no time for come first
  /// in the next one. While other clients are ready, postponed sessions get the time of one turn in
  /// all.
  private func goOnWithPostponed() {
    guard !postponed.isEmpty else { return }
    var waiting = postponed[...]
    postponed = []
    clock.look()
    let end = clock.spentUsec + Self.turnUsec
    while let session = waiting.first, !isPassSpent, clock.spentUsec < end || !clients.isAnyReady {
      waiting.removeFirst()
      session.isPostponed = false
      guard !session.isBroken else { continue }
      beginTurn()
      proceed(session)
      endTurn(of: session)
      clock.look()
    }
    postponed = waiting + postponed
    if !postponed.isEmpty { loop.requestPass() }
  }

  /// Delivers events to streams, and lets unfinished streams continue. While clients wait, this
  /// takes at most as long as the iteration has taken so far, or `streamsTurnUsec` if that is
  /// longer. Many clients that watch the same timer, or one that reads the whole ledger, must not
  /// make other clients late.
  private func goOnWithStreams() {
    guard !untold.isEmpty || !unfinished.isEmpty else { return }
    clock.look()
    let begin = clock.spentUsec
    serveStreams(
      until: (
        share: begin + min(max(begin, Self.streamsTurnUsec), Self.passUsec),
        longest: begin + Self.passUsec
      ))
  }

  /// Writes all pending events to streams without a time limit, because the process is about to be
  /// stopped.
  func tellEverything() {
    // The changes of these sessions are on disk: their replies must not wait for a SIGCONT.
    for session in postponed where !session.isBroken { session.flush() }
    serveStreams(until: (share: .max, longest: .max))
  }

  private func serveStreams(until end: (share: Int64, longest: Int64)) {
    streamsEnd = end
    goOnTelling(at: clock.now)
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
      clock.look()
      // When a stream ends, the calls behind it can be answered.
      if session.stream == nil { proceedLater(session) } else { settle(session) }
    }
    unfinished = streams + unfinished
    if !postponed.isEmpty { loop.requestPass() }
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
      "\(count - streaming.count) of \(count) that watch read too slowly, and have to ask again",
      [("NIGHTJAR_WATCHERS", "cut")])
    loop.requestPass()
  }

  func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .committed(let events, let durable): tell(events, durable: durable)
    case .commitFailed(let reason, let inDoubt):
      for session in takeGated() {
        session.refuseGated(.storageFailed(reason: reason, inDoubt: inDoubt))
        // The stream has reported a change that the failed commit undid, and there is no event that
        // takes it back. So the connection is closed, and the client asks anew.
        if session.stream != nil { session.isBroken = true }
        if session.isBroken { settle(session) } else { proceedLater(session) }
      }
    case .didEnterBackground, .spanExtended, .willEnterForeground, .spansCorrected, .clockStepped,
      .presenceChanged, .absenceBegan, .absenceEnded, .synchronizationChanged, .zoneChanged,
      .recorded, .actionsCalled:
      break
    }
  }

  private func tell(_ events: [Event], durable: Bool) {
    for session in takeGated() {
      session.release(through: core.journal.tellableTicket)
      if session.isGated {
        session.isListedAsGated = true
        gated.append(session)
      }
      // The session continues after this delivery. Its next call may change a timer, or may open a
      // stream that has to begin behind these events.
      proceedLater(session)
    }
    untold.append(Delivery(events: events, isDurable: durable, sessions: streaming[...]))
  }

  /// Delivers pending events to the sessions that have not got them yet, as far as there is time.
  private func goOnTelling(at moment: Moment) {
    while var delivery = untold.first {
      while !isStreamsTimeUp, let session = delivery.sessions.popFirst() {
        deliver(delivery, to: session, at: moment)
        clock.look()
      }
      guard delivery.sessions.isEmpty else {
        untold[0] = delivery
        break
      }
      untold.removeFirst()
    }
  }

  private func deliver(_ delivery: Delivery, to session: Session, at moment: Moment) {
    guard !session.isBroken, let stream = session.stream else { return }
    follow(
      session,
      stream.tell(delivery.events, durable: delivery.isDurable, to: session.outlet, at: moment))
    session.flush()
    // When a stream ends, the calls behind it can be answered, but only after this delivery.
    if session.stream == nil { proceedLater(session) }
    if session.watched.writable != session.hasSendable { settle(session) }
  }

  // MARK: Ticks

  /// O(number of streams), once per loop iteration.
  private func armTick() {
    isTickStale = false
    tickTimer?.arm(atUsec: streaming.compactMap { $0.stream?.nextTickUsec }.min())
  }

  /// Ticks the streams that are due. Those that this iteration has no time for are due in the next.
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
      clock.look()
      if isPassSpent { break }
    }
    isTickStale = true
  }
}
