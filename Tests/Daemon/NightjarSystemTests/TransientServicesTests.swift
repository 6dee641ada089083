import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// Without a service manager, or with one that does not answer: the error is reported soon, and
/// once. SystemTests uses a real manager.
@Suite(.blocking) struct TransientServicesTests {
  private let loop: EventLoop
  private let pipe: OutputPipe

  init() throws {
    loop = try EventLoop()
    pipe = try OutputPipe()
  }

  /// A bus with a manager that has these orders.
  private func managedBus(_ orders: String...) throws -> PrivateBus {
    let bus = try PrivateBus()
    try bus.startBus()
    try bus.startManager(orders)
    return bus
  }

  /// Asks for a service that sleeps.
  private func start(
    _ services: TransientServices, started: @escaping (TransientServices.Refusal?) -> Void,
    changed: @escaping (TransientServices.Report) -> Void = { _ in }
  ) {
    let sleep = Program(
      path: "/bin/sleep", arguments: ["sleep", "1000"], environment: [], folder: "/")
    services.start(
      "nightjar-test.service", sleep, description: "x", output: pipe.writingEnd,
      longestUsec: 1_000_000, started: started, changed: changed)
  }

  /// The answers to a start, and how long they took, in microseconds.
  private func refusals(
    at address: String, timeouts: TransientServices.Timeouts = .usual
  ) throws -> (all: [TransientServices.Refusal], usec: Int64) {
    let services = try TransientServices(loop: loop, address: address, timeouts: timeouts)
    var refusals: [TransientServices.Refusal] = []
    let begunUsec = Clocks.monotonicUsec()
    start(services) {
      refusals.append($0 ?? TransientServices.Refusal(description: "started"))
    } changed: {
      refusals.append(TransientServices.Refusal(description: "\($0)"))
    }
    #expect(try pump(loop) { !refusals.isEmpty })
    // No second answer follows.
    loop.requestIteration()
    try loop.runIteration()
    return (refusals, Clocks.monotonicUsec() - begunUsec)
  }

  private func word(_ report: TransientServices.Report) -> String {
    switch report {
    case .state(let state): state.isOver ? "over" : "runs"
    case .unknown: "unknown"
    case .unreachable: "unreachable"
    }
  }

  /// The first report on a service that is resumed.
  private func report(at address: String) throws -> String {
    let services = try TransientServices(loop: loop, address: address)
    var words: [String] = []
    services.resume("nightjar-test.service") { words.append(word($0)) }
    #expect(try pump(loop) { !words.isEmpty })
    loop.requestIteration()
    try loop.runIteration()
    #expect(words.count == 1)
    return words[0]
  }

  private static let none = "unix:path=/no/such/bus"

  @Test func `Without a bus no request is sent`() throws {
    #expect(try TransientServices(loop: loop, address: Self.none).hasBus == false)
    #expect(try TransientServices(loop: loop, address: "none").hasBus == true)
    let refusals = try refusals(at: Self.none).all
    #expect(refusals.map(\.description) == ["this user has no service manager"])
    #expect(refusals.allSatisfy { !$0.isUncertain })
  }

  @Test func `A bus without a manager is reported as such`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    let (refusals, usec) = try refusals(at: bus.address)
    #expect(refusals.count == 1 && refusals[0].description.contains("org.freedesktop.systemd1"))
    #expect(refusals.allSatisfy { !$0.isUncertain })
    #expect(usec < 5_000_000)
  }

  @Test func `A bus that does not greet is waited for, a second or as long as given`() throws {
    let silent = try SilentBus()
    for timeouts in [
      .usual, TransientServices.Timeouts(greetingUsec: 50_000, answerUsec: 60_000_000),
    ] {
      let (refusals, usec) = try refusals(at: silent.address, timeouts: timeouts)
      #expect(
        refusals.map(\.description) == ["the bus of the user's service manager does not answer"])
      let bound = timeouts.greetingUsec
      #expect((bound..<bound + 2_000_000).contains(usec), "\(usec)")
    }
  }

  @Test func `A manager that does not answer may have started the service`() throws {
    let bus = try managedBus("silent")
    let timeouts = TransientServices.Timeouts(greetingUsec: 20_000_000, answerUsec: 200_000)
    let (refusals, usec) = try refusals(at: bus.address, timeouts: timeouts)
    #expect(refusals.count == 1 && refusals[0].isUncertain)
    #expect((200_000..<20_000_000).contains(usec), "\(usec)")
  }

  @Test func `A manager does not know a service, and one that cannot be reached may`() throws {
    #expect(try report(at: Self.none) == "unknown")
    let bus = try PrivateBus()
    try bus.startBus()
    #expect(try report(at: bus.address) == "unreachable")
    try bus.startManager([])
    #expect(try report(at: bus.address) == "unknown")
    bus.stopBus()
    #expect(try report(at: bus.address) == "unreachable")
  }

  @Test(arguments: [
    ("org.freedesktop.systemd1.NoSuchUnit", "unknown"),
    ("org.freedesktop.DBus.Error.UnknownObject", "unknown"),
    ("org.freedesktop.DBus.Error.NoReply", "unreachable"),
    ("org.freedesktop.DBus.Error.LimitsExceeded", "unreachable"),
    ("org.freedesktop.DBus.Error.AccessDenied", "unreachable"),
  ])
  func `A manager's error means that it does not know a service, or that its state is unknown`(
    error: String, expected: String
  ) throws {
    let bus = try managedBus("refuse \(error)")
    #expect(try report(at: bus.address) == expected)
  }

  @Test func `A name that is in use is refused, with a distinct error`() throws {
    let bus = try managedBus()
    let services = try TransientServices(loop: loop, address: bus.address)
    var answers: [TransientServices.Refusal?] = []
    for count in 1...2 {
      start(services) { answers.append($0) }
      #expect(try pump(loop) { answers.count == count })
    }
    #expect(answers[0] == nil && answers[1]?.isTaken == true && answers[1]?.isUncertain == false)
    services.signal("nightjar-test.service", SIGKILL)
  }

  @Test func `When the bus is lost, the handlers of services are called`() throws {
    let bus = try managedBus()
    let services = try TransientServices(loop: loop, address: bus.address)
    var words: [String] = []
    start(services) {
      words.append($0?.description ?? "started")
    } changed: {
      words.append(word($0))
    }
    #expect(try pump(loop) { words == ["started", "runs"] })
    services.signal("nightjar-test.service", SIGKILL)
    #expect(try pump(loop) { words.last == "over" })
    bus.stopBus()
    #expect(try pump(loop) { words.last == "unreachable" })
  }
}
