import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// What a command gets, when it runs, and how its end is reported.
@Suite(.blocking) struct ActionTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon { $0.environment["NIGHTJAR_OWN"] = "inherited" }
  }

  private func lines(_ file: String) throws -> [String] {
    try String(contentsOfFile: "\(rig.path)/\(file)", encoding: .utf8).split(separator: "\n").map(
      String.init)
  }

  /// What `env` prints, by name.
  private func environment(_ file: String) throws -> [String: String] {
    let pairs = try lines(file).compactMap { line -> (String, String)? in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    return Dictionary(pairs, uniquingKeysWith: { $1 })
  }

  // MARK: Environment

  @Test func `A command gets the event in variables of its environment`() throws {
    try daemon.start("run/1/tea", shell: "env >\(rig.path)/env") { timer in
      timer.labels = ["team": "réd", "a-b c": "x=y"]
      timer.data = ["distance_m": 1840]
      timer.bands = [Wire.Band("warn", remaining: .seconds(60))]
    }
    #expect(try daemon.end(of: "run/1/tea").end == "exited 0")
    let rang = try #require(try daemon.ledger().first { $0.type == .rang })
    let found = try environment("env")
    let expected = [
      "NAME": "run/1/tea", "ID": "1", "EVENT": "rang", "SEQ": "\(rang.seq)",
      "TIME_USEC": "\(rang.timeUsec)", "KIND": "countdown", "STATE": "over",
      "LATE_USEC": "\(rang.lateUsec ?? -1)", "REMAINING_USEC": "0", "DURATION_USEC": "20000",
      "ELAPSED_USEC": "20000", "LABEL_TEAM": "réd", "LABEL_A_B_C": "x=y",
      "DATA": #"{"distance_m":1840}"#, "BAND": "warn", "ATTEMPT": "1",
      "SOCKET": daemon.options.socketPath,
    ]
    for (name, value) in expected { #expect(found["NIGHTJAR_\(name)"] == value, "\(name)") }
    let json = try JSONValue.parse(try #require(found["NIGHTJAR_JSON"]))
    #expect(json["seq"]?.integerValue == rang.seq && json["type"] == "rang")
    // A busy machine may make it late, and then the cause is reported.
    #expect(found["NIGHTJAR_LATE_CAUSE"] == rang.lateCause?.rawValue)
    #expect(found["NIGHTJAR_STEP"] == nil)
  }

  @Test
  func
    `Characters that could control a terminal are escaped in a command's JSON, which stays equivalent`()
    throws
  {
    let text = "\u{9B}31m\u{7F}\u{202E}\u{2028}\\\"é"
    try daemon.start("tea", shell: "env -0 >\(rig.path)/env") { timer in
      timer.labels = ["raw": text]
      timer.data = ["text": .string(text), text: 1.5, "list": [1, true, .null, [:]]]
    }
    #expect(try daemon.end(of: "tea").end == "exited 0")
    let found = try String(contentsOfFile: "\(rig.path)/env", encoding: .utf8).split(
      separator: "\0")
    func value(_ name: String) throws -> String {
      let variable = try #require(found.first { $0.hasPrefix("NIGHTJAR_\(name)=") })
      return String(variable.dropFirst("NIGHTJAR_\(name)=".count))
    }
    let data = try value("DATA")
    #expect(!VisibleText.hasUnsafe(data))
    #expect(
      try JSONValue.parse(data) == [
        "text": .string(text), text: 1.5, "list": [1, true, .null, [:]],
      ] as JSONValue)
    #expect(data.contains(#"\u009b31m\u007f\u202e\u2028\\\"é"#))
    let json = try value("JSON")
    #expect(!VisibleText.hasUnsafe(json))
    #expect(try JSONValue.parse(json)["data"] == nil && JSONValue.parse(json)["type"] == "rang")
    // A label is not JSON.
    #expect(try value("LABEL_RAW") == text)
  }

  @Test
  func
    `A command's environment has its timer's variables and the daemon's own, but not those of its unit`()
    throws
  {
    try FileManager.default.createDirectory(
      atPath: "\(rig.path)/bin", withIntermediateDirectories: false)
    try writeFile(
      "#!/bin/sh\nenv >\(rig.path)/env; pwd >\(rig.path)/pwd; readlink /proc/$$/fd/0 >>\(rig.path)/pwd\n",
      to: "\(rig.path)/bin/ring", mode: 0o755)
    try daemon.start("tea", running: ["ring"]) { timer in
      timer.ring?.environment = ["PATH": "\(rig.path)/bin:/usr/bin:/bin", "DISPLAY": ":7"]
    }
    #expect(try daemon.end(of: "tea").end == "exited 0")
    let found = try environment("env")
    #expect(found["PATH"] == "\(rig.path)/bin:/usr/bin:/bin" && found["DISPLAY"] == ":7")
    #expect(found["NIGHTJAR_OWN"] == "inherited" && found["HOME"] == "\(rig.path)/home")
    #expect(found["NOTIFY_SOCKET"] == nil)
    #expect(try lines("pwd") == ["\(rig.path)/home", "/dev/null"])
  }

  @Test func `The output of a command is in the log, line by line, with its timer's name`() throws {
    let rang = try daemon.start(
      "tea", shell: #"echo one; printf 'two\033[31m\n\n' >&2; printf three"#)
    #expect(try daemon.end(of: "tea").printedBytes == 19)
    for (line, text) in zip(["one", "two", "three"], ["one ", #"two\u{1B}[31m "#, "three "]) {
      let said = try daemon.process.lines.next(line) { $0.contains("sh: \(text)") }
      #expect(said.contains("NIGHTJAR_EVENT=action_output"))
      #expect(said.contains("NIGHTJAR_TIMER=tea") && said.contains("NIGHTJAR_SEQ=\(rang.id + 1)"))
    }
  }

  // MARK: Runs

  @Test func `The command runs at every ring: of a repetition, and at the end of a step`() throws {
    var timer = Wire.Start(name: "tick", .repeating(.milliseconds(100), rounds: 3))
    timer.ring = Wire.Ring(
      running: ["/bin/sh", "-c", "echo $NIGHTJAR_EVENT ${NIGHTJAR_MISSED:-0} >>\(rig.path)/tick"],
      environment: [:])
    let client = try daemon.connect()
    _ = try client.timer(.start(timer))
    // Long enough that a busy daemon does not miss the end of a step.
    let step = Wire.Step("work", for: .seconds(1))
    var sequence = Wire.Start(
      name: "pomodoro",
      .sequence(.init(steps: [step, Wire.Step("rest", for: .seconds(1), waits: true)], rounds: 2)))
    sequence.ring = Wire.Ring(
      running: [
        "/bin/sh", "-c", "echo $NIGHTJAR_EVENT $NIGHTJAR_STATE $NIGHTJAR_STEP >>\(rig.path)/step",
      ],
      environment: [:])
    _ = try client.timer(.start(sequence))
    let events = try daemon.events(after: 0)
    func ended(_ name: String) throws {
      _ = try events.event { $0.type == .actionEnded && $0.name == name }
    }
    let (rings, runs) = (try daemon.events(after: 0), try daemon.events(after: 0))
    // A daemon that gets no processor for a while rings once for several rounds.
    var missed: [Int64] = []
    while missed.reduce(0, { $0 + 1 + $1 }) < 3 {
      missed.append(try rings.event { $0.type == .rang && $0.name == "tick" }.missed ?? 0)
    }
    for _ in missed { _ = try runs.event { $0.type == .actionEnded && $0.name == "tick" } }
    #expect(try lines("tick") == missed.map { "rang \($0)" })
    for _ in 0..<2 { try ended("pomodoro") }
    _ = try client.timer(.perform(.advance, name: "pomodoro"))
    for _ in 0..<2 { try ended("pomodoro") }
    let states = ["running", "waiting", "running", "over"]
    #expect(try lines("step") == states.map { "rang \($0) rest" })
  }

  @Test func `A command runs on its own events and on no other`() throws {
    let shell =
      "echo $NIGHTJAR_EVENT $NIGHTJAR_STATE $NIGHTJAR_BAND $NIGHTJAR_LABEL_A >>\(rig.path)/on"
    try daemon.start("tea", usec: hour, shell: shell) { timer in
      timer.ring?.on = [.started, .paused, .bandCrossed, .updated, .cancelled, .removed]
      timer.labels = ["a": "b"]
      timer.bands = [Wire.Band("warn", remaining: .seconds(60))]
    }
    let client = try daemon.connect()
    for call in [
      Call.perform(.pause, name: "tea"), .perform(.resume, name: "tea"),
      .extend(name: "tea", byUsec: -hour + 30 * second), .perform(.restart, name: "tea"),
      .update(name: "tea", data: ["x": 1]),
    ] { _ = try client.timer(call) }
    let ends = try daemon.events(after: 0)
    for _ in 0..<4 { _ = try ends.event { $0.type == .actionEnded } }
    // Commands that still waited would be withdrawn with the timer.
    for operation in [Wire.Operation.cancel, .remove] {
      _ = try client.timer(.perform(operation, name: "tea"))
      _ = try ends.event { $0.type == .actionEnded }
    }
    #expect(
      try lines("on") == [
        "started running b", "paused paused b", "band_crossed running warn b",
        "updated running b", "cancelled cancelled b", "removed b",
      ])
    // The event names the timer even after it is gone.
    let last = try #require(try daemon.ledger().last)
    #expect(last.type == .actionEnded && last.name == "tea" && last.id == 1)
  }

  @Test func `After a timer is started anew, the new timer's command runs, not the old one`() throws
  {
    for word in ["old", "new"] {
      try daemon.start("tea", usec: hour, shell: "echo \(word) >>\(rig.path)/on") { timer in
        timer.ring?.on = [.started]
      }
    }
    let ends = try daemon.events(after: 0)
    for _ in 0..<2 { _ = try ends.event { $0.type == .actionEnded } }
    // They are commands of two timers, so either may write first.
    #expect(try lines("on").sorted() == ["new", "old"])
    try daemon.start("tea", usec: hour, running: ["true"]) { $0.ring = nil }
    _ = try daemon.connect().timer(.perform(.pause, name: "tea"))
    #expect(try daemon.settledLedger().filter { $0.type == .actionStarted }.count == 2)
  }

  @Test
  func
    `The command of a timer that expired in a span runs after it, with its lateness and the cause`()
    throws
  {
    try self.daemon.terminate()
    let daemon = try rig.actingDaemon { try $0.fakeWallClock(seconds: 0) }
    try daemon.start("tea", usec: hour, shell: "env >\(rig.path)/env")
    try daemon.stop()
    try daemon.options.pretendSleep(seconds: 2 * 3600)
    #expect(!FileManager.default.fileExists(atPath: "\(rig.path)/env"))
    try daemon.proceed()
    #expect(try daemon.end(of: "tea").end == "exited 0")
    let found = try environment("env")
    #expect(found["NIGHTJAR_LATE_CAUSE"] == "stop")
    #expect(try #require(found["NIGHTJAR_LATE_USEC"].flatMap { Int64($0) }) > hour / 2)
  }

  // MARK: Reports

  @Test func `The ledger has the beginning and the end of a command, as part of its timer's story`()
    throws
  {
    try daemon.start("tea", shell: "exit 7")
    _ = try daemon.end(of: "tea")
    let story = try Wire.Why.Reply(
      try daemon.connect().call(.why(name: "tea"), deadline: .after(usec: 30 * second)))
    #expect(story.events.map(\.type) == [.started, .rang, .actionStarted, .actionEnded])
    let (start, end) = (story.events[2], story.events[3])
    #expect(start.eventSeq == story.events[1].seq && start.attempt == 1)
    #expect(start.command == "exit 7" && end.command == "exit 7")
    #expect(end.eventSeq == start.eventSeq && end.end == "exited 7")
    #expect(try #require(end.durationUsec) > 0)
    // Nothing is left of the command.
    #expect(try daemon.unfinished(rig) == "" && daemon.children == 0)
    try daemon.process.lines.next("a word about it") {
      $0.contains("tea: exit 7 failed with exit status 7") && $0.contains("NIGHTJAR_OUTCOME=exited")
    }
  }

  @Test func `A watch gets the events of commands of its own timers, and not of others`() throws {
    try daemon.connect().start("egg", usec: hour)
    let others = try daemon.watch(name: "egg")
    let prefix = try daemon.events(after: 0, prefix: "egg")
    // There is no timer of that name yet.
    let watch = try daemon.watch(prefix: "tea")
    try daemon.start("tea", usec: 200 * millisecond, shell: "true") { timer in
      timer.ring?.on = [.rang, .removed]
    }
    _ = try watch.event { $0.type == .actionEnded }
    _ = try daemon.connect().timer(.perform(.remove, name: "tea"))
    let gone = try daemon.events(after: 0)
    for _ in 0..<2 { _ = try gone.event { $0.type == .actionEnded } }
    _ = try daemon.connect().timer(.perform(.pause, name: "egg"))
    for stream in [others, prefix] {
      #expect(try stream.event { $0.type != .started }.type == .paused)
    }
  }
}
