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

  /// What `env` prints, by name.
  private func environment(_ file: String) throws -> [String: String] {
    let pairs = try rig.lines(of: file).compactMap { line -> (String, String)? in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    return Dictionary(pairs, uniquingKeysWith: { $1 })
  }

  // MARK: Environment

  @Test
  func
    `A command's environment has its timer's variables and the daemon's own, but not those of its unit`()
    throws
  {
    try makeFolder("\(rig.path)/bin")
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
    #expect(try rig.lines(of: "pwd") == ["\(rig.path)/home", "/dev/null"])
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
    let tea = try daemon.start(
      "tea", usec: 200 * millisecond, on: [.rang, .removed], shell: "true")
    _ = try watch.event { $0.type == .actionEnded }
    _ = try daemon.connect().timer(.perform(.remove, name: "tea"))
    // The event of the command that the removal called names the timer, which is gone.
    let gone = try daemon.events(after: 0)
    for _ in 0..<2 {
      let end = try gone.event { $0.type == .actionEnded }
      #expect(end.name == "tea" && end.id == tea.id)
    }
    _ = try daemon.connect().timer(.perform(.pause, name: "egg"))
    for stream in [others, prefix] {
      #expect(try stream.event { $0.type != .started }.type == .paused)
    }
  }
}
