import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

@Suite(.blocking) struct StartTests {
  @Test func `A name alone starts a countdown as long as the last one of that name`() throws {
    let noon = Noon()
    let ledger = try LedgerScript(
      on: noon.midnightUsec,
      """
      11:51 tea started for=5min
      11:52 tea started for=3min
      11:53 tea cancelled
      11:59 up started kind=alarm
      12:00 up removed
      """)
    try ledger.fixture(at: noon).check(
      """
      $ start tea
      tea: 3 min, rings at 12:03:00 (as long as last time)
      $ start up --label a=b
      64! how long? no last duration of 'up' is known; write nightjar start up 4min
      """)
    let there = try ledger.fixture([.init(name: "tea", state: "cancelled")], at: noon)
    #expect(
      try there.run("start", "--name", "tea", "--repeat").output
        .hasSuffix("(as long as last time)\n"))
    #expect(try there.sent("Start")["repeat"] != nil)
  }

  @Test
  func `A comma is a decimal point where the user's locale writes it so, and nowhere else`() throws
  {
    var fixture = try Fixture()
    fixture.runner.environment["LC_ALL"] = nil
    fixture.runner.environment["LANG"] = "de_DE.UTF-8"
    try fixture.check("$ start tea 1,5h\ntea: 1 h 30 min, rings at 13:30:00")
    fixture.runner.environment["LC_NUMERIC"] = "C"
    #expect(try fixture.run("start", "egg", "1,5h").status == 64)
  }

  @Test func `Other programs' names of some commands are understood`() throws {
    let fixture = try Fixture(Fixture.four)
    #expect(try fixture.run("ls") == fixture.run("list"))
    #expect(try fixture.run("version") == fixture.run("--version"))
    #expect(try fixture.run("help", "rm") == fixture.run("help", "remove"))
    for (word, name) in [("rm", "tea"), ("del", "egg"), ("delete", "old")] {
      #expect(try fixture.run(word, name).status == 0)
    }
    #expect(fixture.methods.suffix(3) == ["Remove", "Remove", "Remove"])
  }

  @Test func `The words after -- are the command`() throws {
    let fixture = try Fixture()
    let result = try fixture.run(
      "start", "job", "1h", "--silent", "--", "touch", "a b", "--x", "$y")
    #expect(result.status == 0, "\(result)")
    let ring = try #require(fixture.daemon.requests.first).parameters["ring"]
    #expect(ring?["exec"] == ["touch", "a b", "--x", "$y"])
    #expect(try fixture.run("1h", "--", "true").status == 0)
    for (kind, words) in [("alarm", ["b", "+1h"]), ("sequence", ["c", "work=25min"])] {
      #expect(try fixture.runner.run([kind] + words + ["--", "true"]).status == 0)
      #expect(fixture.daemon.requests.last?.parameters["ring"]?["exec"] == ["true"])
    }
    #expect(
      try fixture.run("start", "job", "1h", "--exec", "a", "--", "b").errors
        == "nightjar: give a command after --, or --exec, not both\n")
  }

  @Test(
    arguments: Row.table(
      """
      4min => a: 4 min, rings at 12:04:00
      add tea 4mins => tea: 4 min, rings at 12:04:00
      start --name monday 9h30 => monday: 9 h 30 min, rings at 21:30:00
      start tea 1:30 => tea: 1 min 30 s, rings at 12:01:30 (1:30 means minutes:seconds: 1 min 30 s)
      start tea 120 => tea: 2 min, rings at 12:02:00 (120 means seconds: 2 min)
      """))
  func `A start is answered by how it was understood, and explains numbers`(row: Row) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(row.words()) == .init(0, "\(row[1])\n"))
  }

  @Test func `The answer says the date of a ring on another day, and that awake may ring later`()
    throws
  {
    let fixture = try Fixture()
    try fixture.check(
      """
      $ start bread 2d
      bread: 2 d, rings \(fixture.noon.date(daysLater: 2)) 12:00:00
      $ start tea 4min --clock awake --label k=v --label a=b=c --data '{"x": 1.5}'
      tea: 4 min, rings at 12:04:00, if awake until then
      """)
    #expect(
      try fixture.sent("Start") == [
        "name": "tea", "duration_usec": 240_000_000, "clock": "awake",
        "labels": ["k": "v", "a": "b=c"], "data": ["x": 1.5],
      ])
  }

  @Test func `--json prints the daemon's own answer, on one line`() throws {
    let fixture = try Fixture()
    let result = try fixture.run("start", "tea", "4min", "--json")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(result.status == 0 && lines.count == 2 && lines[1].isEmpty, "\(result)")
    let reply = try JSONValue.parse(result.output)
    #expect(reply["created"] == true && reply["timer"]?["remaining_usec"] == 240_000_000)
  }

  @Test func `If a timer runs, a start is refused, leaves it with --if-absent, or replaces it`()
    throws
  {
    let fixture = try Fixture(Fixture.four)
    try fixture.check(
      """
      $ start tea 5min
      1! 'tea' is running, 03:12 left, rings at 12:03:11; use nightjar restart tea, nightjar extend \
      tea 5min, or nightjar start tea 5min --replace
      $ start run/1/me '1h 1s'
      1! 'run/1/me' is paused, 01:30:00 left; use nightjar restart run/1/me, nightjar extend \
      run/1/me '1h 1s', or nightjar start run/1/me '1h 1s' --replace
      $ start tea 5min --if-absent
      tea: left as it is, running, 03:12 left, rings at 12:03:11
      $ start tea 5min --replace
      tea: 5 min, rings at 12:05:00
      """)
    // A length in words is extended by one with units.
    for (typed, span) in [("four minutes", "4min"), ("an hour and a half", "1h30min")] {
      let refused = try fixture.run("start", "tea", typed).errors
      #expect(refused.contains(", nightjar extend tea \(span), or nightjar start "), "\(refused)")
      #expect(try fixture.run("extend", "tea", span).status == 0)
    }
  }

  @Test func `--replace says what the replaced timer had`() throws {
    let more: JSONValue = [
      "message": "Up", "ring": ["sound": "chime", "volume": 40, "insist_usec": 300_000_000],
    ]
    let start = "$ start wake 5min --replace\nwake: 5 min, rings at 12:05:00"
    let had =
      "\nwake: the alarm that it replaced had --message, --sound, --volume and --insist; nightjar "
      + "undo brings that back"
    for (state, loss) in [("running", had), ("fired", "")] {
      let entry = FakeTimers.Entry(
        name: "wake", state: state, clock: "wall", kind: "alarm", more: more)
      try Fixture([entry]).check(start + loss)
    }
  }

  @Test(
    arguments: Row.table(
      """
      start tea 0 => '0' is no time at all; write one such as 4min
      start tea 4min --label x => a label is written key=value, not 'x'
      start tea 4min --label a=1 --label a=2 => the label 'a' is given twice
      start tea 4min --data { => --data is no JSON: at byte 1: the text ends too early
      start tea 4min --replace --if-absent => give --replace or --if-absent, not both
      strat => no command is called 'strat'; did you mean 'start'?
      a//b => no command is called 'a//b'
      @laptop pause tea => a rehearsal asks no daemon: leave out @laptop
      """))
  func `A start that makes no sense is refused in one sentence`(row: Row) throws {
    let error = #expect(throws: CommandError.self) {
      _ = try ScriptedCommand(row.words(), at: .here)
    }
    #expect(error?.status == .usage && error?.message.description == row[1])
  }

  @Test func `On a terminal M asks whether months are meant; only yes is yes`() throws {
    let question =
      "nightjar: 25M is months; for minutes write 25min. Is 760 d 22 h 30 min right? [y/N] "
    let fixture = try Fixture()
    let yes = try fixture.runner.runOnTerminal(["start", "tea", "25M"], typing: "y\n")
    #expect(yes.status == 0 && yes.output.contains(question), "\(yes)")
    #expect(fixture.methods.filter { $0 != "Status" } == ["Start"])
    let no = try fixture.runner.runOnTerminal(["start", "tea", "25M"], typing: "\n")
    let refusal = "nightjar: then write 25min\nSee nightjar.time(7): nightjar help time\n"
    #expect(no.status == 64 && no.output.hasSuffix(refusal), "\(no)")
    #expect(fixture.methods.filter { $0 != "Status" } == ["Start"])
  }

  @Test func `Options may precede the command, and a bare duration`() throws {
    var fixture = try Fixture()
    fixture.runner.environment["NIGHTJAR_SOCKET"] = nil
    let path = fixture.daemon.path
    #expect(try fixture.run("--socket", path, "start", "tea", "4min").status == 0)
    #expect(try fixture.run("--socket=\(path)", "5min").status == 0)
    #expect(
      try fixture.run("start", "egg", "5min", "--socket", path, "--json").output.hasPrefix("{"))
  }
}

extension Noon {
  /// The beginning of the day in the zone.
  var midnightUsec: Int64 { nowUsec - 12 * hour }

  /// `Tue 24 Nov`, with the year if it is another one than that of the other day, which is today if
  /// none is given.
  func date(daysLater days: Int64, seenFrom other: Int64 = 0) -> String {
    let isOfSameYear = formatted("yyyy", days) == formatted("yyyy", other)
    return formatted(isOfSameYear ? "EEE d MMM" : "EEE d MMM yyyy", days)
  }

  /// `2026-11-24`.
  func isoDate(daysLater days: Int64) -> String { formatted("yyyy-MM-dd", days) }

  /// By Foundation, not by the calendar that is tested. Noon in the zone is in the middle of its
  /// day, so its UTC day is the zone's day.
  private func formatted(_ format: String, _ days: Int64) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = format
    return formatter.string(
      from: Date(timeIntervalSince1970: TimeInterval(nowUsec / second + days * 86_400)))
  }
}
