import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct StartTests {
  @Test func `A start echoes how it was understood, and when it rings`() throws {
    let fixture = try Fixture()
    #expect(try fixture.run("start", "tea", "4min") == .init(0, "tea: 4 min, rings at 12:04:00\n"))
    let parameters = try #require(fixture.daemon.requests.first).parameters
    #expect(parameters == ["name": "tea", "duration_usec": 240_000_000])
  }

  @Test func `For an existing timer the advice is a command that works as it stands`() throws {
    for (typed, span) in [
      ("four minutes", "4min"), ("4min", "4min"), ("an hour and a half", "1h30min"),
    ] {
      let fixture = try Fixture([.init(name: "tea")])
      let refused = try fixture.run("start", "tea", typed).errors
      #expect(refused.contains(", nightjar extend tea \(span), or nightjar start "), "\(refused)")
      #expect(try fixture.run("extend", "tea", span).status == 0)
    }
  }

  @Test func `A name alone starts a countdown as long as the last one of that name`() throws {
    let noon = Noon()
    let minute = LedgerScript.minute
    var ledger = LedgerScript()
    ledger.start("tea", at: noon.nowUsec - 9 * minute, for: 5 * minute)
    ledger.start("tea", at: noon.nowUsec - 8 * minute, for: 3 * minute)
    ledger.add("cancelled", "tea", at: noon.nowUsec - 7 * minute)
    ledger.start("up", at: noon.nowUsec - minute, kind: "alarm")
    ledger.add("removed", "up", at: noon.nowUsec)
    let gone = try ledger.fixture(at: noon)
    #expect(
      try gone.run("start", "tea")
        == .init(0, "tea: 3 min, rings at 12:03:00 (as long as last time)\n"))
    #expect(
      try gone.run("start", "up", "--label", "a=b")
        == .sentence(
          64, "how long? no last duration of 'up' is known; write nightjar start up 4min"))
    let there = try ledger.fixture([.init(name: "tea", state: "cancelled")], at: noon)
    #expect(
      try there.run("start", "--name", "tea", "--repeat").output
        .hasSuffix("(as long as last time)\n"))
    let sent = try #require(there.daemon.requests.first { $0.method == "Start" })
    #expect(sent.parameters["repeat"] != nil)
  }

  @Test(
    arguments: [
      ("start 4min tea", "tea: 4 min, rings at 12:04:00"),
      ("4min tea", "tea: 4 min, rings at 12:04:00"),
      (["start", "1h", "30min", "my tea"], "my tea: 1 h 30 min, rings at 13:30:00"),
      ("start 1h 30min", "a: 1 h 30 min, rings at 13:30:00"),
      ("start focus 1h 30min", "focus: 1 h 30 min, rings at 13:30:00"),
      ("start tea half an hour", "tea: 30 min, rings at 12:30:00"),
      ("start half an hour tea", "tea: 30 min, rings at 12:30:00"),
      ("half an hour", "a: 30 min, rings at 12:30:00"),
      ("an hour", "a: 1 h, rings at 13:00:00"),
      ("start tea 1h30", "tea: 1 h 30 min, rings at 13:30:00"),
      ("start x13 for 5 minutes", "x13: 5 min, rings at 12:05:00"),
      ("start 5 minutes for tea", "tea: 5 min, rings at 12:05:00"),
      ("start --name tea for 5min", "tea: 5 min, rings at 12:05:00"),
      ("start tea 2 1/2 hours", "tea: 2 h 30 min, rings at 14:30:00"),
      ("start tea 90 min", "tea: 1 h 30 min, rings at 13:30:00"),
      ("start tea 5Mins", "tea: 5 min, rings at 12:05:00"),
      ("5Min", "a: 5 min, rings at 12:05:00"),
      ("add tea 4mins", "tea: 4 min, rings at 12:04:00"),
      ("start --name monday 9h30", "monday: 9 h 30 min, rings at 21:30:00"),
      (
        "start 1:30 tea",
        "tea: 1 min 30 s, rings at 12:01:30 (1:30 means minutes:seconds: 1 min 30 s)"
      ),
    ] as [(Words, String)])
  func `The name may follow the duration, and both may be written in words`(
    arguments: Words, echo: String
  ) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(arguments.list) == .init(0, "\(echo)\n"))
  }

  @Test
  func `A comma is a decimal point where the user's locale writes it so, and nowhere else`() throws
  {
    var fixture = try Fixture()
    fixture.runner.environment["LC_ALL"] = nil
    fixture.runner.environment["LANG"] = "de_DE.UTF-8"
    #expect(
      try fixture.run("start", "tea", "1,5h") == .init(0, "tea: 1 h 30 min, rings at 13:30:00\n"))
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

  @Test
  func `A duration alone starts a timer without a name, with and without the word start`() throws {
    let fixture = try Fixture()
    #expect(try fixture.run("4min") == .init(0, "a: 4 min, rings at 12:04:00\n"))
    #expect(fixture.daemon.requests[0].parameters == ["duration_usec": 240_000_000])
    let other = try Fixture()
    #expect(try other.run("1h", "30min") == .init(0, "a: 1 h 30 min, rings at 13:30:00\n"))
    let third = try Fixture()
    #expect(try third.run("start", "1.5h") == .init(0, "a: 1 h 30 min, rings at 13:30:00\n"))
  }

  @Test(
    arguments: [
      (
        "start tea 1:30",
        "tea: 1 min 30 s, rings at 12:01:30 (1:30 means minutes:seconds: 1 min 30 s)"
      ),
      (
        ["start", "tea", " 90:00 "],
        "tea: 1 h 30 min, rings at 13:30:00 (90:00 means minutes:seconds: 1 h 30 min)"
      ),
      (
        "start 10 1:30:00",
        "10: 1 h 30 min, rings at 13:30:00 (1:30:00 means hours:minutes:seconds: 1 h 30 min)"
      ),
      ("start tea 25m30s", "tea: 25 min 30 s, rings at 12:25:30"),
      ("start tea 120", "tea: 2 min, rings at 12:02:00 (120 means seconds: 2 min)"),
    ] as [(Words, String)])
  func `Clock notation and bare numbers are accepted, and the echo explains the numbers`(
    arguments: Words, echo: String
  ) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(arguments.list) == .init(0, "\(echo)\n"))
  }

  @Test func `A timer that rings on another day says the date`() throws {
    let fixture = try Fixture()
    let result = try fixture.run("start", "tea", "2d")
    let date = fixture.noon.date(daysLater: 2)
    #expect(result == .init(0, "tea: 2 d, rings \(date) 12:00:00\n"))
  }

  @Test func `A timer on awake time says that it may ring later`() throws {
    let fixture = try Fixture()
    #expect(
      try fixture.run("start", "tea", "4min", "--clock", "awake")
        == .init(0, "tea: 4 min, rings at 12:04:00, if awake until then\n"))
    #expect(fixture.daemon.requests[0].parameters["clock"] == "awake")
  }

  @Test func `Labels and data are sent, in the given order`() throws {
    let fixture = try Fixture()
    let result = try fixture.run(
      "start", "tea", "4min", "--label", "k=v", "--label", "a=b=c", "--data", #"{"x": 1.5}"#)
    #expect(result.status == 0)
    #expect(
      fixture.daemon.requests[0].parameters == [
        "name": "tea", "duration_usec": 240_000_000, "labels": ["k": "v", "a": "b=c"],
        "data": ["x": 1.5],
      ])
  }

  @Test func `--json prints the daemon's own answer, on one line`() throws {
    let fixture = try Fixture()
    let result = try fixture.run("start", "tea", "4min", "--json")
    #expect(result.status == 0)
    #expect(result.output.hasSuffix("}\n") && result.output.split(separator: "\n").count == 1)
    let reply = try JSONValue.parse(result.output)
    #expect(reply["created"] == true)
    #expect(reply["timer"]?["remaining_usec"] == 240_000_000)
  }

  @Test func `If a timer runs, it refuses, and suggests commands`() throws {
    let fixture = try Fixture(Fixture.four)
    #expect(
      try fixture.run("start", "tea", "5min")
        == .sentence(
          1,
          "'tea' is running, 03:12 left, rings at 12:03:11; use nightjar restart "
            + "tea, nightjar extend tea 5min, or nightjar start tea 5min --replace"))
    #expect(
      try fixture.run("start", "run/1/me", "1h 1s").errors
        == "nightjar: 'run/1/me' is paused, 01:30:00 left; use nightjar restart run/1/me, nightjar "
        + "extend run/1/me '1h 1s', or nightjar start run/1/me '1h 1s' --replace\n")
  }

  @Test func `--replace says what the replaced timer had`() throws {
    let more: JSONValue = [
      "message": "Up", "ring": ["sound": "chime", "volume": 40, "insist_usec": 300_000_000],
    ]
    let had = "undo brings that back\n"
    for (state, line) in [
      (
        "running",
        "wake: the alarm that it replaced had --message, --sound, --volume and --insist; "
      ),
      ("fired", ""),
    ] {
      let fixture = try Fixture([
        .init(name: "wake", state: state, clock: "wall", kind: "alarm", more: more)
      ])
      let result = try fixture.run("start", "wake", "5min", "--replace")
      let loss = line.isEmpty ? "" : "\(line)nightjar \(had)"
      #expect(result == .init(0, "wake: 5 min, rings at 12:05:00\n\(loss)"))
    }
  }

  @Test func `--replace starts again, --if-absent leaves the timer and says so`() throws {
    let fixture = try Fixture(Fixture.four)
    #expect(
      try fixture.run("start", "tea", "5min", "--if-absent")
        == .init(0, "tea: left as it is, running, 03:12 left, rings at 12:03:11\n"))
    #expect(
      try fixture.run("start", "tea", "5min", "--replace")
        == .init(0, "tea: 5 min, rings at 12:05:00\n"))
    #expect(try fixture.run("start", "tea", "5min", "--replace", "--if-absent").status == 64)
  }

  @Test(
    arguments: [
      ("start", "say how long: nightjar start tea 4min"),
      ("start tea 9am", "'9am' is a time, not a time span; write nightjar alarm tea 9am"),
      (
        "start Mon 9:30",
        "'Mon 9:30' is a time, not a time span; write nightjar alarm Mon 9:30, or nightjar start "
          + "--name Mon 9:30"
      ),
      ("start tea", "how long? no last duration of 'tea' is known; write nightjar start tea 4min"),
      (
        "start tea 5Mni",
        "in '5Mni': unknown unit 'Mni' at 2; the units are us ms s min h d w month y"
      ),
      ("start tea 1,5h", "in '1,5h': ',' at 2 is no decimal point; use 1.5h"),
      ("start tea 1:5", "in '1:5': expected two digits from 00 to 59 at 3, not '5'"),
      ("1:60", "in '1:60': expected two digits from 00 to 59 at 3, not '60'"),
      (":30", "expected a number before ':' at 1, such as 0:30"),
      (
        ["start", "tea", "1:30 5s"],
        "in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units and other terms"
      ),
      (
        "start 1:30 5s",
        "in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units and other terms"
      ),
      (
        "1:30 5s",
        "in '1:30 5s': unexpected '5' at 6; 1:30 stands alone, without units and other terms"
      ),
      (
        "10 1:30",
        "in '10 1:30': unexpected ':' at 5; a clock's notation stands alone and begins with a "
          + "whole number, such as 1:30 or 1:30:00"
      ),
      (
        "start tea -1:30",
        "a time span cannot be negative: '-1:30'; to take time away write nightjar extend NAME -1:30"
      ),
      (
        "-1:30",
        "a time span cannot be negative: '-1:30'; to take time away write nightjar extend NAME -1:30"
      ),
      (
        "start tea -:30",
        "a time span cannot be negative: '-:30'; to take time away write nightjar extend NAME -:30"
      ),
      ("start tea 0:00", "'0:00' is no time at all; write one such as 4min"),
      ("start tea 876601:00:00", "'876601:00:00' is too long; the longest is 100 years"),
      (
        "start tea -5s",
        "a time span cannot be negative: '-5s'; to take time away write nightjar extend NAME -5s"
      ),
      (["start", "tea", ""], "the time span is empty; write one such as 4min or 1h 30min"),
      ("start tea infinity", "a timer cannot run forever; write a time span such as 5min"),
      ("start tea 0", "'0' is no time at all; write one such as 4min"),
      ("start tea 101y", "'101y' is too long; the longest is 100 years"),
      ("start tea 600000y", "'600000y' at 1 is too long; the longest span is about 584542 years"),
      ("start tea 25M", "25M is months; for minutes write 25min, for months 25month"),
      (
        "start tea3",
        "how long? no last duration of 'tea3' is known; write nightjar start tea3 4min"
      ),
      ("start tea 4min --label x", "a label is written key=value, not 'x'"),
      ("start tea 4min --label a=1 --label a=2", "the label 'a' is given twice"),
      ("start tea 4min --data {", "--data is no JSON: at byte 1: the text ends too early"),
      ("start tea 4min --data 3", "--data must be a JSON object, such as '{\"distance_m\": 1840}'"),
      (
        "start min 4",
        "'min' is a word of time; write nightjar start 4min, or for a timer called 'min' nightjar start "
          + "--name min 4"
      ),
      (
        "start day 8h",
        "'day' is a word of time; write nightjar start 8h, or for a timer called 'day' nightjar start "
          + "--name day 8h"
      ),
      (
        "start every 5min",
        "'every' is a word of time; write nightjar start 5min --repeat, or for a timer called "
          + "'every' nightjar start --name every 5min"
      ),
      (
        "start 5min tomorrow",
        "'tomorrow' is a word of time; write nightjar start 5min, or for a timer called "
          + "'tomorrow' nightjar start --name tomorrow 5min"
      ),
      (
        "start for 5 minutes",
        "'for' is a word of time; write nightjar start 5 minutes, or for a timer called 'for' "
          + "nightjar start --name for 5 minutes"
      ),
      (
        "for 5 minutes",
        "'for' is a word of time; write nightjar start 5 minutes, or for a timer called 'for' "
          + "nightjar start --name for 5 minutes"
      ),
      (
        "start green tea 4min",
        "a name of several words stands in quotes: nightjar start 'green tea' 4min"
      ),
      (
        "start 5 minuts",
        "'minuts' is no unit; did you mean 5 minutes? For a timer called 'minuts' write nightjar start "
          + "minuts 5s"
      ),
      ("start 40minn tea", "in '40minn': unknown unit 'minn' at 3; did you mean 'min'?"),
      (
        "start monday",
        "how long? no last duration of 'monday' is known; write nightjar start --name monday 4min"
      ),
      ("strat", "no command is called 'strat'; did you mean 'start'?"),
      // No timer can have this name.
      ("a//b", "no command is called 'a//b'"),
    ] as [(Words, String)]
      + ["next", "tomorrow", "monday", "at", "half", "noon", "hour", "until", "once"].map { word in
        (
          "start \(word) 5min",
          "'\(word)' is a word of time; write nightjar start 5min, or for a timer called '\(word)' "
            + "nightjar start --name \(word) 5min"
        )
      })
  func `A start that makes no sense is refused in one sentence, before the daemon is asked`(
    arguments: Words, sentence: String
  ) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(arguments.list) == .sentence(64, sentence))
    // A name alone may have been started before.
    let isNameAlone = arguments.list.count == 2 && sentence.hasPrefix("how long?")
    #expect(isNameAlone ? !fixture.methods.contains("Start") : fixture.methods.isEmpty)
  }

  @Test func `A timer may be called by a number`() throws {
    let fixture = try Fixture()
    #expect(
      try fixture.run("start", "4711", "5min") == .init(0, "4711: 5 min, rings at 12:05:00\n"))
  }

  @Test func `On a terminal M asks whether months are meant; only yes is yes`() throws {
    let question =
      "nightjar: 25M is months; for minutes write 25min. Is 760 d 22 h 30 min right? [y/N] "
    let fixture = try Fixture()
    let yes = try fixture.runner.runOnTerminal(["start", "tea", "25M"], typing: "y\n")
    #expect(yes.status == 0)
    #expect(yes.output.contains(question))
    #expect(fixture.methods.filter { $0 != "Status" } == ["Start"])
    let no = try fixture.runner.runOnTerminal(["start", "tea", "25M"], typing: "\n")
    #expect(no.status == 64)
    #expect(
      no.output.hasSuffix("nightjar: then write 25min\nSee nightjar.time(7): nightjar help time\n"))
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
  /// `Tue 24 Nov`, with the year if it differs from today's.
  func date(daysLater days: Int64) -> String {
    let names = "Mon Tue Wed Thu Fri Sat Sun".split(separator: " ")
    let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")
    // Noon in the zone is in the middle of its day, so its UTC day is the zone's day.
    let today = Self.civil(day: localDay)
    let then = Self.civil(day: localDay + days)
    let year = then.year == today.year ? "" : " \(then.year)"
    return "\(names[Int((localDay + days + 3) % 7)]) \(then.day) \(months[then.month - 1])\(year)"
  }

  /// Days since the epoch in the zone, where it is noon.
  private var localDay: Int64 { nowUsec / 1_000_000 / 86_400 }

  /// The date of a day, by Howard Hinnant's `civil_from_days`.
  private static func civil(day: Int64) -> (year: Int64, month: Int, day: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month),
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }
}
