import Foundation
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct PresetStartTests {
  static let file = """
    [daemon]
    late = "skip"

    [presets.tea]
    duration = "4min"
    clock = "awake"
    labels = { kind = "drink", cup = "blue" }
    data = { grams = 3 }

    [presets.egg]
    duration = 330

    [presets."soft egg"]
    duration = "5min 30s"

    [presets.long]
    wake = true

    [presets.standup]
    alarm = "Mon..Fri 09:30"
    """

  private static func fixture(
    _ text: String? = file, _ entries: [FakeTimers.Entry] = []
  ) throws -> Fixture {
    let fixture = try Fixture(entries)
    if let text { try fixture.runner.configure(text) }
    return fixture
  }

  private static func path(_ fixture: Fixture) -> String {
    fixture.runner.configFolder + "/config.toml"
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(
    arguments: Row.table(
      #"""
      start tea => tea: 4 min, rings at 12:04:00, if awake until then (preset tea) => \#
      "name":"tea","duration_usec":240000000,"clock":"awake","labels":{"kind":"drink",\#
      "cup":"blue"},"data":{"grams":3}
      start 'soft egg' => soft egg: 5 min 30 s, rings at 12:05:30 (preset soft egg) => \#
      "name":"soft egg","duration_usec":330000000
      start tea 5min --clock elapsed --label cup=red --data {} => tea: 5 min, rings at 12:05:00 \#
      (preset tea) => "name":"tea","duration_usec":300000000,"clock":"elapsed",\#
      "labels":{"kind":"drink","cup":"red"},"data":{}
      start long 120 => long: 2 min, rings at 12:02:00 (120 means seconds: 2 min) (preset long) \#
      => "name":"long","duration_usec":120000000,"wake":true
      start tea 5min --no-preset => tea: 5 min, rings at 12:05:00 => \#
      "name":"tea","duration_usec":300000000
      start coffee 5min => coffee: 5 min, rings at 12:05:00 => \#
      "name":"coffee","duration_usec":300000000
      4min => a: 4 min, rings at 12:04:00 => "duration_usec":240000000
      """#))
  func `A preset supplies what the arguments lack, and the echo names it if one is used`(
    row: Row
  ) throws {
    let fixture = try Self.fixture()
    try fixture.check("$ \(row[0])\n\(row[1])")
    #expect(try fixture.sent("Start") == JSONValue.parse("{\(row[2])}"))
  }

  @Test func `A preset may call its timer something else, with and without a duration`() throws {
    try Self.fixture("[presets.tea]\nname = \"kitchen/tea\"\nduration = \"4min\"\n").check(
      """
      $ start tea
      kitchen/tea: 4 min, rings at 12:04:00 (preset tea)
      $ start tea 5min --replace
      kitchen/tea: 5 min, rings at 12:05:00 (preset tea)
      $ start tea
      1! 'kitchen/tea' is running, 05:00 left, rings at 12:05:00; use nightjar restart kitchen/tea, \
      nightjar extend kitchen/tea 4min, or nightjar start tea 4min --replace
      """)
  }

  @Test func `--repeat and --rounds override the repetition of a preset`() throws {
    let fixture = try Self.fixture(
      "[presets.a]\nduration = 60\nrepeat = 3\n[presets.b]\nalarm = \"daily\"\nrepeat = true\n")
    for (words, rounds) in [
      ("a", 3), ("a --repeat", 3), ("a --rounds 5", 5), ("b", nil), ("b 1min", nil),
      ("b 1min --repeat", 0),
    ] as [(String, JSONValue?)] {
      let words = "start \(words) --replace".split(separator: " ").map(String.init)
      let result = try fixture.runner.run(words)
      let expected: JSONValue? = rounds.map { ["rounds": $0] }
      #expect(try result.status == 0 && fixture.sent("Start")["repeat"] == expected, "\(result)")
    }
    try fixture.check(
      """
      $ start b --repeat
      64! --repeat is for a countdown, and this timer is not one; leave out --repeat
      $ start b --rounds 3
      64! --rounds is for --repeat; add --repeat, or leave out --rounds
      """)
  }

  @Test func `A preset does not change the meaning of other words`() throws {
    let fixture = try Self.fixture(Self.file + "\n[presets.10]\nduration = 1\n")
    try fixture.check("$ start 10\na: 10 s, rings at 12:00:10 (10 means seconds: 10 s)")
    #expect(
      try fixture.run("start", "4min", "tea") == Self.fixture(Self.file).run("start", "tea", "4min")
    )
    #expect(
      try fixture.run("start", "soft", "egg", "4min").errors
        == (try Self.fixture(nil).run("start", "soft", "egg", "4min").errors))
  }

  @Test(
    arguments: Row.table(
      """
      start eg => how long? no preset is called 'eg' (did you mean 'egg'?); without one write \
      nightjar start eg 4min
      start coffee => how long? no preset is called 'coffee' (there are egg, long, soft egg, \
      standup, tea); without one write nightjar start coffee 4min
      start long => how long? the preset long does not say; write nightjar start long 4min
      start tea --no-preset => how long? no last duration of 'tea' is known; write nightjar start \
      tea 4min
      start 5Mnt => in '5Mnt': unknown unit 'Mnt' at 2; the units are us ms s min h d w month y
      start long 5min --clock awake => the preset long wakes the machine, which the clock awake \
      cannot; leave out --clock awake, or add --no-preset
      start tea --wake => the preset tea has the clock awake, which stands still while the machine \
      sleeps; leave out --wake, or add --clock elapsed
      """))
  func `A start that is impossible is refused in one sentence, before the daemon is asked`(
    row: Row
  ) throws {
    let fixture = try Self.fixture()
    try fixture.check("$ \(row[0])\n64! \(row[1])")
    // A name alone may have been started before.
    let isNameAlone = row[1].hasPrefix("how long?")
    #expect(isNameAlone ? !fixture.methods.contains("Start") : fixture.methods.isEmpty)
  }

  @Test
  func `A wrong preset is refused with its line, and another one is started all the same`() throws {
    let fixture = try Self.fixture("[presets.tea]\nduratoin = 4\n[presets.egg]\nduration = 60\n")
    try fixture.check(
      """
      $ start tea
      1! \(Self.path(fixture)), line 2: [presets.tea] has no key 'duratoin'; did you mean 'duration'?
      """)
    #expect(fixture.methods.isEmpty)
    #expect(try fixture.run("start", "egg").status == 0)
  }

  @Test
  func `A duration on the command line starts the timer whatever is wrong with the file`() throws {
    let fixture = try Self.fixture("[presets.tea]\nduration = 4min\n")
    let sentence =
      "\(Self.path(fixture)), line 2, column 13: this is no TOML: expected digit, saw 'm', in a "
      + "decimal integer; a text such as \"4min\" is written in quotes"
    // With the last two, the user asked for no preset.
    try fixture.check(
      """
      $ start tea 5min
      tea: 5 min, rings at 12:05:00
      0! 'tea' is started without a preset: \(sentence)
      $ start tea
      1! \(sentence)
      $ start 5Mnt
      64! in '5Mnt': unknown unit 'Mnt' at 2; the units are us ms s min h d w month y
      $ 5min
      a: 5 min, rings at 12:05:00
      $ start tea 5min --no-preset --replace
      tea: 5 min, rings at 12:05:00
      """)
  }

  @Test func `The command line does not check the daemon's own table`() throws {
    let fixture = try Self.fixture("[daemon]\nretention_day = 3\n[presets.tea]\nduration = 60\n")
    #expect(try fixture.run("start", "tea").errors == "")
  }

  @Test func `XDG_CONFIG_HOME says where the file is`() throws {
    var fixture = try Self.fixture()
    fixture.runner.environment["XDG_CONFIG_HOME"] = "/nonexistent"
    #expect(try fixture.run("start", "tea").status == 64)
  }

  @Test func `A start with --save is saved as a preset, and the rest of the file stays`() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      "start", "rice", "12min", "--save", "--label", "kind=food", "--exec", "ls 'a b'")
    #expect(
      result.status == 0
        && result.output.hasSuffix("\nrice: saved as a preset in \(Self.path(fixture))\n"),
      "\(result)")
    #expect(
      try text(Self.path(fixture)) == Self.file + """


        [presets.rice]
        duration = "12min"
        labels = { kind = "food" }
        exec = ["ls", "a b"]

        """)
    #expect(try fixture.run("remove", "rice").status == 0)
    #expect(try fixture.run("start", "rice").output.contains("12 min"))
    #expect(try fixture.sent("Start")["labels"] == ["kind": "food"])
  }

  @Test func `The first saved preset creates the file, readable by its owner only`() throws {
    let fixture = try Self.fixture(nil)
    #expect(try fixture.run("start", "tea", "4min", "--save").status == 0)
    let path = Self.path(fixture)
    #expect(try text(path).hasPrefix("[presets.tea]\n") && mode(path) == 0o600)
  }

  @Test func `Presets that 20 commands save at once are all in the file, which stays what it was`()
    throws
  {
    let fixture = try Self.fixture()
    let (path, manager) = (Self.path(fixture), FileManager.default)
    // The file is elsewhere, as with dotfiles.
    let target = fixture.runner.folder.path + "/dotfiles"
    try manager.moveItem(atPath: path, toPath: target)
    try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
    let names = (0..<20).map { "at/once\($0)" }
    let commands = try names.map { name in
      try fixture.runner.start(["start", name, "4min", "--save"])
    }
    for command in commands {
      let result = try command.finish()
      #expect(result.status == 0 && result.output.contains("saved as a preset"), "\(result)")
    }
    let text = try text(target)
    #expect(text.hasPrefix(Self.file))
    for name in names { #expect(text.contains("[presets.\"\(name)\"]\n"), "\(name)") }
    #expect(try manager.destinationOfSymbolicLink(atPath: path) == target)
    #expect(try mode(target) == 0o640)
  }

  @Test func `A timer that cannot be saved, or may contain secrets, is not started either`() throws
  {
    let inline = try Self.fixture("presets = { egg = { duration = 60 } }\n")
    let full = try inline.run("start", "rice", "12min", "--save")
    #expect(
      full.status == 1
        && full.errors.hasSuffix(
          "has no room for [presets.rice]; write each preset in it as a table of its own\n"),
      "\(full)")
    let fixture = try Self.fixture()
    let secret = try fixture.run(
      "start", "rice", "12min", "--save", "--env", "TOKEN=x", "--exec", "true")
    #expect(secret.status == 64 && secret.errors.contains("leave out --env or --save"), "\(secret)")
    #expect(!inline.methods.contains("Start") && !fixture.methods.contains("Start"))
  }

  @Test func `An existing preset is not changed, and nothing is started`() throws {
    let fixture = try Self.fixture()
    try fixture.check(
      """
      $ start tea 5min --save
      1! the preset 'tea' is there already, in \(Self.path(fixture)), line 4; change it there, or \
      leave out --save
      """)
    #expect(fixture.methods.isEmpty)
    let unnamed = try fixture.run("start", "5min", "--save")
    #expect(unnamed.status == 64 && unnamed.errors.contains("a preset needs a name"), "\(unnamed)")
  }

  @Test func `Status reports a mistake in any preset`() throws {
    let fixture = try Self.fixture()
    let right = try fixture.run("status")
    #expect(right.status == 0 && right.errors == "" && !right.output.contains("Presets"))
    try fixture.runner.configure("[presets.a]\nduration = 3\n[presets.b]\nduration = false\n")
    let wrong = try fixture.run("status")
    let line = try #require(wrong.output.split(separator: "\n").last)
    let mistake =
      "config.toml, line 4: 'duration' must be a time span such as \"4min\", or a whole number of "
      + "seconds, not true or false"
    #expect(line.hasPrefix("Presets:") && line.hasSuffix(mistake), "\(line)")
    #expect(wrong.status == 0 && wrong.errors == "")
  }

  @Test func `presets lists, saves and removes; pomodoro is there without a file`() throws {
    let fixture = try Fixture([.init(name: "tea", durationUsec: 240_000_000)])
    try fixture.check("$ presets\npomodoro\twork 25 min, rest 5 min")
    #expect(try fixture.run("pomodoro").status == 0)
    let steps = try fixture.sent("Start")["sequence"]?["steps"]?.arrayValue
    #expect(steps?.map { $0["duration_usec"] } == [1_500_000_000, 300_000_000])
    #expect(try fixture.run("presets", "save", "tea").status == 0)
    #expect(try fixture.run("presets", "list").output.contains("tea\t4 min\n"))
    #expect(try fixture.run("presets", "remove", "tea").status == 0)
    #expect(try !fixture.run("presets").output.contains("tea"))
    #expect(try fixture.run("presets", "remove", "tea").status == 1)
    let next = "# The other one.\n[presets.b]\nduration = 3\n"
    try fixture.runner.configure("[presets.a]\n# Its own.\nduration = 3\n\n\(next)")
    #expect(try fixture.run("presets", "remove", "a").status == 0)
    #expect(try text(Self.path(fixture)) == next)
  }

  @Test func `The completion offers presets by name, and reports no mistakes`() throws {
    let fixture = try Self.fixture()
    try fixture.check("$ __complete presets\negg\nlong\npomodoro\nsoft egg\nstandup\ntea")
    #expect(
      try fixture.run("__complete", "presets", "--for", "bash").output.contains("'soft egg'\n"))
    try fixture.runner.configure("x")
    try fixture.check("$ __complete presets")
    #expect(fixture.methods.isEmpty)
  }
}
