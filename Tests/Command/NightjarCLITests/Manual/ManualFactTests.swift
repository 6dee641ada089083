import Foundation
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The output and the exit codes of commands: each field, line and status is on the manual page.
@Suite(.blocking) struct ManualFactTests {
  private func section(_ title: String, of name: String) throws -> ManualPage.Section {
    let page = try #require(ManualPage.named("nightjar-\(name).1"))
    return try #require(page.section(title), "\(name) has no \(title)")
  }

  /// The terms that a section explains.
  private func terms(_ title: String, of name: String, _ macro: String = "Cm") throws -> Set<String>
  {
    Set(try section(title, of: name).terms(macro))
  }

  /// The keys of objects at any depth, except those that the user chooses.
  private func keys(_ value: JSONValue) -> Set<String> {
    var found: Set<String> = []
    for member in value.objectValue ?? [] {
      found.insert(member.key)
      if member.key != "labels" { found.formUnion(keys(member.value)) }
    }
    for element in value.arrayValue ?? [] { found.formUnion(keys(element)) }
    return found
  }

  private func keys(_ result: CommandRunner.Result) throws -> Set<String> {
    let lines = result.output.split(separator: "\n")
    #expect(!lines.isEmpty, "\(result)")
    return try lines.reduce(into: []) { $0.formUnion(keys(try JSONValue.parse(String($1)))) }
  }

  @Test func `The fields of runs and totals are on the page of history`() throws {
    let clock = Noon()
    let minute = LedgerScript.minute
    var ledger = LedgerScript()
    ledger.start("tea", at: clock.nowUsec - 60 * minute, for: 4 * minute, labels: ["kind": "drink"])
    ledger.add(
      "rang", "tea", at: clock.nowUsec - 30 * minute, counted: 4 * minute,
      ["late_usec": 1, "late_cause": "sleep"])
    ledger.add("paused", "old", at: clock.nowUsec - 20 * minute)
    let fixture = try ledger.fixture([.init(name: "old", state: "paused", id: 0)], at: clock)
    let runs = try keys(try fixture.run("history", "--json"))
    let totals = try keys(try fixture.run("history", "--totals", "--json"))
    let labels = try keys(try fixture.run("history", "--totals", "kind", "--json"))
    let known = try terms("JSON", of: "history")
    #expect(runs.union(totals).union(labels).subtracting(known).isEmpty)
    // Fields that do not occur with this ledger.
    let rest: Set<String> = ["cut", "break_usec", "steps", "break", "step"]
    #expect(known.subtracting(runs.union(totals).union(labels)).isSubset(of: rest))
  }

  @Test func `The fields of findings are on the page of doctor`() throws {
    let found = try keys(try CommandRunner(socket: "/nowhere/socket").run("doctor", "--json"))
    // Its values are among the words there.
    let values: Set<String> = ["socket", "sleep_inhibitor", "advice", "fault"]
    #expect(try terms("JSON", of: "doctor").subtracting(values) == found)
  }

  @Test func `The fields of what analyze and rehearse print are on their pages`() throws {
    let runner = try CommandRunner()
    var found = try [
      "timespan 1h", "timestamp tomorrow", "calendar daily", "phrase daily 9:00", "phrase 9:30",
    ]
    .reduce(into: Set<String>()) {
      $0.formUnion(
        try keys(
          try runner.run(["analyze"] + $1.split(separator: " ").map(String.init) + ["--json"])))
    }
    #expect(found == (try terms("JSON", of: "analyze")))
    let script = "\(runner.folder.path)/script"
    try Data("start tea 1s --exec true\nwait 2s\nreboot 1min --clock-off -3h\nlist\n".utf8).write(
      to: URL(fileURLWithPath: script))
    let lines = try runner.run("rehearse", script, "--json").output.split(separator: "\n")
    found = try lines.reduce(into: []) { found, line in
      for member in try JSONValue.parse(String(line)).objectValue ?? [] {
        found.insert(member.key)
        if ["command", "machine"].contains(member.key) { found.formUnion(keys(member.value)) }
      }
    }
    #expect(found == (try terms("JSON", of: "rehearse")))
  }

