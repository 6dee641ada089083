import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The five worked examples of Sources/Examples: each as its script, and what it promises over the
/// socket.
@Suite(.blocking) struct ExampleTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private static let folder = "\(Documentation.root)/Sources/Examples"

  @Test func `Each example is read at a glance: it has fewer than 60 lines`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    // The others are what several of them, or a program of the reader's, need.
    let examples = files.filter { $0.first?.isNumber == true }
    #expect(examples.count == 5)
    for name in examples {
      let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
      #expect(text.count { $0 == "\n" } < 60, "\(name)")
    }
  }

  private func example(
    _ name: String, _ arguments: [String] = [], isFed: Bool = false, socket: String? = nil
  ) throws -> ChildProcess {
    let programs = URL(filePath: try Binaries.nightjar()).deletingLastPathComponent().path
    return try rig.start(
      ["\(Self.folder)/\(name)"] + arguments,
      environment: [
        "NIGHTJAR_SOCKET": socket ?? daemon.options.socketPath, "HOME": rig.path,
        "PATH": "\(programs):/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": rig.path,
      ], isFed: isFed, package: "python3")
  }

  /// The lines of a script that ends well.
  private func lines(of name: String, _ arguments: String...) throws -> [String] {
    let script = try example(name, arguments)
    #expect(try script.awaitEnd(within: 90) == .exited(0))
    return script.lines.all
  }

  // MARK: Over a kill -9 of the daemon

  /// Two of them have daemons of their own.
  @Test(
    arguments: [
      ("1-verification-code", ["4s", "2"], "Valid for 00:03", "Code 2 is no longer valid."),
      ("2-two-runners", ["10"], "ada's laptop: bob is at 120 m", " at 1500 m"),
      (
        "3-countdown", [], "00:00:59 \(String(repeating: "░", count: 40)) running", "started again"
      ),
      ("4-cards", [], "4 (lime)", "All cards are played."),
      ("5-background", ["3"], "On disk: 1 open span", "In the daemon: no entry timestamp"),
    ] as [(String, [String], String, String)])
  func `A script whose daemon is killed goes on with the next one`(
    name: String, arguments: [String], sign: String, last: String
  ) throws {
    if name.hasPrefix("2") { _ = try rig.run(["mosquitto", "-h"], package: "mosquitto") }
    let script = try example(name, arguments, isFed: name.hasPrefix("4"))
    try script.lines.next(sign) { $0 == sign }
    let isOwn = name.hasPrefix("2") || name.hasPrefix("5")
    if isOwn {
      let daemons = try rig.tool(["pgrep", "-f", "nightjard --socket \(rig.path)/tmp"])
        .split(separator: "\n").compactMap { Int32($0) }
      try #require(!daemons.isEmpty)
      for daemon in daemons { kill(daemon, SIGKILL) }
    } else {
      try daemon.crash()
      _ = try rig.daemon()
    }
    #expect(try script.awaitEnd(within: 90) == .exited(0))
    let lines = script.lines.all
    #expect(lines.suffix(isOwn ? lines.count : 1).contains { $0.hasSuffix(last) })
  }

  // MARK: 1, a verification code

  @Test func `1: its script sends another code when one has expired, and goes on`() throws {
    let lines = try lines(of: "1-verification-code", "2s", "3").map { line in
      line.replacing(/sent: [0-9]{3} [0-9]{3}$/, with: "sent")
    }
    let expected = (1...3).flatMap { number in
      [
        "Code \(number) was sent", "Valid for 00:02", "Valid for 00:01",
        "Code \(number) is no longer valid.",
      ]
    }
    #expect(lines == expected)
    #expect(
      try client.refusal(of: .get(name: "example/code")) == .timerNotFound(name: "example/code"))
  }

  // MARK: 2, two runners

  @Test func `2: the script shows two machines, one of which is lost for a while`() throws {
    _ = try rig.run(["mosquitto", "-h"], package: "mosquitto")
    let lines = try lines(of: "2-two-runners", "10")
    func shown(_ screen: String) -> [String] {
      lines.filter { $0.hasPrefix("\(screen): ") }.map { String($0.dropFirst(screen.count + 2)) }
    }
    // Ada sees bob run, lost, at his distance when he is back, and stopped.
    let ofBob = shown("ada's laptop")
    #expect(ofBob.first == "bob is at 60 m" && ofBob.last == "bob has stopped at 900 m")
    let lost = try #require(ofBob.firstIndex { $0.hasPrefix("bob is offline at ") })
    #expect(ofBob[lost...].contains("bob is at 900 m"))
    // Bob sees ada as long as he is connected, and again later.
    let ofAda = shown("bob's phone")
    #expect(ofAda.first == "ada is at 75 m" && ofAda.last == "ada is done at 1500 m")
    #expect(ofAda.contains("ada is at 975 m"))
    #expect(lines.allSatisfy { $0.hasPrefix("ada's laptop: ") || $0.hasPrefix("bob's phone: ") })
  }

  @Test func `2: without Nightjar's programs it says so, before it starts a broker`() throws {
    let script = try rig.start(
      ["/usr/bin/python3", "\(Self.folder)/2-two-runners"],
      environment: ["PATH": rig.path, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(try script.awaitEnd() == .exited(1))
    #expect(script.lines.all == ["nightjard is not there; put the folder with it into PATH"])
  }

  // MARK: 3, a countdown

  @Test func `3: the script shows it as HH:MM:SS with a bar`() throws {
    let lines = try lines(of: "3-countdown", "1")
    let empty = String(repeating: "░", count: 40)
    #expect(lines.first == "00:01:00 \(empty) started")
    let paused = "00:00:58 █\(empty.dropLast())"
    let middle = ["00:00:59 \(empty) running", "\(paused) paused", "\(paused) cancelled"]
    #expect(Set(lines).isSuperset(of: middle))
    #expect(lines.last == "00:01:00 \(empty) started again")
  }

  // MARK: 4, cards

  @Test func `4: the script obeys the latest of on and off`() throws {
    let script = try example("4-cards", isFed: true)
    try script.lines.next("the first card") { $0 == "ready (gray)" }
    for _ in 0..<200 {
      try script.feed("off")
      try script.feed("on")
    }
    try script.feed("off")
    // The timer is paused: two readings of the remaining time are equal, whatever was typed in
    // between.
    let watch = try daemon.watch(name: "example/cards")
    var cards = try client.get("example/cards")
    while cards.state != .paused {
      _ = try watch.next(deadline: .after(usec: 30 * second))
      cards = try client.get("example/cards")
    }
    try script.feed("on")
    try script.lines.next("the last card") { $0 == "over (gray)" }
    #expect(try script.awaitEnd() == .exited(0))
    // Neutral ends, and 5 to 0 between them.
    #expect(
      script.lines.all == [
        "ready (gray)", "5 (green)", "4 (lime)", "3 (yellow)", "2 (gold)", "1 (orange)", "0 (red)",
        "over (gray)", "All cards are played.",
      ])
  }

  @Test func `4: cards that another client removes end it with a sentence`() throws {
    let script = try example("4-cards", isFed: true)
    try script.lines.next("the first card") { $0 == "ready (gray)" }
    _ = try client.timer(.perform(.remove, name: "example/cards"))
    #expect(try script.awaitEnd() == .exited(1))
    #expect(script.lines.all.last == "Another client has removed the cards.")
  }

  @Test(arguments: ["3-countdown", "4-cards"])
  func `Without a daemon the scripts say so in one sentence`(name: String) throws {
    let path = rig.path + "/nowhere"
    let script = try example(name, isFed: true, socket: path)
    #expect(try script.awaitEnd() == .exited(1))
    #expect(
      script.lines.all
        == ["no daemon at \(path): No such file or directory; nightjar status starts one"])
  }

  // MARK: 5, the background

  @Test func `5: the script prints it`() throws {
    let lines = try lines(of: "5-background", "1")
    #expect(
      Set(lines).isSuperset(of: [
        "The daemon is stopped, in state T.", "On disk: 1 open span",
        "work, on awake time: 10:00 left",
      ]))
    #expect(lines.contains { $0.hasPrefix("tea, on real time:  09:5") })
    #expect(lines.last == "In the daemon: no entry timestamp")
  }
}
