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

  /// Receives the result of a client's call: a Session of org.nightjar.Bridge, or an error.
  typealias Reply = (OwnerAnswer) -> Void

  /// When a message of a session was missed, its retained messages are read again after this time,
  /// in microseconds. The time doubles with each repetition.
  private static let retryUsec: ClosedRange<Int64> = 3_000_000...300_000_000

  private struct Member {
    let session: SharedSession
    var listener: PeerListener?
    /// The clients that wait until the session is in the requested state.
    var waiting: [(untilUsec: Int64, reply: Reply)] = []
    /// Whether the broker has let this machine take part in the session before.
    var isProven = false
    /// The refusal that was logged since then; nil: none was. A refusal is logged once, however often
    /// the bridge connects.
    var loggedRefusal: String?
  }

  private let loop: EventLoop
  private let settings: BridgeSettings
  private let folder: String
  private let file: SessionFile
  private unowned let bridge: Bridge
  /// The sessions, by the session's path.
  private var members: [String: Member] = [:]
  private var timeout: TimerSource!
  private var retryTimer: TimerSource!
  private var retryUsec = SharedSessions.retryUsec.lowerBound
  /// The sessions of which a message was missed.
  private var incomplete: Set<String> = []
  /// The sessions to which unacknowledged messages and subscriptions belong, by their numbers.
  private var sent: [Int32: SharedSession] = [:]

  /// - Parameter folder: the folder that contains the folder with the sockets of sessions.
  init(
    loop: EventLoop, settings: BridgeSettings, folder: String, file: SessionFile, bridge: Bridge
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

  private var all: [SharedSession] { members.sorted { $0.key < $1.key }.map(\.value.session) }

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

  /// Carries out a call of Share or Join.
  func take(_ part: BridgeWire.Part, _ path: String, group: String?, _ reply: @escaping Reply) {
    guard let group = group ?? members[path]?.session.address.group ?? settings.group else {
      return reply(.error(Self.error("NoGroup"), .object([])))
    }
    guard let address = SessionAddress(group: group, path: path) else {
      let parameter = SessionAddress.isPath(path) ? "group" : "session"
      return reply(
        .error(
          "\(VarlinkError.invalidParameter(parameter: "").name)", ["parameter": .string(parameter)])
      )
    }
    // `nightjar @NAME` means a machine if there is one of this name, so no session may have the
    // name of a machine.
    guard path != settings.address.device, bridge.mirror[path] == nil else {
      return reply(.error(Self.error("MachineName"), ["session": .string(path)]))
    }
    if let known = members[path] { return change(known, to: part, address, reply) }
    guard members.count < MirrorLimits.sessions else {
      return reply(
        .error(Self.error("SessionLimit"), ["limit": .integer(Int64(MirrorLimits.sessions))]))
    }
    let entry = SessionFile.Entry(address: address, part: part)
    do {
      try write(entries + [entry]) {
        try begin(entry, isProven: false)
      }
      answer(path, reply)
    } catch {
      reply(.error(Self.error("NotSaved"), ["reason": .string("\(error)")]))
    }
  }

  private func change(
    _ known: Member, to part: BridgeWire.Part, _ address: SessionAddress, _ reply: @escaping Reply
  ) {
    guard known.session.address == address else {
      return reply(
        .error(
          Self.error("OtherGroup"),
          [
            "session": .string(address.path), "group": .string(known.session.address.group),
          ]))
    }
    // A machine that shares its timers in a session already takes part, so a call of Join changes
    // nothing.
    let isUnchanged = known.session.part == part || known.session.part == .shared && part == .joined
    if !isUnchanged, !save(address.path, as: part, reply) { return }
    answer(address.path, reply)
  }

  /// Carries out a call of Leave.
  func leave(_ path: String, _ reply: @escaping Reply) {
    guard members[path] != nil else {
      return reply(.error(Self.error("NoSession"), ["session": .string(path)]))
    }
    guard save(path, as: .leaving, reply) else { return }
    members[path]?.listener?.close()
    members[path]?.listener = nil
    answer(path, reply)
  }

  private func listener(_ session: SharedSession) throws(SystemError) -> PeerListener {
    try PeerListener(
      loop: loop, path: BridgePaths.session(session.address.word, in: folder), service: session)
  }

  /// Writes to disk how this machine takes part in a session, and changes the session.
  ///
  /// - Returns: false if writing failed. The client got an error then.
  private func save(_ path: String, as part: BridgeWire.Part, _ reply: Reply) -> Bool {
    do {
      let changed = entries.map { entry in
        entry.address.path == path
          ? SessionFile.Entry(address: entry.address, part: part) : entry
      }
      try write(changed) {
        if part != .leaving, let member = members[path], member.listener == nil {
          members[path]?.listener = try listener(member.session)
        }
      }
      if let session = members[path]?.session { change(session, to: part) }
      return true
    } catch {
      reply(.error(Self.error("NotSaved"), ["reason": .string("\(error)")]))
      return false
    }
  }

  /// Writes the sessions to the file as they are to be, and calls `body` to begin or change them.
  /// If `body` fails, restores the file.
  private func write(_ wanted: [SessionFile.Entry], _ body: () throws -> Void) throws {
    try file.write(wanted)
    do {
      try body()
    } catch {
      try file.write(entries)
      throw error
    }
  }

  private var entries: [SessionFile.Entry] {
    members.sorted { $0.key < $1.key }.map { _, member in
      SessionFile.Entry(address: member.session.address, part: member.session.part)
    }
  }

  private func begin(_ entry: SessionFile.Entry, isProven: Bool) throws(SystemError) {
    let session = try SharedSession(entry, loop: loop, bridge: bridge)
    let listener = entry.part == .leaving ? nil : try listener(session)
    members[entry.address.path] = Member(
      session: session, listener: listener, isProven: isProven)
    change(session, to: entry.part)
    read(session)
  }

  private func change(_ session: SharedSession, to part: BridgeWire.Part) {
    session.part = part
    bridge.publish(bridge.own.takePart(in: session.address, isShared: part == .shared))
    session.publishStatus()
  }

  /// Answers when the session is in the requested state, or after `timeoutUsec`. Answers at once
  /// if the bridge is not connected, because connecting may take long.
  private func answer(_ path: String, _ reply: @escaping Reply) {
    guard let session = members[path]?.session else { return }
    if session.part != .leaving, let refusal = session.refusal {
      return reply(refused(session, refusal))
    }
    let isDone = session.part != .leaving && session.isReady
    guard !isDone, bridge.isConnected else { return reply(state(session)) }
    let untilUsec = loop.now.boottimeUsec + Self.timeoutUsec
    members[path]?.waiting.append((untilUsec, reply))
    armTimeout()
  }

  private func state(_ session: SharedSession, hasLeft: Bool = false) -> OwnerAnswer {
    .reply(["session": JSONValue(session.shown(hasLeft: hasLeft, bridge.report.problem))])
  }

  private func answerWaiting(_ path: String, with answer: OwnerAnswer) {
    let waiting = members[path]?.waiting ?? []
    members[path]?.waiting = []
    for one in waiting { one.reply(answer) }
    armTimeout()
  }

  private func answerLate() {
    let nowUsec = loop.now.boottimeUsec
    for (path, member) in members where member.waiting.contains(where: { $0.untilUsec <= nowUsec })
    {
      answerWaiting(path, with: state(member.session))
    }
    armTimeout()
  }

  private func armTimeout() {
    timeout.arm(atUsec: members.values.flatMap(\.waiting).map(\.untilUsec).min())
  }

  private func forget(_ session: SharedSession) {
    let path = session.address.path
    members[path]?.listener?.close()
    members[path] = nil
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

  private func refused(_ session: SharedSession, _ reason: Sentence) -> OwnerAnswer {
    .error(
      Self.error("SessionRefused"),
      [
        "session": .string(session.address.path), "group": .string(session.address.group),
        "reason": .string(reason.description),
      ])
  }

  private static func error(_ name: String) -> String { "\(BridgeInterface.name).\(name)" }

  /// Closes the sockets.
  func close() { for member in members.values { member.listener?.close() } }
}

// MARK: - The broker

extension SharedSessions {
  /// Reads the retained messages of a session, and then changes.
  private func read(_ session: SharedSession) {
    guard bridge.isConnected else { return }
    bridge.own.beginReading(session.address)
    bridge.mirror.beginReading(session.address)
    subscribe(session)
    session.marker = bridge.mark()
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
      let marker = bridge.mark()
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
    bridge.awaitPresence()
  }

  /// Shows a change of the mirror on the sockets.
  func changed(_ change: MirrorChange) {
    guard let owner = change.owner else { return }
    guard let path = owner.session?.path, let session = members[path]?.session else {
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
    let sessions = all.filter { incomplete.contains($0.address.path) && $0.marker == nil }
    incomplete = []
    for session in sessions { read(session) }
  }

  /// Publishes each status whose timers have changed.
  func renewStatus() { for session in all { session.renewStatus() } }

  /// Publishes each status, because the timers of the daemon are known now.
  func publishStatus() {
    for session in all where session.part == .shared { session.publishStatus() }
  }

  /// Records the number of a message that was published in a session.
  func published(_ mid: Int32, in address: SessionAddress) {
    sent[mid] = members[address.path]?.session
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
    let path = session.address.path
    guard members[path]?.session === session else { return }
    if session.part == .leaving { return leave(session, hasLeft: true) }
    guard session.isReady else { return }
    members[path]?.isProven = true
    members[path]?.loggedRefusal = nil
    answerWaiting(path, with: state(session))
  }

  /// - Returns: whether the subscription was one of a session.
  func subscribed(_ mid: Int32, refusal: Sentence?) -> Bool {
    guard let session = sent.removeValue(forKey: mid) else { return false }
    if let refusal { refused(session, because: refusal) }
    return true
  }

  private func refused(_ session: SharedSession, because reason: Sentence) {
    let path = session.address.path
    guard let member = members[path], member.session === session else { return }
    let isFirst = session.refusal == nil
    session.refusal = reason
    // Report only the first refusal on a connection. While this machine is leaving the session, the
    // refusal ends it: the broker refuses to let this machine remove its messages.
    guard isFirst || session.part == .leaving else { return }
    session.streams.showAnew()
    if member.loggedRefusal != reason.description {
      Log.write(.error, "\(session.address): \(session.reason ?? reason)")
    }
    members[path]?.loggedRefusal = reason.description
    if session.part == .leaving { return leave(session, hasLeft: false) }
    // If the session worked before, it stays: the broker's administrator may correct the access
    // list.
    guard !member.isProven else { return }
    answerWaiting(path, with: refused(session, reason))
    forget(session)
  }

  /// - Parameter hasLeft: whether the broker has no more messages of this machine.
  private func leave(_ session: SharedSession, hasLeft: Bool) {
    answerWaiting(session.address.path, with: state(session, hasLeft: hasLeft))
    forget(session)
  }

  func disconnected() {
    (sent, incomplete) = ([:], [])
    retryTimer.arm(atUsec: nil)
    retryUsec = Self.retryUsec.lowerBound
    for session in all { session.disconnected() }
  }
}