  @Test func `The fields of a bar's object are on the page of watch`() throws {
    let known = try terms("JSON", of: "watch")
    let source = try Documentation.text(of: "Sources/Command/nightjar/Watching/BarLine.swift")
    let start = try #require(source.firstRange(of: "private var json: JSONValue"))
    let end = try #require(source[start.upperBound...].firstRange(of: "\n  }\n"))
    let written = source[start.upperBound..<end.lowerBound].matches(of: #/\(\s*"([a-z_]+)",\s/#)
    #expect(written.count > 8 && Set(written.map { String($0.1) }) == known)
  }

  @Test func `The fields of a template are on the page of watch`() throws {
    let known = try terms("TEMPLATE", of: "watch").subtracting(["labels.KEY"])
    #expect(known == Set(BarTemplate.Field.allCases.map(\.rawValue)))
  }

  @Test func `Each line of status is on its page`() throws {
    let source = try Documentation.text(of: "Sources/Command/nightjar/Text/StatusText.swift")
    let labels = Set(source.matches(of: #/\("([A-Z][a-z ]+)", /#).map { String($0.1) })
    #expect(labels.count > 10)
    #expect(labels == (try terms("DESCRIPTION", of: "status", "Sy")))
  }

  @Test func `The statuses of a watch of nothing and of refused lines are on their pages`() throws {
    let fixture = try Fixture(Fixture.four)
    for (arguments, status) in [
      (["watch", "nosuch"], 3), (["rehearse", "refused"], 1), (["rehearse", "missing"], 3),
    ] as [([String], Int32)] {
      let script = arguments[1] == "refused" ? "start a 1h\nstart a 1h\n" : "pause nosuch\n"
      let path = "\(fixture.runner.folder.path)/\(arguments[1])"
      try Data(script.utf8).write(to: URL(fileURLWithPath: path))
      let words = arguments[0] == "rehearse" ? ["rehearse", path] : arguments
      #expect(try fixture.runner.run(words).status == status)
      let known = try section("EXIT STATUS", of: arguments[0]).blocks.flatMap(\.terms).map(\.plain)
      #expect(known.contains("\(status)"), "\(arguments[0]) \(known)")
    }
  }

  @Test func `A timer that an undo brings back after its time rings as the page says`() throws {
    // The undo comes 20 s after the time of a timer with this policy.
    let outcomes: [(late: String, term: String, rings: Bool)] = [
      ("", "fire", true), ("--late fire", "fire", true),
      ("--late 30s", "SPAN", true), ("--late 10s", "SPAN", false), ("--late skip", "skip", false),
    ]
    let timers = [
      ("start tea 4min", "cancel tea"), ("start tea 4min", "remove tea"),
      ("start tea 4min", "extend tea 5min"), ("start tea 4min --clock awake", "pause tea"),
      ("start tea 4min --repeat", "stop tea"), ("alarm tea 12:04", "pause tea"),
      ("alarm tea daily 12:04", "skip tea"), ("sequence tea work=4min rest=5min", "pause tea"),
      ("sequence tea work=4min rest=5min --wait", "restart tea"),
    ]
    for outcome in outcomes {
      for (start, change) in timers {
        let sentences = try RehearsedScript().sentences(
          "at 2026-06-01 12:00 UTC\n\(start) \(outcome.late)\nwait 230s\n\(change)\nwait 30s\nundo\n"
        ).filter { $0.hasPrefix("+0:04:20 tea: ") && !$0.contains(": undone: ") }
        let silent = "+0:04:20 tea: did not ring, 20 s late: a change was undone"
        #expect(sentences.count == 1, "\(start) \(outcome): \(sentences)")
        #expect(
          (sentences.first?.hasPrefix(silent) != true) == outcome.rings,
          "\(start) \(outcome): \(sentences)")
        #expect(sentences.first?.contains(", 20 s late: a change was undone") == true)
      }
    }
    let entries = try section("DESCRIPTION", of: "undo").blocks.flatMap { block in
      if case .list(let entries) = block { entries } else { [] as [ManualBlock.Entry] }
    }
    let said = Dictionary(entries.map { ($0.term.plain, $0.text.plain) }) { $1 }
    for outcome in outcomes {
      let text = try #require(said[outcome.term], "\(said)")
      #expect(text.contains(outcome.rings ? "rings at once" : "does not ring"), "\(text)")
    }
    #expect(Set(said.keys) == Set(outcomes.map(\.term)))
  }
}
