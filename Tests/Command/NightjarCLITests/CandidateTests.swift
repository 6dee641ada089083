import NightjarTestSupport
import Testing
import Varlink

/// Commands without a name: they act on the only timer that can be meant.
@Suite(.blocking) struct CandidateTests {
  /// Of the four, `egg` rings, `tea` runs, `run/1/me` is paused, and `old` is cancelled.
  @Test(
    arguments: Row.table(
      """
      snooze 5min => egg: snoozed
      dismiss => egg: dismissed
      stop => egg:
      remove => egg: removed
      pause => tea: paused
      resume => run/1/me:
      """))
  func `The only timer in a fitting state needs no name, and the answer names it`(row: Row) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(row.words())
    let isTold = result.errors == "" && result.output.hasPrefix(row[1])
    #expect(result.status == 0 && isTold, "\(result)")
  }

  @Test func `What sounds comes before an unanswered ring, and that before a snoozed one`() throws {
    let rings = ["snoozed", "unanswered", "ringing"].map {
      FakeTimers.Entry(name: $0, state: "over", ringing: $0)
    }
    for count in 1...3 {
      let fixture = try Fixture(Array(rings.prefix(count)))
      #expect(try fixture.run("stop").output.hasPrefix("\(rings[count - 1].name): "))
    }
  }

  @Test(arguments: ["stop", "cancel", "remove"])
  func `A command that ends timers ends no timer that does not ring`(command: String) throws {
    let fixture = try Fixture([.init(name: "tea")])
    let advice = "so say which timer: nightjar \(command) NAME; there are tea"
    try fixture.check("$ \(command)\n64! nothing rings, \(advice)")
    #expect(fixture.methods == ["List"])
  }

  @Test func `Several candidates are listed, and without one the command says so`() throws {
    let two = try Fixture([.init(name: "tea"), .init(name: "my egg")])
    try two.check("$ pause\n64! say which timer: nightjar pause NAME; there are 'my egg', tea")
    #expect(two.methods == ["List"])
    let none = try Fixture([.init(name: "old", state: "cancelled")])
    let refusal = "there is no timer to pause; see nightjar list"
    try none.check("$ pause\n3! \(refusal)\n$ snooze\n1! nothing rings")
  }

  @Test(
    arguments: [
      ("\r", "my egg"), ("\u{1B}[B\r", "tea"), ("\u{1B}[B\u{1B}[A\r", "my egg"), ("te\r", "tea"),
      ("tex\u{7F}\r", "tea"), ("\u{1B}", nil), ("zz\r\u{1B}", nil),
    ] as [(String, String?)])
  func `On a terminal the user chooses one with the arrows, or types a part of its name`(
    keys: String, chosen: String?
  ) throws {
    let fixture = try Fixture([.init(name: "tea"), .init(name: "my egg")])
    let result = try fixture.runner.runOnTerminal(["pause"], typing: keys)
    let paused = fixture.daemon.requests.filter { $0.method == "Pause" }
    #expect(paused.map { $0.parameters["name"]?.stringValue } == (chosen.map { [$0] } ?? []))
    #expect(result.status == (chosen == nil ? 1 : 0), "\(result)")
  }
}
