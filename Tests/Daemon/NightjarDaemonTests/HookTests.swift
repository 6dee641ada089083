import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Programs in the folder of hooks, run on every event of a type.
@Suite(.blocking) struct HookTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private var folder: String { "\(rig.path)/home/.config/nightjar" }

  private func add(_ path: String, _ script: String, mode: mode_t = 0o755) throws {
    let file = "\(folder)/hooks/\(path)"
    try makeFolder((file as NSString).deletingLastPathComponent)
    try writeFile("#!/bin/sh\n\(script)\n", to: file, mode: mode)
  }

  private func awaitEnds(_ count: Int, of daemon: DaemonProcess) throws -> [Wire.Event] {
    let ends = try daemon.events(after: 0)
    return try (0..<count).map { _ in try ends.event { $0.type == .actionEnded } }
  }

  @Test
  func
    `Each hook runs on every event of its type, in the order of the names, beside the timer's command`()
    throws
  {
    for name in ["20-b", "10-a", "30-c"] {
      try add(
        "paused.d/\(name)", "echo \(name) $NIGHTJAR_NAME $NIGHTJAR_EVENT $MINE >>\(rig.path)/ran")
    }
    for other in [".hidden", "backup~", "15-folder/a"] {
      try add("paused.d/\(other)", "echo \(other) >>\(rig.path)/ran")
    }
    try add("paused.d/readme", "echo readme >>\(rig.path)/ran", mode: 0o644)
    let daemon = try rig.actingDaemon()
    try daemon.start("tea", usec: hour, shell: "echo own $MINE >>\(rig.path)/ran") { timer in
      timer.ring?.on = [.paused]
      timer.ring?.environment = ["MINE": "mine"]
    }
    _ = try daemon.connect().timer(.perform(.pause, name: "tea"))
    let ends = try awaitEnds(4, of: daemon)
    #expect(Set(ends.map(\.command)).contains("hook paused.d/10-a"))
    #expect(
      try Set(rig.lines(of: "ran")) == [
        "own mine", "10-a tea paused mine", "20-b tea paused mine", "30-c tea paused mine",
      ])
    let started = try daemon.settledLedger().filter { $0.type == .actionStarted }
    #expect(started.dropFirst().map { $0.command?.suffix(4) } == ["10-a", "20-b", "30-c"])
    // All of them for one event, once each.
    #expect(Set(started.map(\.eventSeq)).count == 1)
  }

  @Test func `Events of the machine have hooks too, with their details`() throws {
    let script = "echo $NIGHTJAR_EVENT $NIGHTJAR_CAUSES \"$NIGHTJAR_JSON\" >>\(rig.path)/ran"
    for type in ["did_enter_background", "will_enter_foreground"] { try add("\(type).d/a", script) }
    let daemon = try rig.actingDaemon()
    try daemon.stop()
    try daemon.proceed()
    let ends = try awaitEnds(2, of: daemon)
    #expect(ends.allSatisfy { $0.end == "exited 0" && $0.name == nil })
    let ran = try rig.lines(of: "ran").sorted()
    #expect(ran.count == 2 && ran[0].hasPrefix("did_enter_background stop {"))
    #expect(ran[1].hasPrefix("will_enter_foreground stop {"))
    #expect(try JSONValue.parse(String(ran[1].drop { $0 != "{" }))["span"]?["causes"] == ["stop"])
    // The hook of an event that ended the last run is run by the next.
    try daemon.terminate()
    let next = try rig.actingDaemon()
    _ = try awaitEnds(4, of: next)
    #expect(try rig.lines(of: "ran").count { $0.hasPrefix("did_enter_background down") } == 1)
  }

  @Test func `A hook that is added, changed or removed meanwhile counts at once`() throws {
    let daemon = try rig.actingDaemon()
    let client = try daemon.connect()
    func pauseUntil(_ line: String) throws {
      try awaitTrue("\(line) never ran") {
        _ = try client.timer(.start(name: "tea", durationUsec: hour, replace: true))
        _ = try client.timer(.perform(.pause, name: "tea"))
        return try rig.lines(of: "ran").last == line
      }
    }
    try add("paused.d/a", "echo first >>\(rig.path)/ran")
    try pauseUntil("first")
    try add("paused.d/a", "echo second >>\(rig.path)/ran")
    try pauseUntil("second")
    try add("resumed.d/a", "echo third >>\(rig.path)/ran")
    try FileManager.default.removeItem(atPath: "\(folder)/hooks/paused.d/a")
    // Soon an event calls for the hook that was added, and no longer for the removed one.
    try awaitTrue("the removed hook is called") {
      let mark = try daemon.settledLedger().last?.seq ?? 0
      _ = try client.timer(.perform(.resume, name: "tea"))
      _ = try client.timer(.perform(.pause, name: "tea"))
      let started = try daemon.settledLedger().filter { $0.type == .actionStarted }
      return started.filter { $0.eventSeq ?? 0 > mark }.map(\.command) == ["hook resumed.d/a"]
    }
    try awaitTrue("the hook that was added does not run") {
      try rig.lines(of: "ran").last == "third"
    }
  }

  @Test func `A hook that hangs delays neither other hooks nor timers' own commands`() throws {
    try add("started.d/hang", rig.untilGo)
    try add("started.d/quick", "echo $NIGHTJAR_NAME >>\(rig.path)/ran")
    let daemon = try rig.actingDaemon()
    for name in ["a", "b", "c"] { try daemon.start(name, running: ["true"]) }
    let ends = try awaitEnds(6, of: daemon)
    #expect(ends.allSatisfy { $0.end == "exited 0" })
    #expect(try rig.lines(of: "ran") == ["a", "b", "c"])
    #expect(try daemon.children == 1)
    #expect(try daemon.unfinished(rig).split(separator: "\n").count == 3)
  }

  @Test func `A daemon without hooks does not look for hooks at an event`() throws {
    /// How often a daemon looked into the folder of the configuration, from its start to its end.
    func looks(whileItChanges changes: Int) throws -> Int {
      let trace = "\(rig.path)/trace-\(changes)"
      let daemon = try rig.actingDaemon {
        $0.wrapper = ["strace", "-D", "-f", "-q", "-e", "trace=%file", "-o", trace]
      }
      let client = try daemon.connect()
      let name = "mark/\(changes)"
      try client.start(name, usec: hour)
      for _ in 0..<changes {
        _ = try client.timer(.perform(.pause, name: name))
        _ = try client.timer(.perform(.resume, name: name))
      }
      try daemon.terminate()
      try rig.awaitFile("trace-\(changes)", "+++ exited")
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      return lines.count { $0.contains("hooks") }
    }
    let usual = try looks(whileItChanges: 0)
    #expect(usual > 0)
    #expect(try looks(whileItChanges: 50) == usual)
  }

  /// A user has 128 inotify instances, and other programs may have them all.
  @Test func `Without inotify the daemon starts, warns, and runs the hooks that it found`() throws {
    try add("paused.d/hook", "echo hook >>\(rig.path)/ran")
    let exhausted = "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\""
    let daemon = try rig.actingDaemon {
      $0.wrapper = ["unshare", "--user", "--map-root-user", "/bin/sh", "-c", exhausted]
    }
    let sentences = daemon.process.lines
    for words in ["changes of hooks are noticed late", "changes of the time zone go unseen"] {
      try sentences.pick(words) { $0.contains(words) && $0.contains("Too many open files") }
    }
    try daemon.start("tea", usec: hour, shell: "true")
    let client = try daemon.connect()
    _ = try client.timer(.perform(.pause, name: "tea"))
    _ = try awaitEnds(1, of: daemon)
    #expect(try rig.lines(of: "ran") == ["hook"])
    // The daemon reads the folders each time it tries to watch them.
    try add("resumed.d/late", "echo late >>\(rig.path)/ran")
    try awaitTrue("the hook that was added does not run") {
      _ = try client.timer(.perform(.resume, name: "tea"))
      _ = try client.timer(.perform(.pause, name: "tea"))
      return try rig.lines(of: "ran").contains("late")
    }
    #expect(try instances(of: daemon) == 0)
    try rig.tool([
      "nsenter", "--target", "\(daemon.process.pid)", "--user", "--preserve-credentials",
      "/bin/sh", "-c", "echo 8 >/proc/sys/user/max_inotify_instances",
    ])
    try awaitTrue("the folders are not watched") { try instances(of: daemon) == 1 }
  }

  /// sd-event passes an event to every watch of a folder, also to one that was made later.
  @Test func `Many changes in a folder with two names are read at most five times a second`()
    throws
  {
    try add("paused.d/hook", "true")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/hooks/resumed.d", withDestinationPath: "paused.d")
    let trace = "\(rig.path)/trace"
    let daemon = try rig.actingDaemon {
      $0.wrapper = ["strace", "-D", "-f", "-q", "-e", "trace=openat", "-o", trace]
    }
    let startUsec = Now.boottimeUsec
    for number in 0..<20 { try add("paused.d/\(number)", "true") }
    try add("nothing.d/last", "true")
    try daemon.process.awaitLine("hooks/nothing.d is for no type of event")
    // Meanwhile the loop has time for all that it has to do.
    for _ in 0..<100 { _ = try daemon.status() }
    try daemon.terminate()
    try rig.awaitFile("trace", "+++ exited")
    let opened = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count {
      $0.contains("/hooks\"")
    }
    // A reading opens the folder three times: for a list, for the watch, and for the list after
    // that. One that finds a new type of event does so more often. Beside the readings of that
    // time, there are one at the start, the first after a change, and the last.
    let readings = (Now.boottimeUsec - startUsec) / (200 * millisecond) + 3
    #expect((2...4 * Int(readings)).contains(opened), "\(opened) times in \(readings) readings")
  }

  /// How many inotify instances a process has open.
  private func instances(of daemon: DaemonProcess) throws -> Int {
    let folder = "/proc/\(daemon.process.pid)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?
        .contains("inotify") == true
    }
  }
}
