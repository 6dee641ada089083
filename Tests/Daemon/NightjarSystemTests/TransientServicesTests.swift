import CLinux
import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// Without a service manager, or with one that does not answer: the error is reported soon, and
/// once. SystemTests uses a real manager.
@Suite(.blocking) struct TransientServicesTests {
  private let loop: EventLoop
  private let folder: TestFolder
  private let program = Program(
    path: "/bin/true", arguments: ["true"], environment: [], folder: "/")

  init() throws {
    loop = try EventLoop()
    folder = try TestFolder()
  }

  /// The answers to a start, and how long they took, in microseconds.
  private func refusals(
    at address: String, timeouts: TransientServices.Timeouts = .usual
  ) throws -> (all: [TransientServices.Refusal], usec: Int64) {
    let services = try TransientServices(loop: loop, address: address, timeouts: timeouts)
    let pipe = try OutputPipe()
    var refusals: [TransientServices.Refusal] = []
    let start = Clocks.monotonicUsec()
    services.start(
      "nightjar-test.service", program, description: "x", output: pipe.writingEnd,
      longestUsec: 1_000_000,
      started: { refusals.append($0 ?? TransientServices.Refusal(description: "started")) },
      changed: { refusals.append(TransientServices.Refusal(description: "\($0)")) })
    #expect(try pump(loop) { !refusals.isEmpty })
    // No second answer follows.
    loop.requestIteration()
    try loop.runIteration()
    return (refusals, Clocks.monotonicUsec() - start)
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

  @Test func `Without a bus no request is sent`() throws {
    let address = "unix:path=\(folder.path)/bus"
    #expect(try TransientServices(loop: loop, address: address).hasBus == false)
    #expect(try TransientServices(loop: loop, address: "none").hasBus == true)
    let refusals = try refusals(at: address).all
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
    let path = "\(folder.path)/bus"
    let raw = nj_unix_socket()
    let socket = Descriptor(owning: raw)
    try #require(nj_unix_bind(socket.raw, path) == 0 && listen(socket.raw, 4) == 0)
    for timeouts in [
      .usual, TransientServices.Timeouts(greetingUsec: 50_000, answerUsec: 60_000_000),
    ] {
      let (refusals, usec) = try refusals(at: "unix:path=\(path)", timeouts: timeouts)
      #expect(
        refusals.map(\.description) == ["the bus of the user's service manager does not answer"])
      let bound = timeouts.greetingUsec
      #expect((bound..<bound + 2_000_000).contains(usec), "\(usec)")
    }
  }

  @Test func `A manager that does not answer may have started the service`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    try bus.startManager("silent")
    let timeouts = TransientServices.Timeouts(greetingUsec: 20_000_000, answerUsec: 200_000)
    let (refusals, usec) = try refusals(at: bus.address, timeouts: timeouts)
    #expect(refusals.count == 1 && refusals[0].isUncertain)
    #expect((200_000..<20_000_000).contains(usec), "\(usec)")
  }

  @Test func `A manager does not know a service, and one that cannot be reached may`() throws {
    #expect(try report(at: "unix:path=\(folder.path)/bus") == "unknown")
    let bus = try PrivateBus()
    try bus.startBus()
    #expect(try report(at: bus.address) == "unreachable")
    try bus.startManager()
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
    let bus = try PrivateBus()
    try bus.startBus()
    try bus.startManager("refuse \(error)")
    #expect(try report(at: bus.address) == expected)
  }

  @Test func `A name that is in use is refused, with a distinct error`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    try bus.startManager()
    let sleep = Program(
      path: "/bin/sleep", arguments: ["sleep", "1000"], environment: [], folder: "/")
    let services = try TransientServices(loop: loop, address: bus.address)
    let pipe = try OutputPipe()
    var answers: [TransientServices.Refusal?] = []
    for count in 1...2 {
      services.start(
        "nightjar-test.service", sleep, description: "x", output: pipe.writingEnd,
        longestUsec: 1_000_000, started: { answers.append($0) }, changed: { _ in })
      #expect(try pump(loop) { answers.count == count })
    }
    #expect(answers[0] == nil && answers[1]?.isTaken == true && answers[1]?.isUncertain == false)
    services.signal("nightjar-test.service", SIGKILL)
  }

  @Test func `When the bus is lost, the handlers of services are called`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    try bus.startManager()
    let services = try TransientServices(loop: loop, address: bus.address)
    let pipe = try OutputPipe()
    let sleep = Program(
      path: "/bin/sleep", arguments: ["sleep", "1000"], environment: [], folder: "/")
    var words: [String] = []
    services.start(
      "nightjar-test.service", sleep, description: "x", output: pipe.writingEnd,
      longestUsec: 1_000_000, started: { words.append($0?.description ?? "started") },
      changed: { words.append(word($0)) })
    #expect(try pump(loop) { words == ["started", "runs"] })
    services.signal("nightjar-test.service", SIGKILL)
    #expect(try pump(loop) { words.last == "over" })
    bus.stopBus()
    #expect(try pump(loop) { words.last == "unreachable" })
  }
}
