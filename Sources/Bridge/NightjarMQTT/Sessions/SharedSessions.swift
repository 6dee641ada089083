internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// The sessions in which this machine takes part. This class begins and ends sessions for clients,
/// and stores them on disk.
final class SharedSessions {
  /// How long a client that shares, joins or leaves a session may wait for the broker, in
  /// microseconds.
  private static let timeoutUsec: Int64 = 5_000_000

  /// When a message of a session was missed, its retained messages are read again after this time,
  /// in microseconds. The time doubles with each repetition.
  private static let retryUsec: ClosedRange<Int64> = 3_000_000...300_000_000

  private let loop: EventLoop
  private let settings: BridgeSettings
  private let folder: String
  private let file: StateFile<SessionEntry>
  private unowned let bridge: Bridge
  /// The sessions, by the session's path.
  private var sessions: [String: SharedSession] = [:]
  private var timeout: TimerSource!
  private var retryTimer: TimerSource!
  private var retryUsec = SharedSessions.retryUsec.lowerBound
  /// The sessions of which a message was missed.
  private var incomplete: Set<String> = []
  /// The sessions to which unacknowledged messages and subscriptions belong, by their numbers.
  private var sent: [Int32: SharedSession] = [:]

  /// - Parameter folder: the folder that contains the folder with the sockets of sessions.
  init(
    loop: EventLoop, settings: BridgeSettings, folder: String, file: StateFile<SessionEntry>,
    bridge: Bridge
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.folder = folder
    self.file = file
    self.bridge = bridge
    timeout = try loop.timer(on: .boottime) { [weak self] in self?.answerLate() }
    retryTimer = try loop.timer(on: .boottime) { [weak self] in self?.readAgain() }
  }

  /// Begins all sessions that the file contains.
  func start() {
    for entry in file.read() {
      do {
        try begin(entry, isProven: true)
      } catch {
        Log.write(.error, "this machine does not take part in \(entry.address): \(error)")
      }
    }
  }

  private var all: [SharedSession] { sessions.sorted { $0.key < $1.key }.map(\.value) }

  /// The sessions as clients see them.
  func shown(_ problem: BrokerProblem?) -> [BridgeWire.Session] { all.map { $0.shown(problem) } }

  /// The session to which a topic belongs; nil: it belongs to none.
  func session(of topic: String) -> SharedSession? {
    guard topic.utf8.starts(with: "\(settings.prefix)/\(SessionAddress.groupMark)".utf8) else {
      return nil
    }
    return all.first { topic.utf8.starts(with: "\(prefix($0))/".utf8) }
  }

  private func prefix(_ session: SharedSession) -> String {
    session.address.topicPrefix(below: settings.prefix)
  }

  // MARK: - Calls of clients

  /// Carries out a call of Share, Join or Leave. The reply is a Session of org.nightjar.Bridge.
  func answer(_ call: ReceivedCall, _ peer: VarlinkPeer) throws(VarlinkError) {
    switch call.name {
    case "Share":
      let asked = try call.read(BridgeWire.Share.self)
      try take(.shared, asked.session, group: asked.group, peer)
    case "Join":
      let asked = try call.read(BridgeWire.Join.self)
      try take(.joined, asked.session, group: asked.group, peer)
    default: leave(try call.read(BridgeWire.Leave.self).session, peer)
    }
  }

  private func take(
    _ part: BridgeWire.Part, _ path: String, group: String?, _ peer: VarlinkPeer
  ) throws(VarlinkError) {
    guard let group = group ?? sessions[path]?.address.group ?? settings.group else {
      return peer.fail(Self.error("NoGroup"))
    }
    guard let address = SessionAddress(group: group, path: path) else {
      throw .invalidParameter(parameter: SessionAddress.isPath(path) ? "group" : "session")
    }
    // `nightjar @NAME` means a machine if there is one of this name, so no session may have the
    // name of a machine.
    guard path != settings.address.device, bridge.mirror[path] == nil else {
      return peer.fail(Self.error("MachineName"), ["session": .string(path)])
    }
    guard let known = sessions[path] else {
      guard sessions.count < MirrorLimits.sessions else {
        return peer.fail(
          Self.error("SessionLimit"), ["limit": .integer(Int64(MirrorLimits.sessions))])
      }
      return save(SessionEntry(address: address, part: part), peer)
    }
    guard known.address == address else {
      return peer.fail(
        Self.error("OtherGroup"),
        ["session": .string(path), "group": .string(known.address.group)])
    }
    // A machine that shares its timers in a session already takes part, so a call of Join changes
    // nothing.
    let wanted = known.part == .shared ? .shared : part
    if known.part == wanted, known.refusal == nil { return answer(known, peer) }
    save(SessionEntry(address: address, part: wanted), peer)
  }

