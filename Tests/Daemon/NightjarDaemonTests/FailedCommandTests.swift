import Foundation
import NightjarClient
import NightjarModel
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
    try daemon.start(
      "bread", shell: "for n in 1 2 3 4; do echo line $n; done; echo lost >&2; exit 3")
    let end = try daemon.end(of: "bread")
    #expect(end.end == "exited 3" && end.lastLines == ["line 3", "line 4", "lost"])
    let failure = try #require(try daemon.connect().get("bread").failure)
    #expect(failure.outcome == .exited && failure.exitStatus == 3)
    #expect(failure.lastLines == end.lastLines && failure.eventSeq == end.eventSeq)
    #expect(try say("list").contains("command failed, exit status 3"))
    let shown = try say("show", "bread")
    #expect(shown.contains("exit 3: failed, exit status 3"), "\(shown)")
    #expect(shown.contains("Printed:") && shown.contains("lost"))
    #expect(shown.contains("NIGHTJAR_SEQ=\(try #require(end.eventSeq))"))
    #expect(try say("events", "--after", "0").contains("exit status 3: lost"))
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

  @Test func `The stored output of a command is bounded, escaped, and only its end`() throws {
    let long = String(repeating: "ä", count: 300)
    let shell = """
      head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; printf '\\033[31mred\\033[0m\\tone\\n'
      printf '10 %%\\r20 %%\\r\\n'; printf '\(long)\\033]0;title\\007\\n'; exit 1
      """
    try daemon.start("loud", shell: shell)
    let lines = try daemon.end(of: "loud").lastLines
    #expect(lines.count == 3 && lines.first == "red one" && lines.dropFirst().first == "20 %")
    let last = try #require(lines.last)
    #expect(last.utf8.count <= Limits.lastLineBytes && last.hasPrefix("ää") && last.hasSuffix("ä…"))
  }

  @Test func `Dismiss on a running timer ends a failure that came after its ring`() throws {
    try daemon.start("tick", usec: hour, shell: "exit 4") { $0.ring?.on = [.started] }
    _ = try daemon.end(of: "tick")
    let client = try daemon.connect()
    #expect(try client.get("tick").failure?.exitStatus == 4)
    let dismissed = try client.timer(.perform(.dismiss, name: "tick"))
    #expect(dismissed.state == .running && dismissed.failure == nil)
    // Nothing is left to dismiss.
    #expect(
      try client.refusal(of: .perform(.dismiss, name: "tick"))
        == .invalidTransition(
          name: "tick", kind: "countdown", state: "running", ringing: nil, operation: "dismiss",
          possible: ["pause", "cancel", "restart", "extend", "stop", "remove", "update"]))
  }

  @Test func `A snooze does not clear the failure of a command`() throws {
    let client = try daemon.connect()
    try daemon.start("egg", usec: 1_000, shell: "exit 4")
    _ = try daemon.end(of: "egg")
    let snoozed = try client.timer(.snooze(name: "egg", byUsec: hour))
    #expect(snoozed.ringing == .snoozed && snoozed.failure?.exitStatus == 4)
  }

  @Test func `The end of a command whose timer was renamed is reported with the new name`() throws {
    let gate = "\(rig.path)/gate"
    let shell = "until test -e '\(gate)'; do sleep 0.01; done; exit 3"
    try daemon.start("tea", usec: hour, shell: shell) { $0.ring?.on = [.started] }
    let client = try daemon.connect()
    _ = try daemon.events(after: 0).event { $0.type == .actionStarted && $0.name == "tea" }
    _ = try client.timer(.rename(name: "tea", newName: "egg"))
    try Data().write(to: URL(filePath: gate))
    _ = try daemon.end(of: "egg")
    #expect(try client.get("egg").failure?.exitStatus == 3)
  }
}
