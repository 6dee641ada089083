internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarVarlink

/// Reading calls, in order; sending replies, in order.
extension Server {
  /// Some clients are ready.
  func serve() {
    // Those that had to wait have a turn first, or one that never stops asking would take every pass for
    // itself.
    goOnWithPostponed()
    do {
      try clients.wait(maximum: 256) { token, events in
        // A connection that was closed in this round may have left its number to another.
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
    // One that hung up may have left calls that want no reply: what it sent is read to its end.
    if events.contains(.readable) {
      receive(session)
    } else if !events.isDisjoint(with: .closed), !session.isPostponed {
      session.isBroken = true
    }
    proceed(session, isWritable: !events.isDisjoint(with: [.writable, .closed]))
    endTurn(of: session)
  }

  /// Serves those that asked for much in their last turn: the first for whom it is longest ago, and
  /// others while no client waits for an answer to little. The kernel names those that are left again.
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

  /// A client's turn begins: it has `callsInTurn` calls answered, or `turnUsec`, and then waits for the
  /// others.
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
    // What cannot be answered yet stays in the input, behind what is there already.
    guard !session.isPostponed, canAnswer(session) else { return session.input.append(chunk) }
    let outcome = session.input.consume(chunk) { handle($0, session) }
    if outcome == .frameTooLong { refuse(session, "a message over \(WireLimits.frameBytes) bytes") }
  }

  /// Whether the next call may be answered: those behind a stream wait for its end, those of a
  /// client that does not read for room, those of one that has had its turn for the others, and all of
  /// them for the next pass when this one has been long.
  private func canAnswer(_ session: Session) -> Bool {
    session.stream == nil && session.outlet.hasRoom && !isPassSpent && !isTurnOver
  }

  private var isTurnOver: Bool {
    callsInTurn >= Self.callsInTurn || clock.spentUsec - turnBeganUsec >= Self.turnUsec
  }

  /// Does what a client is taken to have sent.
  func take(_ message: [UInt8], as session: Session) {
    beginTurn()
    message.withUnsafeBytes { consume($0, session) }
    proceed(session)
  }

  /// Does what can be done for a client now: calls that wait, a stream that has more, sending.
  ///
  /// - Parameter isWritable: the kernel has said that it takes more for it.
  func proceed(_ session: Session, isWritable: Bool = false) {
    session.flush(isWritable: isWritable)
    // It has had its turn.
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
    // Calls that could be answered now wait: behind a stream that has just ended, or because this
    // pass or this turn has been long enough.
    if session.stream == nil, session.outlet.hasRoom, session.input.pendingBytes > 0,
      hadStream || isPassSpent || isTurnOver
    {
      proceedLater(session)
      loop.requestPass()
    }
    settle(session)
  }

  /// Goes on with a client at the end of this pass, or if that is being ended, of the next one.
  private func proceedLater(_ session: Session) {
    guard !session.isPostponed else { return }
    session.isPostponed = true
    postponed.append(session)
  }

  /// Whether the loop should turn to others: long work for one client must not make timers late.
  private var isPassSpent: Bool { clock.spentUsec >= Self.passUsec }

  /// Closes a session that is over, else watches for what it waits for.
  private func settle(_ session: Session) {
    // One that sends no more may still be reading: what it has asked for goes on until it hangs up.
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

  /// The protocol knows no reply to a message that is none: the connection ends.
  private func refuse(_ session: Session, _ why: String) {
    log.write("closed", .info, "closed the connection of process \(session.peer.pid): \(why)")
    session.flush()
    session.isBroken = true
  }

  /// Answers one call. False: the next has to wait.
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
    // Most calls take less than the look at the clock would.
    if callsSinceLook >= Self.callsBetweenLooks || frame.count > Self.bytesBetweenLooks
      || !call.method.equals("org.nightjar.Timers.Get")
    {
      callsSinceLook = 0
      clock.look()
    }
    return canAnswer(session)
  }

  /// Has the output from `start` on wait for a commit.
  private func gate(_ session: Session, from start: Int, ticket: Int64) {
    session.gate(from: start, ticket: ticket)
    guard !session.isListedAsGated else { return }
    session.isListedAsGated = true
    gated.append(session)
  }

  /// Those that wait for a commit, which are to be listed anew if they wait on.
  private func takeGated() -> [Session] {
    defer { gated = [] }
    for session in gated { session.isListedAsGated = false }
    return gated
  }

  /// A start that left a timer as it was vouches for one that may not be on disk yet, and an answer to an id for
  /// what was answered before.
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
    // What there is now may not be on disk yet: whoever was told would know of what a crash undoes, and
    // nothing would take it back.
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
    // A tick that nobody wants any more wakes the loop once, and no more.
    if session.stream?.nextTickUsec != nil { isTickStale = true }
  }

  /// A stream has something to write that no event has brought.
  func goOn(with stream: any ReplyStream) {
    guard let session = streaming.first(where: { $0.stream === stream }) else { return }
    follow(session, .hasMore)
    loop.requestPass()
  }

  /// Goes on with clients and streams that one pass was not enough for. To be called at the end of each
  /// pass.
  func passEnded() {
    goOnWithPostponed()
    goOnWithStreams()
    if budget.isExceeded { cutSlowest() }
    if isTickStale { armTick() }
    if !untold.isEmpty || unfinished.contains(where: { $0.outlet.hasRoom }) { loop.requestPass() }
  }

  /// Serves the postponed sessions in turn. Sessions that this pass has no time for come first in the next
  /// pass. While other clients are ready that had no turn in this pass, only one postponed session is
  /// served.
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

  /// Tells streams what happened, and lets those that have more write it: for a turn, or for as long as
  /// clients were served in this pass, and longer while no client waits. Very many that watch the same
  /// timer, or one that reads all of the ledger, must not make others late.
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

  /// Writes to streams all that has happened, however long that takes: the process is about to be stopped.
  func tellEverything() {
    // Their changes are on disk: the answers must not wait for a SIGCONT.
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
      // The end of a stream lets the calls behind it go on.
      if session.stream == nil { proceedLater(session) } else { settle(session) }
    }
    unfinished = streams + unfinished
    if !postponed.isEmpty { loop.requestPass() }
  }

  private var isStreamsTimeUp: Bool {
    guard clock.spentUsec >= streamsEnd.share else { return false }
    return clock.spentUsec >= streamsEnd.longest || clients.isAnyReady
  }

  /// Too much waits for all who watch together: the streams for which the most waits end.
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
        // A stream that has told of what did not happen has no word to take it back: it is asked anew.
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
      // Only after this delivery: what goes on may change something, or be a new stream, which
      // begins behind these events.
      proceedLater(session)
    }
    untold.append(Delivery(events: events, isDurable: durable, sessions: streaming[...]))
  }

  /// Tells what happened to those that have not been told yet, as far as there is time.
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
    // Its end lets the calls behind it go on, after this delivery.
    if session.stream == nil { proceedLater(session) }
    if session.watched.writable != session.hasSendable { settle(session) }
  }

  // MARK: Ticks

  /// O(number of streams), once in a pass.
  private func armTick() {
    isTickStale = false
    tickTimer?.arm(atUsec: streaming.compactMap { $0.stream?.nextTickUsec }.min())
  }

  /// Ticks for those who are due. Those that this pass leaves no time for are due in the next.
  func tick() {
    let due = streaming.filter { session in
      session.stream?.nextTickUsec.map { $0 <= clock.now.monotonicUsec } ?? false
    }
    // Whoever has waited longest comes first, or those who ask for very much would take every pass.
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