  private func leave(_ path: String, _ peer: VarlinkPeer) {
    guard let session = sessions[path] else {
      return peer.fail(Self.error("NoSession"), ["session": .string(path)])
    }
    save(SessionEntry(address: session.address, part: .leaving), peer)
  }

  /// Writes to disk how this machine takes part in a session, begins or changes the session, and
  /// answers the client. If the session cannot begin, restores the file.
  private func save(_ entry: SessionEntry, _ peer: VarlinkPeer) {
    let wanted = entries.filter { $0.address != entry.address } + [entry]
    do {
      try file.write(wanted)
      do {
        answer(try begin(entry, isProven: false), peer)
      } catch {
        try file.write(entries)
        throw error
      }
    } catch {
      peer.fail(Self.error("NotSaved"), ["reason": .string("\(error)")])
    }
  }

  private var entries: [SessionEntry] {
    all.map { SessionEntry(address: $0.address, part: $0.part) }
  }

  /// Begins a session, or changes how this machine takes part in it.
  @discardableResult
  private func begin(_ entry: SessionEntry, isProven: Bool) throws -> SharedSession {
    let known = sessions[entry.address.path]
    let session =
      try known ?? SharedSession(entry, isProven: isProven, loop: loop, bridge: bridge)
    if entry.part == .leaving {
      session.listener?.close()
      session.listener = nil
    } else if session.listener == nil {
      session.listener = try PeerListener(
        loop: loop, path: BridgePaths.session(session.address.word, in: folder),
        service: session.streams)
    }
    sessions[entry.address.path] = session
    session.part = entry.part
    // The broker's administrator may have corrected the access list since the refusal.
    if session.refusal != nil { (session.refusal, session.isBehind) = (nil, true) }
    bridge.publish(bridge.own.takePart(in: session.address, isShared: entry.part == .shared))
    if known == nil { read(session) } else { session.publishStatus() }
    return session
  }

  /// Answers when the session is in the requested state, or after `timeoutUsec`. Answers at once
  /// if the bridge is not connected, because connecting may take long.
  private func answer(_ session: SharedSession, _ peer: VarlinkPeer) {
    let isDone = session.part != .leaving && session.isReady
    guard !isDone, bridge.report.isConnected else { return peer.reply(state(session)) }
    session.waiting.append((loop.now.boottimeUsec + Self.timeoutUsec, peer))
    armTimeout()
  }

  private func state(_ session: SharedSession, hasLeft: Bool = false) -> OwnerAnswer {
    .reply(["session": JSONValue(session.shown(hasLeft: hasLeft, bridge.report.problem))])
  }

  private func answerWaiting(_ session: SharedSession, with answer: OwnerAnswer) {
    let waiting = session.waiting
    session.waiting = []
    for one in waiting { one.peer.reply(answer) }
    armTimeout()
  }

  private func answerLate() {
    let nowUsec = loop.now.boottimeUsec
    for session in all where session.waiting.contains(where: { $0.untilUsec <= nowUsec }) {
      answerWaiting(session, with: state(session))
    }
    armTimeout()
  }

  private func armTimeout() {
    timeout.arm(atUsec: sessions.values.flatMap(\.waiting).map(\.untilUsec).min())
  }

  private func forget(_ session: SharedSession) {
    session.listener?.close()
    sessions[session.address.path] = nil
    bridge.unsubscribe(fromOwners: "\(prefix(session))/+/+")
    bridge.own.forget(session.address)
    bridge.mirror.forget(session.address)
    do {
      try file.write(entries)
    } catch {
      // The file still contains the session. The next start of the bridge leaves the session again.
      Log.write(.error, "that \(session.address) is over could not be written: \(error)")
    }
    armTimeout()
  }

  private static func error(_ name: String) -> String { "\(BridgeInterface.name).\(name)" }

  /// Closes the sockets.
  func close() { for session in all { session.listener?.close() } }
}

// MARK: - The broker

extension SharedSessions {
  /// Reads the retained messages of a session, and then changes.
  private func read(_ session: SharedSession) {
    guard bridge.report.isConnected else { return }
    bridge.own.beginReading(session.address)
    bridge.mirror.beginReading(session.address)
    subscribe(session)
    session.marker = bridge.broker.mark()
  }

  private func subscribe(_ session: SharedSession) {
    for mid in bridge.subscribe(toOwners: "\(prefix(session))/+/+") { sent[mid] = session }
  }

  /// Subscribes to all sessions, on a new connection.
  ///
  /// - Parameter marker: the number of the marker behind their retained messages.
  func subscribe(untilMarker marker: Int) {
    for session in all {
      subscribe(session)
      session.marker = marker
    }
  }

