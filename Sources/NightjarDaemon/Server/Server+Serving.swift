internal import Glibc
internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarSystem
internal import NightjarWire

/// Reading calls, in order; sending replies, in order.
extension Server {
  /// Some clients are ready.
  func serve() {
    // Those who had to wait first, or one that never stops asking would take every pass for itself.
    goOnWithWaiting()
    do {
      try clients.wait(maximum: 256) { token, events in
        // A connection that was closed in this round may have left its number to another.
        let raw = Int(UInt32(truncatingIfNeeded: token))
        guard raw < sessions.count, let session = sessions[raw], session.token == token else {
          return
        }
        // One that hung up may have left calls that want no reply: what it sent is read to its end.
        if events.contains(.readable) {
          receive(session)
        } else if !events.isDisjoint(with: .closed), !session.isPostponed {
          session.isBroken = true
        }
        proceed(session)
      }
    } catch { warn("the clients could not be asked: \(error)") }
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
    consume(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), session)
  }

  private func consume(_ chunk: UnsafeRawBufferPointer, _ session: Session) {
    // What cannot be answered yet stays in the input, behind what is there already.
    guard canAnswer(session) else { return session.input.append(chunk) }
    let outcome = session.input.consume(chunk) { handle($0, session) }
    if outcome == .frameTooLong { refuse(session, "a message over \(Limits.frameBytes) bytes") }
  }

  /// Whether the next call may be answered: those behind a stream wait for its end, those of a
  /// client that does not read for room, and all of them for the next pass when this one has been
  /// long.
  private func canAnswer(_ session: Session) -> Bool {
    session.stream == nil && session.outlet.hasRoom && !isPassSpent
  }

  /// Does what a client is taken to have sent.
  func take(_ message: [UInt8], as session: Session) {
    message.withUnsafeBytes { consume($0, session) }
    proceed(session)
  }

  /// Does what can be done for a client now: calls that wait, a stream that has more, sending.
  func proceed(_ session: Session) {
    session.flush()
    while !session.isBroken, canAnswer(session), session.input.pendingBytes > 0 {
      let before = session.input.pendingBytes
      let outcome = session.input.drain { handle($0, session) }
      if outcome == .frameTooLong { refuse(session, "a message over \(Limits.frameBytes) bytes") }
      session.flush()
      if session.input.pendingBytes == before { break }
    }
    let hadStream = session.stream != nil
    if hadStream, session.outlet.hasRoom, !unfinished.contains(where: { $0 === session }) {
      pump(session)
      session.flush()
    }
    // Calls that could be answered now wait: behind a stream that has just ended, or because this
    // pass has been long enough.
    if session.stream == nil, session.outlet.hasRoom, session.input.pendingBytes > 0,
      hadStream || isPassSpent
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
        && session.input.pendingBytes <= Limits.frameBytes,
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
    Log.write(.info, "closed the connection of process \(session.peer.pid): \(why)")
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
    let seq = service.engine.lastSeq
    if let stream = methods.answer(call, to: session.outlet, at: clock.now) {
      session.stream = stream
      streaming.append(session)
      pump(session)
    }
    if !call.oneway, service.engine.lastSeq != seq || isReplyToUnfinished(call) {
      session.gate(from: start, ticket: service.journal.ticket)
      if !gated.contains(where: { $0 === session }) { gated.append(session) }
    }
    callsSinceLook += 1
    // Most calls take less than the look at the clock would.
    if callsSinceLook >= Self.callsBetweenLooks || !call.method.equals("org.nightjar.Timers.Get") {
      callsSinceLook = 0
      clock.look()
    }
    return canAnswer(session)
  }

  /// A start that left a timer as it was vouches for one that may not be on disk yet.
  private func isReplyToUnfinished(_ call: VarlinkCall) -> Bool {
    service.journal.hasUnfinished && call.method.equals("org.nightjar.Timers.Start")
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
    let ticket = service.journal.ticket
    guard stream.tellsPresent, session.outlet.output.count > start,
      ticket > service.journal.tellableTicket
    else { return }
    session.gate(from: start, ticket: ticket)
    if !gated.contains(where: { $0 === session }) { gated.append(session) }
  }

  private func follow(_ session: Session, _ state: StreamState) {
    switch state {
    case .waiting: break
    case .hasMore:
      guard !unfinished.contains(where: { $0 === session }) else { break }
      unfinished.append(session)
    case .ended:
      session.releaseStream()
      streaming.removeAll { $0 === session }
    }
    isTickStale = true
  }

  /// A stream has something to write that no event has brought.
  func goOn(with stream: any ReplyStream) {
    guard let session = streaming.first(where: { $0.stream === stream }) else { return }
    follow(session, .hasMore)
    loop.requestPass()
  }

  /// Goes on with streams that one pass was not enough for. To be called at the end of each pass.
  func passEnded() {
    goOnWithWaiting()
    if isTickStale { armTick() }
    if unfinished.contains(where: { $0.outlet.hasRoom }) { loop.requestPass() }
  }

  /// Those whom the pass leaves no time for stand in front of those who have had some: each has a
  /// turn.
  private func goOnWithWaiting() {
    if !untold.isEmpty { goOnTelling(at: clock.now) }
    var waiting = postponed[...]
    postponed = []
    while let session = waiting.first, !isPassSpent {
      waiting.removeFirst()
      session.isPostponed = false
      if !session.isBroken { proceed(session) }
    }
    postponed = waiting + postponed

    var streams = unfinished[...]
    unfinished = []
    while let session = streams.first, !isPassSpent {
      streams.removeFirst()
      guard session.outlet.hasRoom, !session.isBroken else { continue }
      pump(session)
      clock.look()
      session.flush()
      // The end of a stream lets the calls behind it go on.
      if session.stream == nil { proceed(session) } else { settle(session) }
    }
    unfinished = streams + unfinished
    if !postponed.isEmpty { loop.requestPass() }
  }

  func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .committed(let events, let durable): tell(events, durable: durable, at: moment)
    case .commitFailed(let reason, let inDoubt):
      let sessions = gated
      gated = []
      for session in sessions {
        session.refuseGated(.storageFailed(reason, inDoubt: inDoubt))
        // A stream that has told of what did not happen has no word to take it back: it is asked anew.
        if session.stream != nil { session.isBroken = true }
        if session.isBroken { settle(session) } else { proceedLater(session) }
      }
    case .didEnterBackground, .spanExtended, .willEnterForeground, .spanCorrected, .clockStepped,
      .synchronizationChanged, .zoneChanged, .recorded, .actionsCalled:
      break
    }
  }

  private func tell(_ events: [Event], durable: Bool, at moment: Moment) {
    let sessions = gated
    gated = []
    for session in sessions {
      session.release(through: service.journal.tellableTicket)
      if session.isGated { gated.append(session) }
      // Only after this delivery: what goes on may change something, or be a new stream, which
      // begins behind these events.
      proceedLater(session)
    }
    untold.append(Delivery(events: events, isDurable: durable, sessions: streaming[...]))
    goOnTelling(at: moment)
  }

  /// Tells what happened to those who have not been told yet, as far as this pass has time: very many
  /// who watch the same timer must not make others late.
  private func goOnTelling(at moment: Moment) {
    while var delivery = untold.first {
      while !isPassSpent, let session = delivery.sessions.popFirst() {
        deliver(delivery, to: session, at: moment)
        clock.look()
      }
      guard delivery.sessions.isEmpty else {
        untold[0] = delivery
        loop.requestPass()
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
