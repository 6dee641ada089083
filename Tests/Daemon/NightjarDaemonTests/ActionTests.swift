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

  @Test func `A command has its timer's variables and the daemon's, but none of a unit`() throws {
    let (bin, home) = ("\(rig.path)/bin", "\(rig.path)/home")
    try makeFolder(bin)
    try writeFile(
      """
      #!/bin/sh
      (printf '%s\\n' "$PATH" "$DISPLAY" "$NIGHTJAR_OWN" "$HOME" "${NOTIFY_SOCKET-none}"
      pwd; readlink /proc/$$/fd/0) >\(rig.path)/said

      """, to: "\(bin)/ring", mode: 0o755)
    try daemon.start("tea", running: ["ring"]) { timer in
      timer.ring?.environment = ["PATH": "\(bin):/usr/bin:/bin", "DISPLAY": ":7"]
    }
    #expect(try daemon.end(of: "tea").end == "exited 0")
    #expect(
      try rig.lines(of: "said")
        == ["\(bin):/usr/bin:/bin", ":7", "inherited", home, "none", home, "/dev/null"])
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

  @Test func `A timer's story has the beginning and the end of its command`() throws {
    try daemon.start("tea", shell: "exit 7")
    _ = try daemon.end(of: "tea")
    let story = try Wire.Why.Reply(
      try daemon.connect().call(.why(name: "tea"), deadline: .after(usec: 30 * second)))
    #expect(story.events.map(\.type) == [.started, .rang, .actionStarted, .actionEnded])
    let (start, end) = (story.events[2], story.events[3])
    #expect(start.eventSeq == story.events[1].seq && end.eventSeq == start.eventSeq)
    #expect(start.command == "exit 7" && end.command == "exit 7")
    #expect(start.attempt == 1 && end.end == "exited 7")
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
