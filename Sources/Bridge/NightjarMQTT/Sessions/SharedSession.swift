internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// One session: a filter on the bridge's mirror, whose timers it serves on a socket, and on the
/// timers that this machine publishes.
final class SharedSession {
  let address: SessionAddress
  var part: BridgeWire.Part
  /// The session's socket; nil: this machine is leaving the session.
  var listener: PeerListener?
  /// The clients that wait until the session is in the requested state.
  var waiting: [(untilUsec: Int64, peer: VarlinkPeer)] = []
  /// Whether the broker has let this machine take part in the session before.
  var isProven: Bool
  /// The refusal that was logged since then; nil: none was. A refusal is logged once, however often
  /// the bridge connects.
  var loggedRefusal: String?
  private let loop: EventLoop
  private unowned let bridge: Bridge
  private(set) var streams: TimerStreams!
  /// The number of the marker at which all retained messages of the session have arrived; nil: they
  /// have arrived, or there is no connection.
  var marker: Int?
  /// The number of the last message with this machine's status in the session; nil: the broker has
  /// acknowledged it.
  var statusID: Int32?
  /// The digest of the timers in that message; nil: none was sent on this connection.
  private(set) var publishedDigest: String?
  /// Why the broker refuses a message or a subscription of the session; nil: it refuses none.
  var refusal: Sentence?
  /// Whether messages may have been missed, because the broker refused something before.
  var isBehind = false
  /// For each member, the state that was last sent to clients.
  private var seen: [DeviceAddress: (state: Wire.OwnerState, sinceUsec: Int64?)] = [:]

  init(
    _ entry: SessionEntry, isProven: Bool, loop: EventLoop, bridge: Bridge
  ) throws(SystemError) {
    (address, part, self.isProven) = (entry.address, entry.part, isProven)
    self.loop = loop
    self.bridge = bridge
    streams = try TimerStreams(loop: loop, view: self)
  }

  private var isComplete: Bool { bridge.mirror.isComplete(address) }

  /// Whether the session is in the state that the client requested: all retained messages were read
  /// and, if this machine shares its timers, the broker has them.
  var isReady: Bool {
    isComplete && publishedDigest != nil && statusID == nil && refusal == nil
      && bridge.own.isSettled(in: address)
  }

  /// Publishes that this machine takes part or, if it is leaving, removes this from the broker.
  func publishStatus() {
    guard isComplete, let own = bridge.own.published(in: address) else { return }
    publishedDigest = own.digest.text
    // The status does not say whether the user is present, because that is private.
    let isSettled = bridge.own.isSettled(in: address)
    let status = DeviceStatus(
      timers: isSettled ? Int64(own.count) : nil,
      digest: isSettled && own.tooLong.isEmpty ? publishedDigest : nil)
    statusID = bridge.publish(
      Delivery(
        .status(bridge.mirror.own), part == .leaving ? [] : status.payload, isRetained: true,
        in: address))
  }

  /// Publishes the status again if the timers have changed.
  func renewStatus() {
    guard part != .leaving, let digest = bridge.own.published(in: address)?.digest.text,
      digest != publishedDigest
    else { return }
    publishStatus()
  }

  func disconnected() {
    (marker, statusID, publishedDigest, refusal, isBehind) = (nil, nil, nil, nil, false)
    streams.showAnew()
  }

  // MARK: - Changes of the mirror

  func changed(_ change: MirrorChange, of member: DeviceAddress) {
    switch change {
    case .status: stateMayHaveChanged(of: member)
    case .timer(_, let name): noteChange(of: name, on: member)
    case .event(_, let event):
      if isComplete, let event = shown(event, of: member) { streams.happened(event) }
    case .gap, .ring: break
    }
  }

  /// Shows the timers of a member again if its state has changed for clients.
  func stateMayHaveChanged(of member: DeviceAddress) {
    guard let known = bridge.mirror.member(member, of: address) else {
      seen[member] = nil
      return
    }
    let old = seen[member]
    let new = (state: state(of: member), sinceUsec: known.sinceUsec)
    seen[member] = new
    guard old?.state != new.state || old?.sinceUsec != new.sinceUsec else { return }
    for name in known.names { noteChange(of: name, on: member) }
  }

  private func noteChange(of name: String, on owner: DeviceAddress) {
    guard isComplete, let shown = address.shownName(of: name, on: owner) else { return }
    streams.timerChanged(shown)
  }

