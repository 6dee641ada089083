import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct RingWarningTests {
  private static let warning =
    "this machine would neither show nor play its ring: no session bus; no player; nightjar doctor "
    + "says what helps\n"
  private static let nothing: JSONValue = [
    "seen": false, "heard": false, "unseen": "missing", "unheard": "missing",
    "reason": "no session bus; no player",
  ]

  /// What a start prints on a terminal after the line about the timer.
  ///
  /// - Parameters:
  ///   - ring: the ring in the daemon's status.
  ///   - more: further members of the timer that the daemon returns.
  private func remark(
    _ ring: JSONValue, _ more: JSONValue = [:], kind: String = "countdown", _ arguments: String...
  ) throws -> String {
    let fixture = try Fixture(status: ["ring": ring]) { request, nowUsec in
      guard request.method == "Start" else { return nil }
      let entry = FakeTimers.Entry(name: "tea", kind: kind, more: more)
      return [.reply(["timer": FakeTimers(nowUsec: nowUsec).json(entry), "created": true])]
    }
    let words = arguments.isEmpty ? ["start", "tea", "4min"] : arguments
    let result = try fixture.runner.runOnTerminal(words, typing: "")
    #expect(result.status == 0, "\(result)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("tea: ") == true, "\(result)")
    return lines.dropFirst().joined(separator: "\n")
  }

  @Test func `A start on a terminal warns if the machine cannot show or play the ring`() throws {
    #expect(try remark(Self.nothing) == Self.warning)
    let alarm = try remark(Self.nothing, [:], kind: "countdown", "alarm", "tea", "in 4 minutes")
    #expect(alarm == Self.warning)
    // A silent timer whose popup cannot be shown.
    let heard: JSONValue = ["seen": false, "heard": true, "reason": "no session bus; no player"]
    #expect(try remark(heard, ["ring": ["silent": true]]) == Self.warning)
  }

  @Test(
    arguments: [
      ["seen": true, "heard": true], ["seen": true, "heard": false, "reason": "no player"],
      ["seen": false, "heard": true, "reason": "no session bus"],
      [
        "seen": false, "heard": false, "unseen": "off", "unheard": "off",
        "reason": "the configuration says notify = false; the configuration says sound = false",
      ],
      [
        "seen": false, "heard": false, "unseen": "asking", "unheard": "missing",
        "reason": "the session bus is still being asked for a notification server; no player",
      ],
    ] as [JSONValue])
  func `It does not warn if the ring is seen or heard, turned off, or not known yet`(
    ring: JSONValue
  ) throws {
    #expect(try remark(ring) == "")
  }

  @Test func `It does not warn about a timer that runs a command, or a stopwatch`() throws {
    #expect(try remark(Self.nothing, ["ring": ["exec": ["/bin/true"]]]) == "")
    #expect(try remark(Self.nothing, [:], kind: "stopwatch", "stopwatch", "tea") == "")
  }

  @Test func `A script gets no warning, and asks nothing more of the daemon`() throws {
    let fixture = try Fixture()
    #expect(try fixture.run("start", "tea", "4min").status == 0)
    #expect(fixture.methods == ["Start"])
  }

  // MARK: Once

  private static let heard: JSONValue = [
    "seen": false, "heard": true, "unseen": "missing", "reason": "no session bus",
  ]
  private static let fine: JSONValue = ["seen": true, "heard": true]

  /// A daemon whose status changes in the course of a test.
  private struct Changing {
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
          let isSilent = request.parameters["ring"]?["silent"]?.boolValue ?? false
          let entry = FakeTimers.Entry(name: "tea", more: ["ring": ["silent": .bool(isSilent)]])
          return [.reply(["timer": FakeTimers(nowUsec: nowUsec).json(entry), "created": true])]
        default: return nil
        }
      }
    }

    /// Whether a start warns while the daemon reports this about a ring.
    func warns(
      _ ring: JSONValue, boot: String = "one", silently isSilent: Bool = false
    ) throws -> Bool {
      reports(ring, boot: boot)
      let words = ["start", "tea", "4min"] + (isSilent ? ["--silent"] : [])
      let result = try fixture.runner.runOnTerminal(words, typing: "")
      #expect(result.status == 0, "\(result)")
      return result.output.contains("neither show nor play")
    }

    func reports(_ ring: JSONValue, boot: String = "one") {
      let clocks = Samples.status(nowUsec: 0)["clocks"]?.setting("boot_id", .string(boot))
      report.members.withLock { $0 = .members([("ring", ring), ("clocks", clocks)]) }
    }
  }

  @Test func `The warning comes once for each state of affairs`() throws {
    let daemon = try Changing()
    let other: JSONValue = [
      "seen": false, "heard": false, "unseen": "missing", "unheard": "failing",
      "reason": "no session bus; paplay failed",
    ]
    let undecided: JSONValue = [
      "seen": false, "heard": false, "unseen": "asking", "unheard": "missing",
      "reason": "the session bus is still being asked for a notification server; no player",
    ]
    for (ring, boot, warns) in [
      (Self.nothing, "one", true), (Self.nothing, "one", false),
      // A daemon that has just started does not know yet.
      (undecided, "one", false), (Self.nothing, "one", false),
      (other, "one", true), (other, "one", false),
      (Self.nothing, "one", true), (Self.nothing, "one", false),
      // After a restart of the machine.
      (Self.nothing, "two", true), (Self.nothing, "two", false),
    ] {
      #expect(try daemon.warns(ring, boot: boot) == warns, "\(ring.text)")
    }
  }

  @Test func `The warning comes again if a ring could be noticed in between`() throws {
    let daemon = try Changing()
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
    #expect(try !daemon.warns(Self.nothing))
  }

  @Test func `A silent timer is warned about once, whatever other timers are started between`()
    throws
  {
    let daemon = try Changing()
    #expect(try daemon.warns(Self.heard, silently: true))
    #expect(try !daemon.warns(Self.heard))
    #expect(try !daemon.warns(Self.heard, silently: true))
  }

  @Test func `If it cannot be stored that the user was warned, each start warns`() throws {
    let daemon = try Changing()
    let note = "\(daemon.fixture.daemon.path).warned"
    try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
    for _ in 1...2 { #expect(try daemon.warns(Self.nothing)) }
    try FileManager.default.removeItem(atPath: note)
    #expect(try daemon.warns(Self.nothing))
    #expect(try !daemon.warns(Self.nothing))
  }

  @Test func `Two starts at once both succeed, and the next does not warn`() throws {
    let daemon = try Changing()
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
