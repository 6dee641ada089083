import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarTestSupport
import Testing
import Varlink

/// The ring of a timer: how it is given, changed, refused and reported.
@Suite struct RingTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  private func starting(_ ring: String) -> String {
    #"{"name":"tea","duration_usec":3600000000,"replace":true,"ring":\#(ring)}"#
  }

  private func start(_ ring: String) throws -> JSONValue? {
    try desk.ask("Start", starting(ring))["ring"]
  }

  private func update(_ ring: String) throws -> JSONValue? {
    try desk.ask("Update", #"{"name":"tea","ring":\#(ring)}"#)["ring"]
  }

  @Test func `A ring is reported as it was given, but of the environment only the names`() throws {
    let shown: JSONValue = [
      "exec": ["sh", "-c", "é\n"], "on": ["paused", "rang"], "environment": ["A", "PATH"],
      "timeout_usec": 5, "sound": "/b.oga", "silent": true,
    ]
    let given = #"""
      {"silent":true,"exec":["sh","-c","é\n"],"on":["paused","rang","paused"],"sound":"/b.oga",
       "environment":{"PATH":"/bin","A":"x"},"timeout_usec":5}
      """#
    #expect(try start(given) == shown)
    #expect(try desk.ledger().last?["ring"] == shown)
    #expect(try desk.secrets(of: "tea") == ["x", "/bin"])
    try desk.crash()
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["ring"] == shown)
    #expect(try desk.secrets(of: "tea") == ["x", "/bin"])
    // Running the command on a ring is the default, and an empty ring is none.
    #expect(
      try start(#"{"exec":["a"],"on":["rang"],"environment":{}}"#) == ["exec": ["a"]])
    for nothing in ["{}", #"{"exec":[],"silent":false}"#, "null"] {
      #expect(try start(nothing) == nil)
    }
  }

  @Test(
    arguments: [
      (#"{"silent":true}"#, #"["a","x"] on paused env A,B 5 silent"#),
      (#"{"sound":"/c.oga"}"#, #"["a","x"] on paused env A,B 5 /c.oga"#),
      (#"{"silent":false}"#, #"["a","x"] on paused env A,B 5 /b.oga"#),
      (#"{"timeout_usec":7}"#, #"["a","x"] on paused env A,B 7 /b.oga"#),
      (#"{"on":["rang"]}"#, #"["a","x"] on  env A,B 5 /b.oga"#),
      (#"{"on":["cancelled"],"silent":true}"#, #"["a","x"] on cancelled env A,B 5 silent"#),
      (#"{"environment":{"C":"","A":"z"}}"#, #"["a","x"] on paused env A,B,C 5 /b.oga"#),
      (#"{"environment":{}}"#, #"["a","x"] on paused env A,B 5 /b.oga"#),
      (#"{"exec":["b"]}"#, #"["b"] on  env  - /b.oga"#),
      (#"{"exec":["b"],"timeout_usec":9}"#, #"["b"] on  env  9 /b.oga"#),
      (
        #"{"exec":["b"],"on":["lapped"],"environment":{"D":""}}"#,
        #"["b"] on lapped env D - /b.oga"#
      ),
      (#"{"exec":[]}"#, "[] on  env  - /b.oga"),
      (#"{"exec":[],"silent":true}"#, "[] on  env  - silent"), ("{}", "none"),
      ("null", #"["a","x"] on paused env A,B 5 /b.oga"#),
    ] as [(String, String)])
  func `An update keeps the parts that it does not mention: of the command, and of the sound`(
    change: String, becomes: String
  ) throws {
    _ = try start(
      #"""
      {"exec":["a","x"],"on":["paused"],"environment":{"A":"1","B":"2"},"timeout_usec":5,
       "sound":"/b.oga"}
      """#)
    let ring = try update(change)
    func words(_ key: String) -> String { ring?[key]?.strings.joined(separator: ",") ?? "" }
    let timeout = ring?["timeout_usec"]?.integerValue.map { "\($0)" } ?? "-"
    let heard = ring?["silent"] == true ? "silent" : ring?["sound"]?.stringValue ?? ""
    let shown =
      "\((ring?["exec"] ?? []).text) on \(words("on")) env \(words("environment")) \(timeout) \(heard)"
    #expect((ring == nil ? "none" : shown) == becomes)
    #expect(try desk.ledger().last?["ring"] == ring)
    if change.contains("z") { #expect(try desk.secrets(of: "tea") == ["z", "2", ""]) }
  }

  @Test(arguments: [
    (#"["volume"]"#, ["volume"]), (#"["sound","insist_usec"]"#, ["sound", "insist_usec"]),
    (#"["environment"]"#, ["environment"]), (#"["on","timeout_usec"]"#, ["on", "timeout_usec"]),
    (#"["exec"]"#, ["exec", "on", "environment", "timeout_usec"]),
    (#"["silent","volume","volume"]"#, ["volume"]), ("[]", []),
  ])
  func `Update removes single parts of a ring, and keeps the others`(
    parts: String, gone: [String]
  ) throws {
    let before =
      try start(
        #"""
        {"exec":["a"],"on":["paused"],"environment":{"A":"1"},"timeout_usec":5000000,
         "sound":"/b.oga","ring_for_usec":60000000,"volume":40,"rising_usec":7000000,
         "insist_usec":300000000,"disturb":false}
        """#)?.objectValue ?? []
    #expect(before.count == 10)
    let after = try desk.ask("Update", #"{"name":"tea","ring_without":\#(parts)}"#)["ring"]
    #expect(after?.objectValue == before.filter { !gone.contains($0.key) })
    #expect(try desk.secrets(of: "tea") == (gone.contains("environment") ? [] : ["1"]))
  }

  @Test func `A part is removed before another is set, and labels leave the ring alone`() throws {
    _ = try start(#"{"exec":["a"],"on":["paused"],"volume":40}"#)
    func update(_ members: String) throws -> JSONValue? {
      try desk.ask("Update", #"{"name":"tea",\#(members)}"#)["ring"]
    }
    let changed: JSONValue = ["exec": ["a"], "volume": 50]
    #expect(try update(#""ring":{"volume":50},"ring_without":["volume","on"]"#) == changed)
    #expect(try update(#""labels":{"a":"b"}"#) == changed)
    for refused in [
      #""ring_without":["loudness"]"#, #""ring":{"on":["paused"]},"ring_without":["exec"]"#,
    ] {
      let (error, parameter, _) = try desk.refusal("Update", #"{"name":"tea",\#(refused)}"#)
      #expect(error == "InvalidValue" && parameter.hasPrefix("ring"))
    }
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["ring"] == changed)
    #expect(try update(#""ring_without":["exec","volume"]"#) == nil)
  }

  @Test(arguments: [
    (#"{"exec":"a"}"#, "exec"), (#"{"exec":[1]}"#, "exec"), (#"{"on":"rang"}"#, "on"),
    (#"{"exec":["a"],"timeout_usec":0}"#, "timeout_usec"),
    (#"{"exec":["a"],"timeout_usec":-1}"#, "timeout_usec"),
    (#"{"exec":["a"],"environment":["A"]}"#, "environment"),
    (#"{"exec":["a"],"environment":{"A":1}}"#, "environment"), (#"{"silent":1}"#, "silent"),
    (#"{"sound":5}"#, "sound"), (#"{"colour":5}"#, "colour"), (#"[]"#, "ring"), ("7", "ring"),
  ])
  func `An invalid part is refused by its name`(ring: String, parameter: String) throws {
    let refusal = try desk.refusal("Start", starting(ring))
    #expect(refusal.error == "InvalidParameter" && refusal.parameter == parameter)
  }

  @Test(arguments: [
    (#"{"exec":[""]}"#, "exec", "is not empty"), (#"{"exec":["a\u0000b"]}"#, "exec", "NUL"),
    (#"{"exec":["a"],"on":["fire"]}"#, "on", "'fire' is not an event of timers"),
    (#"{"exec":["a"],"on":["action_ended"]}"#, "on", "'action_ended' is not an event of timers"),
    (#"{"exec":["a"],"on":["clock_stepped"]}"#, "on", "'clock_stepped' is not an event of timers"),
    (#"{"exec":["a"],"environment":{"1A":""}}"#, "environment", "name"),
    (#"{"exec":["a"],"environment":{"A-B":""}}"#, "environment", "name"),
    (#"{"exec":["a"],"environment":{"":""}}"#, "environment", "name"),
    (#"{"exec":["a"],"environment":{"NIGHTJAR_NAME":""}}"#, "environment", "NIGHTJAR_"),
    (#"{"exec":["a"],"environment":{"LISTEN_FDS":""}}"#, "environment", "LISTEN_"),
    (#"{"exec":["a"],"environment":{"A":"\u0000"}}"#, "A", "NUL"),
    (#"{"sound":"bell.oga"}"#, "sound", "begins with a slash"),
    (#"{"on":["paused"]}"#, "ring", "need a command; give 'exec', too"),
    (#"{"timeout_usec":5}"#, "ring", "need a command; give 'exec', too"),
    (#"{"environment":{"A":"b"}}"#, "ring", "need a command; give 'exec', too"),
  ])
  func `A ring that makes no sense is refused in a sentence, and changes nothing`(
    ring: String, parameter: String, sentence: String
  ) throws {
    let before = try start(#"{"sound":"/b.oga"}"#)
    for (method, parameters) in [
      ("Start", starting(ring)), ("Update", #"{"name":"tea","ring":\#(ring)}"#),
    ] {
      let refusal = try desk.refusal(method, parameters)
      #expect(refusal.error == "InvalidValue" && refusal.parameter == parameter)
      #expect(refusal.reason.contains(sentence), "\(refusal)")
    }
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["ring"] == before)
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    (0..<count).map(element).joined(separator: ",")
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  private static let words = list(Limits.execWords) { _ in #""a""# }
  private static let variables = list(Limits.environmentVariables) { #""V\#($0)":"""# }

  @Test(arguments: [
    (#"{"exec":[\#(words)]}"#, #"{"exec":["a",\#(words)]}"#, "exec", Limits.execWords),
    (
      #"{"exec":["\#(text(Limits.execBytes - 1))"]}"#, #"{"exec":["\#(text(Limits.execBytes))"]}"#,
      "exec_bytes", Limits.execBytes
    ),
    (
      #"{"exec":["a"],"environment":{\#(variables)}}"#,
      #"{"exec":["a"],"environment":{"A":"",\#(variables)}}"#, "environment",
      Limits.environmentVariables
    ),
    (
      #"{"exec":["a"],"environment":{"A":"\#(text(Limits.environmentBytes - 3))"}}"#,
      #"{"exec":["a"],"environment":{"A":"\#(text(Limits.environmentBytes - 2))"}}"#,
      "environment_bytes", Limits.environmentBytes
    ),
    (
      #"{"exec":["a"],"timeout_usec":\#(Limits.execLongestUsec)}"#,
      #"{"exec":["a"],"timeout_usec":\#(Limits.execLongestUsec + 1)}"#, "timeout_usec",
      Int(Limits.execLongestUsec)
    ),
    (
      #"{"sound":"/\#(text(Limits.pathBytes - 1))"}"#, #"{"sound":"/\#(text(Limits.pathBytes))"}"#,
      "path_bytes", Limits.pathBytes
    ),
  ])
  func `The limits have names, and values just within them are accepted`(
    fits: String, tooMuch: String, limit: String, value: Int
  ) throws {
    #expect(try start(fits) != nil)
    // Each list alone may be short enough.
    if limit == "environment" {
      #expect(
        try desk.refusal(
          "Update", #"{"name":"tea","ring":{"environment":{"A":"x"}}}"#
        ).error == "LimitExceeded")
    }
    let refused = try desk.call("Start", starting(tooMuch))
    #expect(refused.error == "org.nightjar.Timers.LimitExceeded")
    #expect(refused.parameters == ["limit": .string(limit), "value": .integer(Int64(value))])
  }

  @Test func `The types of events are exactly those of the interface`() throws {
    for (type, words) in [
      ("TimerEvent", Wire.EventType.timerEvent.map(\.rawValue)),
      ("MachineEvent", Wire.EventType.machineEvent.map(\.rawValue)),
      ("ActionEvent", Wire.EventType.actionEvent.map(\.rawValue)),
    ] {
      let text = TimersInterface.description
      let mark = try #require(text.firstRange(of: "type \(type) ("))
      let lines = text[mark.upperBound...].prefix { $0 != ")" }.split(separator: "\n")
      let listed = lines.filter { !$0.contains("#") }.map { $0.filter { !", ".contains($0) } }
      #expect(listed == words)
    }
    for type in Wire.EventType.timerEvent.map(\.rawValue) {
      #expect(try start(#"{"exec":["a"],"on":["\#(type)"]}"#) != nil)
    }
  }
}
