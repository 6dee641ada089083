import Foundation
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

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

  @Test(
    arguments: Row.table(
      #"""
      start pie 4min --ring-for 2min --volume 40 --rising 0 --insist 5min --no-disturb --sound \#
      pulse => "ring":{"sound":"pulse","ring_for_usec":120000000,"volume":40,"rising_usec":0,\#
      "insist_usec":300000000,"disturb":false}
      start pie 4min =>
      alarm wake 7:00 --disturb --message Bread => "ring":{"disturb":true},"message":"Bread"
      alarm a +1h --exec ls => "ring":{"exec":["ls"],"environment":ENV}
      sequence s work=25min --exec ls => "ring":{"exec":["ls"],"environment":ENV}
      stopwatch w --exec-on lapped --exec ls => "ring":{"exec":["ls"],"on":["lapped"],\#
      "environment":ENV}
      update tea --silent => "ring":{"silent":true}
      update tea --exec-timeout 5s => "ring":{"timeout_usec":5000000}
      update tea --exec-on rang,paused => "ring":{"on":["rang","paused"]}
      update tea --env A=b => "ring":{"environment":{"A":"b"}}
      update tea --shell 'ls | x' => "ring":{"exec":["/bin/sh","-c","ls | x"],"environment":ENV}
      """#))
  func `Only the given options of a ring are sent; the daemon keeps the rest of an update`(
    row: Row
  ) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(ScriptLine(row[0]).words)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    let environment = "{\"HOME\":\"\(fixture.runner.folder.path)\",\"PATH\":\"/usr/bin:/bin\"}"
    let told = try JSONValue.parse("{\(row[1].replacing("ENV", with: environment))}")
    let sent = try #require(fixture.daemon.requests.last).parameters
    for key in ["ring", "message"] { #expect(sent[key] == told[key]) }
  }

  @Test func `A file that may not be executed gets a remark`() throws {
    let fixture = try Fixture(Fixture.four)
    let path = fixture.runner.folder.path + "/plain"
    try "".write(toFile: path, atomically: true, encoding: .utf8)
    try fixture.check(
      """
      $ update tea --exec \(path)
      tea: updated
      0! '\(path)' may not be executed now; the timer is changed all the same
      """)
  }

  @Test func `A program in the current folder is sent as an absolute path`() throws {
    let fixture = try fixture()
    let ring = try #require(try ring("--exec", "./ring it ./that", in: fixture))
    let program = "\(FileManager.default.currentDirectoryPath)/ring"
    #expect(ring["exec"] == [.string(program), "it", "./that"])
  }

  @Test func `A missing program gets a remark, and the timer is started`() throws {
    let fixture = try fixture()
    for (option, command, isMissing) in [
      ("exec", "nosuch -x", true), ("exec", "/no/such", true), ("exec", "ls", false),
      ("shell", "nosuch | ls", true), ("shell", "$nosuch", false),
    ] {
      let result = try fixture.run("start", "tea", "4min", "--replace", "--\(option)", command)
      #expect(result.status == 0)
      let said = result.errors.contains("there is no program '\(command.split(separator: " ")[0])'")
      #expect(said == isMissing, "\(result)")
    }
  }

  @Test(
    arguments: Row.table(
      """
      nosuch foo => nosuch
       nosuch|cat => nosuch
      /no/such >/tmp/x => /no/such
      nosuch; ls => nosuch
      no-such_2.x & => no-such_2.x
      ls | nosuch => ls
      """)
      + [
        ":", ". ./x", "if x; then ls; fi", "exec x", "echo x", "A=1 x", "$X x", "'x' x", "x\\y",
        "x*",
        "2>/dev/null x", ">x x", "(x)", "! x", "{ x; }", "x() { ls; }; x", "x () { ls; }", "./x",
        "# x",
        "~/x", "nös", "cd /tmp && x",
      ].flatMap { Row.table("\($0) =>") })
  func `The program at the beginning of a shell's line is known, unless only a shell knows it`(
    row: Row
  ) {
    #expect(ShellLine(row[0]).program ?? "" == row[1])
  }

  @Test func `Edit removes single settings, by their keys or by the options' names`() throws {
    let fixture = try Fixture([.init(name: "a")])
    _ = try fixture.run("update", "a", "--without", "volume,exec_on", "--without", "ring-for")
    #expect(
      try fixture.sent("Update") == [
        "name": "a", "ring_without": ["volume", "on", "ring_for_usec"],
      ])
    _ = try fixture.run("update", "a", "--without", "sound", "--volume", "40")
    #expect(
      try fixture.sent("Update") == [
        "name": "a", "ring_without": ["sound"], "ring": ["volume": 40],
      ])
  }

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

  @Test(
    arguments: Row.table(
      """
      {"outcome":"exited","exit_status":0} => done after 2 s
      {"outcome":"exited","exit_status":3} => failed after 2 s, exit status 3
      {"outcome":"signalled","signal":9} => ended by signal 9 after 2 s
      {"outcome":"timed_out"} => took too long, and was ended after 2 s
      {"outcome":"not_started","reason":"no folder of PATH has it"} => could not be started: no folder \
      of PATH has it
      {"outcome":"given_up"} => started again and again without a known end: given up
      {"outcome":"dropped"} => not started: too many others were waiting
      {"outcome":"unseen"} => ran on when the daemon ended
      {"outcome":"vaporised"} => ended
      """))
  func `The ledger says in plain words how a command ended`(row: Row) throws {
    let event: JSONValue = [
      "seq": 1, "time_usec": 5, "type": "action_ended", "name": "tea", "id": 1, "event_seq": 3,
      "command": "paplay bell.oga", "duration_usec": 2_000_000,
    ]
    let ended = try event.setting(all: JSONValue.parse(row[0]))
    #expect(try EventText(Wire.Event(ended)).sentence == "paplay bell.oga: \(row[1])")
  }
}
