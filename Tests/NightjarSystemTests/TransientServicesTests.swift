import CLinux
import Glibc
import Testing

@testable import NightjarSystem

/// Where there is no service manager that would run anything: told soon, and once. What a real one does is
/// in SystemTests.
@Suite struct TransientServicesTests {
  private let loop: EventLoop
  private let folder: Folder
  private let program = Program(
    path: "/bin/true", arguments: ["true"], environment: [], folder: "/")

  init() throws {
    loop = try EventLoop()
    folder = try Folder()
  }

  /// What is answered to a start, and how long it took in microseconds.
  private func refusal(at address: String) throws -> (words: [String], usec: Int64) {
    let services = try TransientServices(loop: loop, address: address)
    let pipe = try OutputPipe()
    var words: [String] = []
    let start = Clocks.monotonicUsec()
    services.start(
      "nightjar-test.service", program, description: "x", output: pipe.writingEnd,
      longestUsec: 1_000_000, started: { words.append($0?.description ?? "started") },
      changed: { _ in words.append("changed") })
    #expect(try pump(loop) { !words.isEmpty })
    // Not twice, and nothing behind it.
    loop.requestPass()
    try loop.runPass()
    return (words, Clocks.monotonicUsec() - start)
  }

  @Test func `Without a bus nobody is asked`() throws {
    let address = "unix:path=\(folder.path)/bus"
    #expect(try TransientServices(loop: loop, address: address).isConceivable == false)
    #expect(try TransientServices(loop: loop, address: "none").isConceivable == true)
    let (words, _) = try refusal(at: address)
    #expect(words == ["there is no service manager of the user's"])
  }

  @Test func `A bus without a manager on it says so`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    let (words, usec) = try refusal(at: bus.address)
    #expect(words.count == 1 && words[0].contains("org.freedesktop.systemd1"), "\(words)")
    #expect(usec < 5_000_000)
  }

  @Test func `A bus that does not greet is waited for, a second`() throws {
    let path = "\(folder.path)/bus"
    let raw = nj_unix_socket()
    let socket = Descriptor(owning: raw)
    try #require(nj_unix_bind(socket.raw, path) == 0 && listen(socket.raw, 4) == 0)
    let (words, usec) = try refusal(at: "unix:path=\(path)")
    #expect(words == ["the bus of the user's service manager does not answer"])
    #expect((1_000_000..<3_000_000).contains(usec), "\(usec)")
  }

  @Test func `A service that nobody knows of is told so, and no bus either`() throws {
    let services = try TransientServices(loop: loop, address: "unix:path=\(folder.path)/bus")
    var answers = 0
    services.resume("nightjar-test.service") { state in
      #expect(state == nil)
      answers += 1
    }
    #expect(answers == 1)
    let bus = try PrivateBus()
    try bus.startBus()
    let others = try TransientServices(loop: loop, address: bus.address)
    others.resume("nightjar-test.service") { state in
      #expect(state == nil)
      answers += 1
    }
    #expect(try pump(loop) { answers == 2 })
  }

  @Test func `When the bus goes, whoever follows a service is told`() throws {
    let bus = try PrivateBus()
    try bus.startBus()
    let services = try TransientServices(loop: loop, address: bus.address)
    var states = 0
    services.resume("nightjar-test.service") { _ in states += 1 }
    #expect(try pump(loop) { states == 1 })
    bus.stopBus()
    #expect(try pump(loop) { states == 2 })
  }
}
