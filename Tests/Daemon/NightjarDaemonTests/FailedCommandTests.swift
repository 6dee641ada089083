import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A command that fails or runs out of time is reported by its event, and with its timer until the
/// user dismisses it.
@Suite(.blocking) struct FailedCommandTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  /// The output of `nightjar`.
  private func say(_ arguments: String..., by daemon: DaemonProcess? = nil) throws -> String {
    let process = try rig.start(
      [try Binaries.nightjar()] + arguments, environment: (daemon ?? self.daemon).clientEnvironment)
    #expect(try process.awaitEnd() == .exited(0))
    return process.lines.all.joined(separator: "\n")
  }

  @Test func `A failed command is in list and show until its timer is dismissed`() throws {
    // Only the first thousand lines are logged.
    try daemon.start("bread", shell: "seq 9999; echo lost >&2; exit 3")
    let end = try daemon.end(of: "bread")
    #expect(end.end == "exited 3" && end.lastLines == ["9998", "9999", "lost"])
    let seq = try #require(end.eventSeq)
    let client = try daemon.connect()
    let failure = try #require(try client.get("bread").failure)
    #expect(failure.outcome == .exited && failure.exitStatus == 3)
    #expect(failure.lastLines == end.lastLines && failure.eventSeq == seq)
    #expect(try say("list").contains("command failed, exit status 3"))
    let shown = try say("show", "bread")
    for words in ["exit 3: failed, exit status 3", "Printed:", "lost", "NIGHTJAR_SEQ=\(seq)"] {
      #expect(shown.contains(words), "\(shown)")
    }
    #expect(try say("events", "--after", "0").contains("exit status 3: lost"))
    let snoozed = try client.timer(.snooze(name: "bread", byUsec: hour))
    #expect(snoozed.ringing == .snoozed && snoozed.failure == failure)
    _ = try say("dismiss", "bread")
    #expect(try say("list").contains("command") == false)
  }

  @Test func `A command that ran out of time is reported, also by the next daemon`() throws {
    try daemon.start("slow", shell: "echo begun; sleep 1000") {
      $0.ring?.timeoutUsec = 2 * second
    }
    #expect(try daemon.end(of: "slow").end == "timed_out")
    let before = try #require(try daemon.connect().get("slow").failure)
    #expect(before.lastLines == ["begun"])
    try daemon.crash()
    let next = try rig.actingDaemon()
    #expect(try next.connect().get("slow").failure == before)
    #expect(try say("list", by: next).contains("command took too long, and was ended"))
  }

  @Test func `The end of a command whose timer was renamed is reported with the new name`() throws {
    try daemon.start("tea", on: [.started], shell: "\(rig.untilGo); exit 3")
    let client = try daemon.connect()
    _ = try daemon.events(after: 0).event { $0.type == .actionStarted && $0.name == "tea" }
    _ = try client.timer(.rename(name: "tea", newName: "egg"))
    try rig.go()
    _ = try daemon.end(of: "egg")
    #expect(try client.get("egg").failure?.exitStatus == 3)
  }
}
