import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct RingWarningTests {
  private static let nothing: JSONValue = [
    "seen": false, "heard": false, "unseen": "missing", "unheard": "missing",
    "reason": "no session bus; no player",
  ]
  private static let heard: JSONValue = [
    "seen": false, "heard": true, "unseen": "missing", "reason": "no session bus",
  ]
  private static let fine: JSONValue = ["seen": true, "heard": true]
  private static let undecided: JSONValue = [
    "seen": false, "heard": false, "unseen": "asking", "unheard": "missing",
    "reason": "the session bus is still being asked for a notification server; no player",
  ]

  /// A daemon whose status changes in the course of a test.
  private struct Daemon {
    /// The changes of the status.
    private final class Report: Sendable { let members = Mutex([:] as JSONValue) }

    let fixture: Fixture
    private let report = Report()

    init() throws {
      let report = report
      fixture = try Fixture { request, nowUsec in
        switch request.method {
        case "Status":
          let members = report.members.withLock { $0 }
          return [.reply(Samples.status(nowUsec: nowUsec).setting(all: members))]
        case "Start":
          let (asked, isStopwatch) = (request.parameters["ring"], request.parameters["stopwatch"])
          let ring = JSONValue.members([
            ("silent", asked?["silent"] ?? false), ("exec", asked?["exec"]),
          ])
          let entry = FakeTimers.Entry(
            name: "tea", kind: isStopwatch == true ? "stopwatch" : "countdown",
            more: ["ring": ring])
          return [.reply(["timer": FakeTimers(nowUsec: nowUsec).json(entry), "created": true])]
        default: return nil
        }
      }
    }

    /// Whether a start on a terminal warns while the daemon reports this about a ring.
    func warns(
      _ ring: JSONValue, boot: String = "one", _ words: String = "start tea 4min"
    ) throws -> Bool {
      reports(ring, boot: boot)
      let result = try fixture.runner.runOnTerminal(
        words.split(separator: " ").map(String.init), typing: "")
      let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(result.status == 0 && lines[0].hasPrefix("tea: "), "\(result)")
      let warning =
        "this machine would neither show nor play its ring: \(ring["reason"]?.stringValue ?? ""); "
        + "nightjar doctor says what helps\n"
      let remark = lines.dropFirst().joined(separator: "\n")
      #expect(["", warning].contains(remark))
      return !remark.isEmpty
    }

    func reports(_ ring: JSONValue, boot: String = "one") {
      let clocks = Samples.status(nowUsec: 0)["clocks"]?.setting("boot_id", .string(boot))
      report.members.withLock { $0 = .members([("ring", ring), ("clocks", clocks)]) }
    }
  }

  @Test func `It does not warn if the ring is seen or heard, turned off, or not known yet`() throws
  {
    let daemon = try Daemon()
    for ring in [
      Self.fine, ["seen": true, "heard": false, "reason": "no player"], Self.heard,
      [
        "seen": false, "heard": false, "unseen": "off", "unheard": "off",
        "reason": "the configuration says notify = false; the configuration says sound = false",
      ], Self.undecided,
    ] as [JSONValue] { #expect(try !daemon.warns(ring), "\(ring.text)") }
  }

  @Test func `It warns about an alarm, and not about a stopwatch or a timer that runs a command`()
    throws
  {
    let daemon = try Daemon()
    #expect(try !daemon.warns(Self.nothing, "start tea 4min --exec true"))
    #expect(try !daemon.warns(Self.nothing, "stopwatch tea"))
    #expect(try daemon.warns(Self.nothing, "alarm tea in 4 minutes"))
  }

  @Test func `The warning comes once for each state of affairs`() throws {
    let daemon = try Daemon()
    let other: JSONValue = [
      "seen": false, "heard": false, "unseen": "missing", "unheard": "failing",
      "reason": "no session bus; paplay failed",
    ]
    for (ring, boot, warns) in [
      (Self.nothing, "one", true), (Self.nothing, "one", false),
      // A daemon that has just started does not know yet.
      (Self.undecided, "one", false), (Self.nothing, "one", false),
      (other, "one", true), (other, "one", false),
      (Self.nothing, "one", true), (Self.nothing, "one", false),
      // After a restart of the machine.
      (Self.nothing, "two", true), (Self.nothing, "two", false),
    ] {
      #expect(try daemon.warns(ring, boot: boot) == warns, "\(ring.text)")
    }
  }

  @Test func `The warning comes again if a ring could be noticed in between`() throws {
    let daemon = try Daemon()
    for fine in [Self.fine, Self.heard] {
      #expect(try daemon.warns(Self.nothing))
      #expect(try !daemon.warns(fine))
    }
    // Other commands notice it, too.
    for command in ["status", "doctor"] {
      #expect(try daemon.warns(Self.nothing))
      daemon.reports(Self.fine)
      _ = try daemon.fixture.run(command)
    }
    #expect(try daemon.warns(Self.nothing))
  }

  @Test func `A silent timer is warned about once, whatever other timers are started between`()
    throws
  {
    let daemon = try Daemon()
    #expect(try daemon.warns(Self.heard, "start tea 4min --silent"))
    #expect(try !daemon.warns(Self.heard))
    #expect(try !daemon.warns(Self.heard, "start tea 4min --silent"))
  }

  @Test func `If it cannot be stored that the user was warned, each start warns`() throws {
    let daemon = try Daemon()
    let note = "\(daemon.fixture.daemon.path).warned"
    try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
    for _ in 1...2 { #expect(try daemon.warns(Self.nothing)) }
  }

  @Test func `Two starts at once both succeed, and the next does not warn`() throws {
    let daemon = try Daemon()
    daemon.reports(Self.nothing)
    let runner = daemon.fixture.runner
    let ends = Happenings<Int32>()
    for _ in 1...4 {
      Thread.detachNewThread {
        let result = try? runner.runOnTerminal(["start", "tea", "4min"], typing: "")
        ends.append(result?.status ?? -1)
      }
    }
    for _ in 1...4 { #expect(try ends.next("a start") { _ in true } == 0) }
    #expect(try !daemon.warns(Self.nothing))
  }
}
