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

  private struct Member {
    let session: SharedSession
    var listener: PeerListener?
    /// The clients that wait until the session is in the requested state.
    var waiting: [(untilUsec: Int64, reply: Reply)] = []
    /// Whether the broker has let this machine take part in the session before.
    var isProven = false
    /// The service for the session's socket. It is stored here because the listener does not retain
    /// it.
    let service: SessionService
  }

  private let loop: EventLoop
  private let settings: BridgeSettings
  private let daemonPath: String
  private let folder: String
  private let file: SessionFile
  /// Returns whether sessions may connect to the broker now.
  private let isWanted: () -> Bool
  /// Returns whether the bridge is connected to the broker.
  private let isOnline: () -> Bool
  /// Returns whether a machine of the user has this name.
  private let isMachine: (String) -> Bool
  /// The sessions, by the session's path.
  private var members: [String: Member] = [:]
  private var timeout: TimerSource!

  /// - Parameters:
  ///   - daemonPath: the path of the daemon's socket.
  ///   - folder: the folder that contains the folder with the sockets of sessions.
  ///   - isWanted: returns whether sessions may connect to the broker now.
  ///   - isOnline: returns whether the bridge is connected to the broker.
  ///   - isMachine: returns whether a machine of the user has this name.
  init(
    loop: EventLoop, settings: BridgeSettings, daemonPath: String, folder: String,
    file: SessionFile, isWanted: @escaping () -> Bool, isOnline: @escaping () -> Bool,
    isMachine: @escaping (String) -> Bool
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.daemonPath = daemonPath
    self.folder = folder
    self.file = file
    self.isWanted = isWanted
    self.isOnline = isOnline
    self.isMachine = isMachine
    timeout = try loop.timer(on: .boottime) { [weak self] in self?.answerLate() }
  }

  /// Begins all sessions that the file contains.
  func start() {
    for entry in file.read() {
      do throws(SystemError) {
        try begin(entry, isProven: true)
      } catch {
        Log.write(.error, "this machine does not take part in \(entry.address): \(error)")
      }
    }
  }

  /// The number of messages that were dropped in all sessions.
  var droppedCount: Int { members.values.reduce(0) { $0 + $1.session.mirror.droppedCount } }

  /// The sessions as clients see them.
  var shown: [BridgeWire.Session] {
    members.sorted { $0.key < $1.key }.map { $0.value.session.shown }
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
    guard path != settings.address.device, !isMachine(path) else {
      return reply(.error(Self.error("MachineName"), ["session": .string(path)]))
    }
    if let known = members[path] { return change(known, to: part, address, reply) }
    guard members.count < MirrorLimits.sessions else {
      return reply(
        .error(Self.error("SessionLimit"), ["limit": .integer(Int64(MirrorLimits.sessions))]))
    }
    let entry = SessionFile.Entry(address: address, part: part)
    do throws(SystemError) {
      try write(entries + [entry]) { () throws(SystemError) in
        try begin(entry, isProven: false)
      }
      answer(path, reply)
    } catch {
      reply(.error(Self.error("NotSaved"), ["reason": .string(error.description)]))
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

  private func listener(
    _ address: SessionAddress, _ service: SessionService
  ) throws(SystemError) -> PeerListener {
    try PeerListener(
      loop: loop, path: BridgePaths.session(address.word, in: folder), service: service)
  }

  /// Writes to disk how this machine takes part in a session, and changes the session.
  ///
  /// - Returns: false if writing failed. The client got an error then.
  private func save(_ path: String, as part: BridgeWire.Part, _ reply: Reply) -> Bool {
    do throws(SystemError) {
      let changed = entries.map { entry in
        entry.address.path == path
          ? SessionFile.Entry(address: entry.address, part: part) : entry
      }
      try write(changed) { () throws(SystemError) in
        if part != .leaving, let member = members[path], member.listener == nil {
          members[path]?.listener = try listener(member.session.address, member.service)
        }
        try members[path]?.session.change(to: part)
      }
      return true
    } catch {
      reply(.error(Self.error("NotSaved"), ["reason": .string(error.description)]))
      return false
    }
  }

  /// Writes the sessions to the file as they are to be, and calls `body` to begin or change them.
  /// If `body` fails, restores the file.
  private func write(
    _ wanted: [SessionFile.Entry], _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    try file.write(wanted)
    do throws(SystemError) {
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
    let session = try SharedSession(
      entry, loop: loop, settings: settings, daemonPath: daemonPath, delegate: self)
    let service = SessionService(session)
    let listener =
      entry.part == .leaving ? nil : try listener(entry.address, service)
    members[entry.address.path] = Member(
      session: session, listener: listener, isProven: isProven, service: service)
    session.start()
  }

  /// Answers when the session is in the requested state, or after `timeoutUsec`. Answers at once
  /// if the bridge is not connected, because connecting may take long.
  private func answer(_ path: String, _ reply: @escaping Reply) {
    guard let session = members[path]?.session else { return }
    if session.part != .leaving, let refusal = session.refusal {
      return reply(refused(session, refusal))
    }
    let isDone = session.part != .leaving && session.isReady
    guard !isDone, isOnline() else { return reply(.reply(["session": JSONValue(session.shown)])) }
    let untilUsec = loop.now.boottimeUsec + Self.timeoutUsec
    members[path]?.waiting.append((untilUsec, reply))
    armTimeout()
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
      answerWaiting(path, with: .reply(["session": JSONValue(member.session.shown)]))
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
    do throws(SystemError) {
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

  // MARK: - Sleep and end

  private var all: [SharedSession] { members.values.map(\.session) }

  /// Publishes to the other members of all sessions that this machine is about to sleep.
  func machineWillSleep() { for session in all { session.machineWillSleep() } }

  /// Closes the connections of all sessions cleanly.
  func disconnect() { for session in all { session.disconnect() } }

  /// Connects every session that has no connection, without the pause after a failure.
  func connect() { for session in all { session.connect() } }

  func end() {
    for member in members.values {
      member.listener?.close()
      member.session.end()
    }
  }
}

extension SharedSessions: SharedSessionDelegate {
  var mayConnect: Bool { isWanted() }

  func sessionIsComplete(_ session: SharedSession) {
    members[session.address.path]?.isProven = true
    answerWaiting(session.address.path, with: .reply(["session": JSONValue(session.shown)]))
  }

  func session(_ session: SharedSession, isRefused reason: Sentence) {
    let path = session.address.path
    guard let member = members[path] else { return }
    Log.write(.error, "\(session.address): \(session.reason ?? reason)")
    // The broker refuses to let this machine remove its messages, so the session ends without that.
    if session.part == .leaving { return leave(session) }
    // If the session worked before, it stays: the broker's administrator may correct the access
    // list.
    guard !member.isProven else { return }
    answerWaiting(path, with: refused(session, reason))
    session.end()
    forget(session)
  }

  func sessionIsLeft(_ session: SharedSession) { leave(session) }

  private func leave(_ session: SharedSession) {
    answerWaiting(session.address.path, with: .reply(["session": JSONValue(session.shown)]))
    session.end()
    forget(session)
  }
}