  func markerArrived(_ number: Int) {
    let read = all.filter { $0.marker.map { $0 <= number } ?? false }
    guard !read.isEmpty else { return }
    // The messages may be the first ones of a person. A session is complete when the presence of
    // all members is known.
    if bridge.subscribeToPresence() {
      let marker = bridge.broker.mark()
      for session in read { session.marker = marker }
      return
    }
    for session in read {
      session.marker = nil
      bridge.publish(bridge.own.markerArrived(of: session.address))
      bridge.apply(bridge.mirror.markerArrived(of: session.address))
      session.publishStatus()
      session.streams.showAnew()
    }
    if incomplete.isEmpty { retryUsec = Self.retryUsec.lowerBound }
  }

  /// Shows a change of the mirror on the sockets.
  func changed(_ change: MirrorChange) {
    guard let owner = change.owner else { return }
    guard let path = owner.session?.path, let session = sessions[path] else {
      guard case .status = change else { return }
      return stateMayHaveChanged(of: owner.address)
    }
    session.changed(change, of: owner.address)
    if case .gap = change, owner.address != settings.address { missedSomething(path) }
  }

  func stateMayHaveChanged(of address: DeviceAddress) {
    for session in all { session.stateMayHaveChanged(of: address) }
  }

  private func missedSomething(_ path: String) {
    if incomplete.isEmpty { retryTimer.arm(atUsec: loop.now.boottimeUsec + retryUsec) }
    incomplete.insert(path)
  }

  private func readAgain() {
    retryUsec = min(retryUsec * 2, Self.retryUsec.upperBound)
    let behind = all.filter { incomplete.contains($0.address.path) && $0.marker == nil }
    incomplete = []
    for session in behind { read(session) }
  }

  /// Publishes each status whose timers have changed.
  func renewStatus() { for session in all { session.renewStatus() } }

  /// Publishes each status, because the timers of the daemon are known now.
  func publishStatus() {
    for session in all where session.part == .shared { session.publishStatus() }
  }

  /// Records the number of a message that was published in a session.
  func published(_ mid: Int32, in address: SessionAddress) {
    sent[mid] = sessions[address.path]
  }

  /// - Returns: whether the message was one of a session.
  func acknowledged(_ mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) -> Bool {
    guard let session = sent.removeValue(forKey: mid) else { return false }
    if case .refused(let reason) = acknowledgement {
      refused(session, because: reason)
    } else if session.statusID == mid {
      session.statusID = nil
      statusArrived(session)
    }
    return true
  }

  private func statusArrived(_ session: SharedSession) {
    guard sessions[session.address.path] === session else { return }
    if session.part == .leaving { return leave(session, hasLeft: true) }
    guard session.isReady else { return }
    if session.isBehind {
      session.isBehind = false
      return read(session)
    }
    (session.isProven, session.loggedRefusal) = (true, nil)
    answerWaiting(session, with: state(session))
  }

  /// - Returns: whether the subscription was one of a session.
  func subscribed(_ mid: Int32, refusal: Sentence?) -> Bool {
    guard let session = sent.removeValue(forKey: mid) else { return false }
    if let refusal { refused(session, because: refusal) }
    return true
  }

  private func refused(_ session: SharedSession, because reason: Sentence) {
    guard sessions[session.address.path] === session else { return }
    let isFirst = session.refusal == nil
    session.refusal = reason
    // Report only the first refusal. While this machine is leaving the session, the refusal ends
    // it: the broker refuses to let this machine remove its messages.
    guard isFirst || session.part == .leaving else { return }
    session.streams.showAnew()
    if session.loggedRefusal != reason.description {
      Log.write(.error, "\(session.address): \(session.reason ?? reason)")
    }
    session.loggedRefusal = reason.description
    if session.part == .leaving { return leave(session, hasLeft: false) }
    answerWaiting(
      session,
      with: .error(
        Self.error("SessionRefused"),
        [
          "session": .string(session.address.path), "group": .string(session.address.group),
          "reason": .string(reason.description),
        ]))
    // If the session worked before, it stays: the broker's administrator may correct the access
    // list.
    if !session.isProven { forget(session) }
  }

  /// - Parameter hasLeft: whether the broker has no more messages of this machine.
  private func leave(_ session: SharedSession, hasLeft: Bool) {
    answerWaiting(session, with: state(session, hasLeft: hasLeft))
    forget(session)
  }

  func disconnected() {
    (sent, incomplete) = ([:], [])
    retryTimer.arm(atUsec: nil)
    retryUsec = Self.retryUsec.lowerBound
    for session in all { session.disconnected() }
  }
}
