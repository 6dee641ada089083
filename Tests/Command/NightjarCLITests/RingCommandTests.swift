import Foundation
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// Commands and sounds: typed, in presets, and in the output.
@Suite(.blocking) struct RingCommandTests {
  /// The ring in a request to the daemon.
  private func ring(_ arguments: String..., in fixture: Fixture) throws -> JSONValue? {
    let result = try fixture.runner.run(["start", "tea", "4min", "--replace"] + arguments)
    #expect(result.status == 0, "\(result)")
    return try #require(fixture.daemon.requests.last).parameters["ring"]
  }

  private func fixture(_ environment: [String: String] = [:]) throws -> Fixture {
    var fixture = try Fixture()
    fixture.runner.environment.merge(environment) { $1 }
    return fixture
  }

  private func refusal(_ arguments: String...) throws -> String {
    let fixture = try fixture()
    let result = try fixture.runner.run(arguments)
    #expect(result.status == 64 && fixture.daemon.requests.isEmpty, "\(result)")
    return result.errors
  }

  @Test
  func `A command gets only the needed environment variables of the user who starts the timer`()
    throws
  {
    let fixture = try fixture([
      "DISPLAY": ":7", "LC_TIME": "de_DE.UTF-8", "SSH_AUTH_SOCK": "/s", "SECRET": "x",
      "NOTIFY_SOCKET": "/n", "XDG_SESSION_ID": "", "EDITOR": "vi",
    ])
    let ring = try #require(
      try ring("--exec", "ls 'a b'", "--env", "EDITOR", "--env", "A=b=c", in: fixture))
    #expect(ring["exec"] == ["ls", "a b"])
    #expect(
      ring["environment"] == [
        "A": "b=c", "DISPLAY": ":7", "EDITOR": "vi",
        "HOME": .string(fixture.runner.folder.path), "LC_TIME": "de_DE.UTF-8",
        "PATH": "/usr/bin:/bin", "SSH_AUTH_SOCK": "/s",
      ])
    #expect(ring.objectValue?.count == 2)
  }

  @Test func `Events, time limit and shell are sent; a sound sends no environment`() throws {
    let fixture = try fixture()
    let shell = try #require(
      try ring(
        "--shell", "a | b > c", "--exec-on", "rang,band_crossed", "--exec-on", "cancelled",
        "--exec-timeout", "1.5h", "--silent", in: fixture))
    #expect(shell["exec"] == ["/bin/sh", "-c", "a | b > c"])
    #expect(shell["on"] == ["rang", "band_crossed", "cancelled"])
    #expect(shell["timeout_usec"] == 5_400_000_000 && shell["silent"] == true)
    let file = fixture.runner.folder.path + "/bell.oga"
    try "ding".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try ring("--sound", file, in: fixture) == ["sound": .string(file)])
    #expect(try ring("--silent", in: fixture) == ["silent": true])
    #expect(try ring(in: fixture) == nil)
  }

  @Test func `Every command that starts a timer accepts them`() throws {
    let fixture = try fixture()
    for arguments in [
      ["alarm", "a", "+1h"], ["sequence", "s", "work=25min"],
      ["stopwatch", "w", "--exec-on", "lapped"],
    ] {
      _ = try fixture.runner.run(arguments + ["--exec", "ls"])
      let request = try #require(fixture.daemon.requests.last)
      #expect(request.parameters["ring"]?["exec"] == ["ls"], "\(arguments)")
    }
  }

  @Test(
    arguments: [
      (["--silent"], ["silent": true]), (["--exec-timeout", "5s"], ["timeout_usec": 5_000_000]),
      (["--exec-on", "rang,paused"], ["on": ["rang", "paused"]]),
      (["--env", "A=b"], ["environment": ["A": "b"]]),
      (
        ["--shell", "ls | x"],
        [
          "exec": ["/bin/sh", "-c", "ls | x"],
          "environment": ["HOME": "HOME", "PATH": "/usr/bin:/bin"],
        ]
      ),
    ] as [([String], JSONValue)])
  func `Update sends only the given options: the daemon keeps the rest`(
    arguments: [String], sent: JSONValue
  ) throws {
    var fixture = try Fixture(Fixture.four)
    fixture.runner.environment["HOME"] = "HOME"
    let result = try fixture.runner.run(["update", "tea"] + arguments)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    #expect(fixture.daemon.requests.last?.parameters["ring"] == sent)
  }

  @Test
  func `A refusal because of a missing command names the options of the command line`() throws {
    let fixture = try Fixture([.init(name: "a")]) { request, _ in
      guard request.method == "Update" else { return nil }
      return [
        .error(
          "org.nightjar.Timers.InvalidValue", ["parameter": "ring", "reason": "give exec as well"])
      ]
    }
    let result = try fixture.run("update", "a", "--exec-timeout", "5s")
    #expect(result.status == 1)
    #expect(
      result.errors
        == "nightjar: --exec-on, --exec-timeout and --env are settings of a command; add --exec or "
        + "--shell\n")
  }

  @Test func `A file that may not be executed gets a remark`() throws {
    let fixture = try Fixture(Fixture.four)
    let path = fixture.runner.folder.path + "/plain"
    try "".write(toFile: path, atomically: true, encoding: .utf8)
    let result = try fixture.run("update", "tea", "--exec", path)
    #expect(
      result.errors
        == "nightjar: '\(path)' may not be executed now; the timer is changed all the same\n")
  }

  @Test func `A program in the current folder is sent as an absolute path`() throws {
    let fixture = try fixture()
    let ring = try #require(try ring("--exec", "./ring it ./that", in: fixture))
    let words = ring["exec"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(words.count == 3 && words[1] == "it" && words[2] == "./that")
    #expect(words.first == FileManager.default.currentDirectoryPath + "/ring")
  }

  @Test func `A missing program gets a remark, and the timer is started`() throws {
    let fixture = try fixture()
    for (command, isMissing) in [("nosuch -x", true), ("/no/such", true), ("ls", false)] {
      let result = try fixture.run("start", "tea", "4min", "--replace", "--exec", command)
      #expect(result.status == 0)
      let said = result.errors.contains("there is no program '\(command.split(separator: " ")[0])'")
      #expect(said == isMissing, "\(result)")
    }
  }

  @Test(
    arguments: [
      ("nosuch foo", "nosuch"), ("nosuch", "nosuch"), (" nosuch|cat", "nosuch"),
      ("/no/such >/tmp/x", "/no/such"), ("nosuch; ls", "nosuch"), ("no-such_2.x &", "no-such_2.x"),
      ("ls", nil), ("ls | nosuch", nil), ("/bin/ls", nil), ("cd /tmp && nosuch", nil), (":", nil),
      (". ./nosuch", nil), ("if nosuch; then ls; fi", nil), ("echo nosuch", nil),
      ("exec nosuch", nil), ("A=1 nosuch", nil), ("$NOSUCH x", nil), ("'nosuch' x", nil),
      ("nos\\uch", nil), ("no*", nil), ("2>/dev/null nosuch", nil), (">x nosuch", nil),
      ("(nosuch)", nil), ("! nosuch", nil), ("{ nosuch; }", nil), ("nosuch() { ls; }; nosuch", nil),
      ("nosuch () { ls; }", nil), ("./nosuch", nil), ("# nosuch", nil), ("~/nosuch", nil),
      ("nös", nil), ("nosuch\nls", "nosuch"),
    ] as [(String, String?)])
  func `A shell's line gets a remark if it begins with a missing program`(
    line: String, program: String?
  ) throws {
    for (words, consolation) in [
      (["start", "tea", "4min", "--replace"], "started"), (["update", "tea"], "changed"),
    ] {
      let fixture = try Fixture(Fixture.four)
      let result = try fixture.runner.run(words + ["--shell", line])
      let remark = program.map {
        "nightjar: there is no program '\($0)' now; the timer is \(consolation) all the same\n"
      }
      #expect(result.status == 0 && result.errors == remark ?? "", "\(result)")
      let sent = fixture.daemon.requests.last?.parameters["ring"]?["exec"]
      #expect(sent == ["/bin/sh", "-c", .string(line)])
    }
  }

  @Test(
    arguments: [
      (
        ["--exec", "a | b"],
        "--exec is run without a shell, which '|' would be for; use --shell, or quote it"
      ),
      ("--exec 'a", "--exec has a quote (') that does not end"),
      ("--exec a --shell b", "give --exec or --shell, not both"),
      ("--exec a --exec-on rnag", "'rnag' is no event of a timer; did you mean rang?"),
      ("--exec a --exec-on action_ended", "'action_ended' is no event of a timer"),
      ("--exec a --exec-timeout 25h", "goes up to 1 d, not to 25h"),
      ("--exec a --exec-timeout infinity", "takes a time span such as 20s or 5min, not 'infinity'"),
      ("--exec a --env NOSUCHTHING", "NOSUCHTHING is not set here"),
      ("--exec-on paused", "are settings of a command; add --exec or --shell"),
      ("--env A=b", "are settings of a command; add --exec or --shell"),
      ("--sound /no/such.oga", "/no/such.oga cannot be read: No such file or directory"),
      ("--sound /dev/null --silent", "give --sound or --silent, not both"),
      (["--shell", ""], "--shell has no command in it; write one such as"),
      (["--shell", " \n"], "--shell has no command in it"),
      (["--exec", ""], "--exec has no program in it; write one such as"),
      ("--exec /tmp", "/tmp is a folder; begin --exec with a program's name"),
      (["--exec", "rm *.txt"], "which '*.txt' would be for; use --shell, or quote it"),
      (["--exec", "a", "--exec-on", ""], "there is no event in ''; write some, such as rang"),
      ("--exec a --exec-on ,", "there is no event in ','; write some, such as rang"),
      ("--exec a --exec-timeout 2d", "goes up to 1 d, not to 2d"),
      ("--exec a --exec-timeout foo", "takes a time span such as 20s or 5min, not 'foo'"),
      (["--exec", "a", "--exec-timeout", ""], "takes a time span such as 20s or 5min, not ''"),
      ("--exec a --exec-timeout 0", "goes up to 1 d, not to 0"),
      (["--exec", "a", "--env", ""], "--env needs a name; write --env NAME=VALUE"),
      ("--exec a --env =b", "--env needs a name; write --env NAME=VALUE"),
      ("--exec a --env 1A=b", "'1A' is no variable for a command"),
      (["--sound", ""], "--sound needs a file or a name; for no sound write --silent"),
      ("--sound /tmp", "/tmp is not a file; give a sound file, or write --silent"),
    ] as [(Words, String)])
  func `A command that makes no sense gets one sentence, and nothing is sent to the daemon`(
    arguments: Words, sentence: String
  ) throws {
    let fixture = try fixture()
    let result = try fixture.runner.run(["start", "tea", "4min"] + arguments.list)
    #expect(result.status == 64 && fixture.daemon.requests.isEmpty, "\(result)")
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `A stopwatch does not ring, so its command needs --exec-on`() throws {
    #expect(
      try refusal("stopwatch", "w", "--exec", "ls").contains(
        "a stopwatch does not ring; say when to run it: --exec-on lapped,paused"))
  }

  @Test func `Edit removes single settings, by their keys or by the options' names`() throws {
    let fixture = try Fixture([.init(name: "a")])
    _ = try fixture.run("update", "a", "--without", "volume,exec_on", "--without", "ring-for")
    #expect(
      fixture.daemon.requests.last { $0.method == "Update" }?.parameters == [
        "name": "a", "ring_without": ["volume", "on", "ring_for_usec"],
      ])
    _ = try fixture.run("update", "a", "--without", "sound", "--volume", "40")
    #expect(
      fixture.daemon.requests.last { $0.method == "Update" }?.parameters == [
        "name": "a", "ring_without": ["sound"], "ring": ["volume": 40],
      ])
    #expect(
      try refusal("update", "a", "--without", "volum").contains(
        "no setting is called 'volum'; did you mean volume?"))
    #expect(
      try refusal("update", "a", "--without", "volume", "--volume", "3").contains("not both"))
  }

  // MARK: Presets

  private func write(_ preset: String, for fixture: Fixture) throws {
    try fixture.runner.configure("[presets.tea]\nduration = \"4min\"\n\(preset)\n")
  }

  @Test func `A preset has the same keys; options take precedence over each of them`() throws {
    let fixture = try fixture()
    try write(
      """
      exec = "ls 'a b'"
      exec_on = ["rang", "paused"]
      exec_timeout = "5min"
      env = { A = "1", B = "2" }
      sound = "~/bell.oga"
      """, for: fixture)
    func sent(_ arguments: String...) throws -> JSONValue {
      let result = try fixture.runner.run(["start", "tea", "--replace"] + arguments)
      #expect(result.status == 0, "\(result)")
      return try #require(fixture.daemon.requests.last?.parameters["ring"])
    }
    let home = fixture.runner.folder.path
    let usual = try sent()
    #expect(usual["exec"] == ["ls", "a b"] && usual["on"] == ["rang", "paused"])
    #expect(usual["timeout_usec"] == 300_000_000 && usual["sound"] == .string("\(home)/bell.oga"))
    #expect(
      usual["environment"] == ["A": "1", "B": "2", "HOME": .string(home), "PATH": "/usr/bin:/bin"])
    let typed = try sent("--shell", "x", "--exec-on", "cancelled", "--env", "B=3", "--silent")
    #expect(typed["exec"] == ["/bin/sh", "-c", "x"] && typed["on"] == ["cancelled"])
    #expect(typed["environment"]?["A"] == "1" && typed["environment"]?["B"] == "3")
    #expect(typed["timeout_usec"] == 300_000_000)
    #expect(typed["silent"] == true && typed["sound"] == nil)
  }

  @Test func `A preset's command may be an array of words, or a shell's line`() throws {
    let fixture = try fixture()
    for (line, words) in [
      (#"exec = ["ls", "a | b"]"#, ["ls", "a | b"]),
      (#"shell = "a | b""#, ["/bin/sh", "-c", "a | b"]),
    ] {
      try write(line, for: fixture)
      _ = try fixture.run("start", "tea", "--replace")
      let sent = fixture.daemon.requests.last?.parameters["ring"]?["exec"]
      #expect(sent == .array(words.map { .string($0) }))
    }
  }

  @Test(
    arguments: [
      (
        #"exec = "a | b""#, "'exec' is run without a shell, which '|' would be for; use 'shell', or"
      ),
      (#"exec = []"#, "'exec' has no program in it"), (#"exec = ["a", 3]"#, "an array of texts"),
      ("exec = 3", "'exec' must be a text, or an array of texts, not a whole number"),
      ("exec = \"a\"\nshell = \"b\"", "give 'exec' or 'shell', not both"),
      ("exec = \"a\"\nexec_on = \"rnag\"", "did you mean rang?"),
      ("exec = \"a\"\nexec_on = \"\"", "there is no event in ''"),
      ("shell = \" \"", "'shell' has no command in it"),
      ("exec = \"a\"\nexec_timeout = \"2d\"", "line 4: 'exec_timeout' goes up to 1 d"),
      (
        "sound = \"/a\"\nexec_on = \"paused\"",
        "are settings of a command"
      ),
      (
        "env = { A = \"b\" }",
        "are settings of a command"
      ),
      ("exec = \"a\"\nenv = { A = 1 }", "'A' must be a text, not a whole number"),
      (
        "exec = \"a\"\nenv = { NIGHTJAR_A = \"b\" }",
        "line 4: 'env': 'NIGHTJAR_A' is no variable for a command"
      ),
      ("sound = \"bell.oga\"", "or a path that begins with / or ~/"),
      ("sound = \"/a\"\nsilent = true", "give 'sound' or 'silent', not both"),
    ] as [(String, String)])
  func `A mistake in a preset's command gets one sentence with its line`(
    lines: String, sentence: String
  ) throws {
    let fixture = try fixture()
    try write(lines, for: fixture)
    let result = try fixture.run("start", "tea")
    #expect(result.status == 1 && fixture.daemon.requests.isEmpty, "\(result)")
    #expect(result.errors.contains(", line ") && result.errors.contains(sentence), "\(result)")
  }

  // MARK: Showing them

  @Test func `Show prints the command, its events, its variables and the sound`() throws {
    var entries = Fixture.four
    entries[0].more = [
      "ring": [
        "exec": ["notify-send", "it's", "a\u{1B}[31m"], "on": ["rang", "paused"],
        "environment": ["DISPLAY", "PATH"], "timeout_usec": 90_000_000, "sound": "/bell.oga",
      ]
    ]
    entries[1].more = ["ring": ["exec": ["ls"], "silent": true]]
    let fixture = try Fixture(entries)
    let shown = try fixture.run("show", "tea").output
    #expect(
      shown.contains(
        """
        Runs:      notify-send 'it'\\''s' 'a\\u{1B}[31m', on rang, paused, for 1 min 30 s at the most
        With:      DISPLAY PATH
        Sound:     /bell.oga

        """), "\(shown)")
    let other = try fixture.run("show", "run/1/me").output
    #expect(other.contains("Runs:      ls, for 1 min at the most\nSound:     none\n"), "\(other)")
  }

  @Test func `The ledger says in plain words how a command ended`() throws {
    let ends: [([(String, JSONValue)], String)] = [
      ([("outcome", "exited"), ("exit_status", 0)], "done after 2 s"),
      ([("outcome", "exited"), ("exit_status", 3)], "failed after 2 s, exit status 3"),
      ([("outcome", "signalled"), ("signal", 9)], "ended by signal 9 after 2 s"),
      ([("outcome", "timed_out")], "took too long, and was ended after 2 s"),
      (
        [("outcome", "not_started"), ("reason", "no folder of PATH has it")],
        "could not be started: no folder of PATH has it"
      ),
      ([("outcome", "given_up")], "started again and again without a known end: given up"),
      ([("outcome", "dropped")], "not started: too many others were waiting"),
      ([("outcome", "unseen")], "ran on when the daemon ended"),
      ([("outcome", "vaporised")], "ended"),
    ]
    func event(_ seq: Int, _ type: String, _ more: [(String, JSONValue)]) -> JSONValue {
      .object(
        ([
          ("seq", .integer(Int64(seq))), ("time_usec", 5), ("type", .string(type)),
          ("name", "tea"), ("id", 1), ("event_seq", 3), ("command", "paplay bell\u{1B}.oga"),
          ("duration_usec", 2_000_000),
        ] + more).map { JSONValue.Member($0.0, $0.1) })
    }
    let events =
      [
        event(1, "action_started", [("attempt", 1)]),
        event(2, "action_started", [("attempt", 2)]),
      ] + ends.enumerated().map { event($0.offset + 3, "action_ended", $0.element.0) }
    let fixture = try Fixture { request, nowUsec in
      switch request.method {
      case "Status":
        let last = Int64(events.count)
        return [.reply(Samples.status(nowUsec: nowUsec, oldestSeq: 1, lastSeq: last))]
      case "Events": return events.map { .reply(["event": $0], continues: true) }
      default: return nil
      }
    }
    let lines = try fixture.run("events").output.split(separator: "\n").map {
      String($0.split(separator: "\t")[2])
    }
    let command = "paplay bell\\u{1B}.oga"
    let expected =
      ["tea: runs \(command)", "tea: runs \(command), for the second time"]
      + ends.map { "tea: \(command): \($0.1)" }
    #expect(lines == expected)
  }
}
