import NightjarTestSupport
import NightjarVarlink
import Testing

@Suite(.blocking) struct RingWarningTests {
  private static let warning =
    "this machine would neither show nor play its ring: no session bus; no player; nightjar doctor "
    + "says what helps\n"
  private static let nothing: JSONValue = [
    "seen": false, "heard": false, "reason": "no session bus; no player",
  ]

  /// What a start prints on a terminal after the line about the timer.
  ///
  /// - Parameters:
  ///   - ring: the ring in the daemon's status.
  ///   - more: further members of the timer that the daemon returns.
  private func remark(
    _ ring: JSONValue, _ more: JSONValue = [:], kind: String = "countdown",
    _ arguments: String...
  ) throws -> String {
    let fixture = try Fixture { request, nowUsec in
      switch request.method {
      case "Status":
        let members = Samples.status(nowUsec: nowUsec).objectValue ?? []
        return [
          .reply(.object(members.filter { $0.key != "ring" } + [.init("ring", ring)]))
        ]
      case "Start":
        let entry = FakeTimers.Entry(name: "tea", kind: kind, more: more)
        let timer = FakeTimers(nowUsec: nowUsec).json(entry)
        return [.reply(["timer": timer, "created": true])]
      default: return nil
      }
    }
    let words = arguments.isEmpty ? ["start", "tea", "4min"] : arguments
    let result = try fixture.runner.runOnTerminal(words, typing: "")
    #expect(result.status == 0, "\(result)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("tea: ") == true, "\(result)")
    return lines.dropFirst().joined(separator: "\n")
  }

  @Test func `A start on a terminal warns if the machine cannot show or play the ring`()
    throws
  {
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
        "seen": false, "heard": false,
        "reason": "the configuration says notify = false; the configuration says sound = false",
      ],
      [
        "seen": false, "heard": false,
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
}
