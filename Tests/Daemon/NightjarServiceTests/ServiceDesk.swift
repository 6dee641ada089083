import NightjarEngine
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Varlink

@testable import NightjarService

/// The daemon's methods on a simulated machine, without a socket. Its time passes when a test says
/// so, and each change is on the disk when its call returns.
final class ServiceDesk {
  /// A client with the stream of its last call.
  final class Client {
    fileprivate let outlet = Outlet()
    fileprivate var stream: (any ReplyStream)?

    var isFollowing: Bool { stream != nil }

    /// Reads and removes the replies that were written since the last time.
    func replies() throws -> [VarlinkReply] {
      defer { (outlet.output, outlet.sent) = ([], 0) }
      return try outlet.output.split(separator: 0).map { frame in
        try frame.withUnsafeBytes { try VarlinkReply.parse($0) }
      }
    }
  }

  let machine: SimulatedMachine
  /// The configured policies of new timers.
  var defaults = SpecDefaults()
  private let calendar = ZoneCalendar(local: .utc)
  private var followers: [Client] = []
  private var events: [Event] = []

  init() throws {
    machine = SimulatedMachine(calendar: calendar, maximumTimers: Limits.timers)
    machine.onPublished = { [unowned self] in publish($0) }
    try machine.boot()
  }

  private func publish(_ new: [Event]) {
    events += new
    for client in followers {
      let state = client.stream?.deliver(
        new, durable: true, to: client.outlet, at: machine.clocks.now)
      if state == .ended { client.stream = nil }
    }
  }

  /// The events since the boot as clients see them.
  func ledger() throws -> [JSONValue] {
    try events.map { try JSONValue.parse(Wire.Event($0).json) }
  }

  /// Kills the daemon and starts the next one.
  func crash() throws {
    followers = []
    try machine.kill(startedAfterUsec: second)
  }

  func advance(usec: Int64) throws { try machine.advance(usec: usec) }

  func sleep(usec: Int64) throws { _ = try machine.sleep(usec: usec) }

  var nowUsec: Int64 { machine.clocks.now.realtimeUsec }

  /// The values of the variables of a timer's command, which no client sees.
  func secrets(of name: String) throws -> [String] {
    guard let engine = machine.core?.engine, let slot = engine.slot(named: name) else {
      throw Unmet(description: "there is no \(name)")
    }
    let ring = engine.view(slot, at: machine.clocks.now).timer.attachments?.ring
    return ring.map { RingPlan($0).environment.map(\.value) } ?? []
  }

  /// The variables, without their common prefix, of a command that the last event of a type calls.
  func environment(of type: String) throws -> [String: String] {
    guard let engine = machine.core?.engine,
      let event = events.last(where: { "\($0.typeName)" == type })
    else { throw Unmet(description: "there is no event \(type)") }
    let all = ActionEnvironment(
      event, engine: engine, socketPath: "/socket", at: machine.clocks.now
    ).variables
    return Dictionary(
      all.map { (String($0.name.dropFirst("NIGHTJAR_".count)), $0.value) }, uniquingKeysWith: { $1 }
    )
  }

  /// The types of the events so far that call a timer's command.
  func calls(of name: String) throws -> [String] {
    guard let engine = machine.core?.engine, let slot = engine.slot(named: name),
      let ring = engine.view(slot, at: machine.clocks.now).timer.attachments?.ring
    else { throw Unmet(description: "\(name) has no command") }
    return events.filter { RingPlan(ring).runs(on: $0) }.map { "\($0.typeName)" }
  }

  // MARK: Calls

  /// The reply to a call of the timers' interface, or of another with its full name.
  func call(_ method: String, _ parameters: String = "{}") throws -> VarlinkReply {
    let client = Client()
    try send(method, parameters, to: client)
    let replies = try client.replies()
    guard let reply = replies.first, replies.count == 1 else {
      throw Unmet(description: "\(method) \(parameters): \(replies.count) replies")
    }
    return reply
  }

  /// A call that must succeed; its timer, or all of its parameters.
  @discardableResult func ask(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let reply = try call(method, parameters)
    guard reply.error == nil else { throw Unmet(description: "\(method) \(parameters): \(reply)") }
    return reply.parameters["timer"] ?? reply.parameters
  }

  /// The last part of the error's name, and what it names, of a call that must be refused.
  func refusal(
    _ method: String, _ parameters: String = "{}"
  ) throws -> (error: String, parameter: String, reason: String) {
    let reply = try call(method, parameters)
    guard let error = reply.error?.split(separator: ".").last else {
      throw Unmet(description: "\(method) \(parameters) is not refused: \(reply)")
    }
    func text(_ key: String) -> String { reply.parameters[key]?.stringValue ?? "" }
    return (String(error), text("parameter"), text("reason"))
  }

  /// Begins a stream: what it writes at once is the client's first replies.
  func follow(_ method: String, _ parameters: String = "{}") throws -> Client {
    let client = Client()
    try send(method, parameters, #","more":true"#, to: client)
    if client.stream != nil { followers.append(client) }
    return client
  }

  func send(
    _ method: String, _ parameters: String, _ more: String = "", to client: Client
  ) throws {
    let method = method.contains(".") ? method : "org.nightjar.Timers.\(method)"
    let text = #"{"method":"\#(method)","parameters":\#(parameters)\#(more)}"#
    try send(text, to: client)
  }

  /// Sends a call as it is on the socket, without its NUL.
  func send(_ text: String, to client: Client) throws {
    // A call refers to the bytes of its message.
    try Array(text.utf8).withUnsafeBytes { bytes in
      let call = try VarlinkCall.parse(bytes)
      try machine.runIteration { core in
        let methods = Methods(core: core, calendar: calendar, dependencies: dependencies) {
          self.defaults
        }
        client.stream = methods.answer(call, to: client.outlet, at: machine.clocks.now)
      }
    }
    while let stream = client.stream {
      let state = stream.pump(client.outlet, at: machine.clocks.now)
      if state == .ended { client.stream = nil }
      if state != .hasMore { break }
    }
  }

  private var dependencies: Methods.Dependencies {
    let report = StatusReport(
      pid: 1, startedUsec: 0, storage: StatusReport.Storage(folder: "", schemaVersion: 0),
      ring: RingCheck(.off, "off"))
    return Methods.Dependencies(
      reader: machine.disk, status: { report },
      testRing: { RingTestStream({ $0(report.ring) }, onReady: { _ in }) },
      holdRings: { HoldStream(begin: { _ in 1 }, end: { _ in }, onReady: { _ in }) },
      releaseRings: { $0 == 1 }, reportReadFailure: { _, _ in })
  }
}