  private func state(of member: DeviceAddress) -> Wire.OwnerState {
    let isOwn = member == bridge.mirror.own
    // If this person was removed from the group, the broker refuses to send messages to this
    // machine. Then this machine does not know the states of the other members.
    guard isComplete, refusal == nil || isOwn,
      let state = bridge.mirror.member(member, of: address)?.state
    else { return isOwn ? .online : .unknown }
    return Wire.OwnerState(rawValue: state.rawValue)
  }

  // MARK: - The session as clients see it

  /// - Parameter problem: why the bridge is not connected, or the broker refuses something.
  func shown(hasLeft: Bool = false, _ problem: BrokerProblem?) -> BridgeWire.Session {
    let own = bridge.own.published(in: address)
    var session = BridgeWire.Session(
      session: address.path, group: address.group, part: hasLeft ? .left : part,
      connected: bridge.report.isConnected, complete: isComplete && refusal == nil,
      timers: Int64(own?.count ?? 0),
      unpublished: Array((own?.unpublished ?? []).sorted().prefix(16)),
      members: bridge.mirror.members(of: address).compactMap(member))
    session.reason = (reason ?? (bridge.report.isConnected ? nil : problem?.sentence))?.description
    return session
  }

  /// What the broker refuses in this session.
  var reason: Sentence? {
    let person = bridge.mirror.own.person
    return refusal.map { words in
      """
      the broker does not let \(person) take part in \(address.group) (\(words)); the broker's \
      administrator can add \(person) to the group, see nightjar-mqtt(1)
      """
    } ?? bridge.tooLong(in: address)?.reason
  }

  private func member(_ owner: DeviceAddress) -> BridgeWire.Member? {
    guard let known = bridge.mirror.member(owner, of: address) else { return nil }
    var member = BridgeWire.Member(
      person: owner.person, device: owner.device,
      state: .init(rawValue: state(of: owner).rawValue), timers: Int64(known.count))
    member.sinceUsec = known.sinceUsec
    return member
  }
}

// MARK: - The socket

extension SharedSession: TimerView {
  var names: [String] {
    bridge.mirror.members(of: address).flatMap { owner in
      (bridge.mirror.member(owner, of: address)?.names ?? []).compactMap {
        address.shownName(of: $0, on: owner)
      }
    }.sorted()
  }

  func timer(_ shown: String) -> JSONValue? {
    let parts = shown.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2,
      let owner = DeviceAddress(person: String(parts[0]), device: String(parts[1]))
    else { return nil }
    let name = address.path + (parts.count == 3 ? "/\(parts[2])" : "")
    let known = bridge.mirror.member(owner, of: address)
    guard
      let timer = known?.timer(
        name, realtimeUsec: loop.now.realtimeUsec, boottimeUsec: loop.now.boottimeUsec)
    else { return nil }
    var members = (timer.objectValue ?? []).filter { $0.key != "name" }
    members.insert(.init("name", .string(shown)), at: 0)
    members += [
      .init("owner", .string("\(owner)")), .init("owner_state", .string(state(of: owner).rawValue)),
    ]
    if let usec = known?.sinceUsec { members.append(.init("owner_since_usec", .integer(usec))) }
    return .object(members)
  }

  private func shown(_ event: JSONValue, of owner: DeviceAddress) -> JSONValue? {
    guard let name = event["name"]?.stringValue,
      let shown = address.shownName(of: name, on: owner)
    else { return nil }
    let members = (event.objectValue ?? []).map { member -> JSONValue.Member in
      switch member.key {
      case "name": return JSONValue.Member("name", .string(shown))
      case "new_name", "old_name":
        let other = member.value.stringValue.flatMap { address.shownName(of: $0, on: owner) }
        return JSONValue.Member(member.key, other.map(JSONValue.string) ?? member.value)
      default: return member
      }
    }
    return .object(members)
  }

  /// Always 0, because the ledger of each member has its own numbers.
  var lastSeq: Int64 { 0 }
  var ledger: String? { nil }

  /// The client cannot give an event number to begin after, because the members of a session have
  /// no common ledger.
  func readLedger(after: Int64, _ prefix: String?, _ peer: VarlinkPeer) {
    peer.fail(.invalidParameter(parameter: "after"))
  }

  func find(
    _ name: String, _ peer: VarlinkPeer, _ found: @escaping (VarlinkPeer, JSONValue) -> Void
  ) { failNotFound(name, peer) }

  /// Changes are refused, because the timers belong to other persons.
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) { peer.fail(.permissionDenied) }
}
