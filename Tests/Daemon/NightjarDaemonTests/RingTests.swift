import Foundation
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// The ring of a timer over the socket: checked, stored, and reported.
@Suite(.blocking) struct RingTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  private func start(_ ring: String) throws -> VarlinkReply {
    try daemon.rawSocket().call(
      "Start", #"{"name":"tea","duration_usec":3600000000,"replace":true,"ring":\#(ring)}"#)
  }

  @Test func `A ring is reported as it was given, but of the environment only the names`() throws {
    let ring = #"""
      {"silent":true,"exec":["sh","-c","é\n"],"on":["paused","rang","paused"],"sound":"/b.oga",
       "environment":{"PATH":"/bin","A":"x"},"timeout_usec":5}
      """#
    let shown: JSONValue = [
      "exec": ["sh", "-c", "é\n"], "on": ["paused", "rang"], "environment": ["A", "PATH"],
      "timeout_usec": 5, "sound": "/b.oga", "silent": true,
    ]
    let reply = try start(ring)
    #expect(reply.parameters["timer"]?["ring"] == shown, "\(reply)")
    let client = try daemon.connect()
    let timer = try client.get("tea")
    #expect(timer.ring?.exec == ["sh", "-c", "é\n"] && timer.ring?.environment == ["A", "PATH"])
    #expect(timer.ring?.on == [.paused, .rang] && timer.ring?.timeoutUsec == 5)
    #expect(timer.ring?.sound == "/b.oga" && timer.ring?.silent == true)
    // The ledger has it too, and keeps it over a restart.
    let started = try #require(try daemon.ledger().first { $0.type == .started })
    #expect(started.ring == timer.ring)
    try daemon.terminate()
    #expect(try rig.actingDaemon().connect().get("tea").ring == timer.ring)
  }

  @Test func `Running the command on a ring is the default, and an empty ring is none`() throws {
    #expect(
      try start(#"{"exec":["a"],"on":["rang"],"environment":{}}"#).parameters["timer"]?["ring"]
        == ["exec": ["a"]])
    for nothing in ["{}", #"{"exec":[],"silent":false}"#, "null"] {
      #expect(try start(nothing).parameters["timer"]?["ring"] == nil)
    }
  }

  @Test func `Update replaces a ring, leaves it, or removes it`() throws {
    _ = try start(#"{"exec":["a"]}"#)
    let client = try daemon.connect()
    var ring = Wire.Ring(running: ["b", "c"], environment: ["A": "x"])
    ring.timeoutUsec = 5 * second
    #expect(try client.timer(.update(name: "tea", ring: ring)).ring?.exec == ["b", "c"])
    let labels = ["a": "b"] as WireMap<String>
    #expect(try client.timer(.update(name: "tea", labels: labels)).ring?.exec == ["b", "c"])
    #expect(try client.timer(.update(name: "tea", ring: Wire.Ring())).ring == nil)
    #expect(try client.get("tea").labels == labels)
    let updates = try daemon.settledLedger().filter { $0.type == .updated }
    #expect(updates.map { $0.ring?.exec } == [["b", "c"], ["b", "c"], nil])
  }

  private func update(_ ring: String) throws -> VarlinkReply {
    try daemon.rawSocket().call("Update", #"{"name":"tea","ring":\#(ring)}"#)
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
    let reply = try update(change)
    #expect(reply.error == nil, "\(reply)")
    let ring = try daemon.connect().get("tea").ring
    let shown = ring.map { ring in
      let words = ring.exec.map { "\"\($0)\"" }.joined(separator: ",")
      let events = ring.on.map(\.rawValue).joined(separator: ",")
      let timeout = ring.timeoutUsec.map { "\($0)" } ?? "-"
      let heard = (ring.sound.map { [$0] } ?? []) + (ring.silent ? ["silent"] : [])
      return "[\(words)] on \(events) env \(ring.environment.joined(separator: ",")) \(timeout) "
        + heard.joined(separator: " ")
    }
    #expect(shown ?? "none" == becomes)
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
    let file = "\(rig.path)/said"
    let started = try start(
      #"""
      {"exec":["/bin/sh","-c","echo $A >\#(file)"],"on":["paused"],"environment":{"A":"1"},
       "timeout_usec":5000000,"sound":"/b.oga","ring_for_usec":60000000,"volume":40,
       "rising_usec":7000000,"insist_usec":300000000,"disturb":false}
      """#)
    let before = try #require(started.parameters["timer"]?["ring"]?.objectValue)
    #expect(before.count == 10)
    let reply = try daemon.rawSocket().call("Update", #"{"name":"tea","ring_without":\#(parts)}"#)
    let after = try #require(reply.parameters["timer"]?["ring"]?.objectValue, "\(reply)")
    #expect(after == before.filter { !gone.contains($0.key) })
    // The values of the variables stay as well.
    guard gone.isEmpty || gone == ["volume"] else { return }
    _ = try daemon.rawSocket().call("Pause", #"{"name":"tea"}"#)
    _ = try daemon.ledger { $0.type == .actionEnded }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "1\n")
  }

  @Test func `A part is removed before another is set, and an invalid one is refused`() throws {
    _ = try start(#"{"exec":["a"],"on":["paused"],"volume":40}"#)
    let socket = try daemon.rawSocket()
    let other = try socket.call(
      "Update", #"{"name":"tea","ring":{"volume":50},"ring_without":["volume","on"]}"#)
    #expect(other.parameters["timer"]?["ring"] == ["exec": ["a"], "volume": 50], "\(other)")
    let unknown = try socket.call("Update", #"{"name":"tea","ring_without":["loudness"]}"#)
    #expect(unknown.error == "org.nightjar.Timers.InvalidValue", "\(unknown)")
    #expect(unknown.parameters["parameter"]?.stringValue == "ring_without")
    let about = try socket.call(
      "Update", #"{"name":"tea","ring":{"on":["paused"]},"ring_without":["exec"]}"#)
    #expect(about.parameters["parameter"]?.stringValue == "ring", "\(about)")
    #expect(try daemon.connect().get("tea").ring?.exec == ["a"])
    let all = try socket.call("Update", #"{"name":"tea","ring_without":["exec","volume"]}"#)
    #expect(all.error == nil && all.parameters["timer"]?["ring"] == nil, "\(all)")
  }

  @Test func `A variable that an update adds joins the existing ones`() throws {
    let file = "\(rig.path)/said"
    _ = try start(
      #"{"exec":["/bin/sh","-c","echo $A$B$C >\#(file)"],"on":["paused"],"#
        + #""environment":{"A":"1","B":"2","PATH":"/usr/bin:/bin"}}"#)
    #expect(try update(#"{"environment":{"B":"5","C":"3"}}"#).error == nil)
    _ = try daemon.rawSocket().call("Pause", #"{"name":"tea"}"#)
    _ = try daemon.ledger { $0.type == .actionEnded }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "153\n")
  }

  @Test func `Parts of a command are refused where there is no command, and nothing changes`()
    throws
  {
    _ = try start(#"{"sound":"/b.oga"}"#)
    for change in [#"{"on":["paused"]}"#, #"{"timeout_usec":5}"#, #"{"environment":{"A":"b"}}"#] {
      let reply = try update(change)
      #expect(reply.error == "org.nightjar.Timers.InvalidValue", "\(reply)")
      #expect(reply.parameters["parameter"]?.stringValue == "ring")
      let said = reply.parameters["reason"]?.stringValue ?? ""
      #expect(said.hasSuffix("need a command; give 'exec', too"), "\(said)")
    }
    #expect(try daemon.connect().get("tea").ring?.sound == "/b.oga")
    // Together there are too many variables, though each list alone would be short enough.
    let some = list(Limits.environmentVariables) { #""V\#($0)":"""# }
    _ = try start(#"{"exec":["a"],"environment":{\#(some)}}"#)
    #expect(try update(#"{"environment":{"V0":"x"}}"#).error == nil)
    #expect(try update(#"{"environment":{"A":"x"}}"#).error == "org.nightjar.Timers.LimitExceeded")
  }

  @Test(
    arguments: [
      (#"{"exec":"a"}"#, "exec"), (#"{"exec":[1]}"#, "exec"), (#"{"on":"rang"}"#, "on"),
      (#"{"exec":["a"],"timeout_usec":0}"#, "timeout_usec"),
      (#"{"exec":["a"],"timeout_usec":-1}"#, "timeout_usec"),
      (#"{"exec":["a"],"environment":["A"]}"#, "environment"),
      (#"{"exec":["a"],"environment":{"A":1}}"#, "environment"), (#"{"silent":1}"#, "silent"),
      (#"{"sound":5}"#, "sound"), (#"{"colour":5}"#, "colour"), (#"[]"#, "ring"), ("7", "ring"),
    ] as [(String, String)])
  func `An invalid part is refused by its name`(ring: String, parameter: String) throws {
    let reply = try start(ring)
    #expect(reply.error == "org.varlink.service.InvalidParameter", "\(reply)")
    #expect(reply.parameters["parameter"]?.stringValue == parameter)
  }

  @Test(
    arguments: [
      (#"{"exec":[""]}"#, "exec", "is not empty"), (#"{"exec":["a\u0000b"]}"#, "exec", "NUL"),
      (#"{"exec":["a"],"on":["fire"]}"#, "on", "'fire' is not an event of timers"),
      (#"{"exec":["a"],"on":["action_ended"]}"#, "on", "'action_ended' is not an event of timers"),
      (
        #"{"exec":["a"],"on":["clock_stepped"]}"#, "on", "'clock_stepped' is not an event of timers"
      ),
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
    ] as [(String, String, String)])
  func `A ring that makes no sense is refused in a sentence`(
    ring: String, parameter: String, sentence: String
  ) throws {
    let reply = try start(ring)
    #expect(reply.error == "org.nightjar.Timers.InvalidValue", "\(reply)")
    #expect(reply.parameters["parameter"]?.stringValue == parameter, "\(reply)")
    let said = reply.parameters["reason"]?.stringValue ?? ""
    #expect(said.contains(sentence), "\(said)")
  }

  private func list(_ count: Int, _ element: (Int) -> String) -> String {
    (0..<count).map(element).joined(separator: ",")
  }

  @Test func `The limits have names, and values just within them are accepted`() throws {
    func text(_ count: Int) -> String { #""\#(String(repeating: "x", count: count))""# }
    let words = list(Limits.execWords) { _ in #""a""# }
    let variables = list(Limits.environmentVariables) { #""V\#($0)":"""# }
    for (fits, tooMuch, limit, value) in [
      (#"{"exec":[\#(words)]}"#, #"{"exec":["a",\#(words)]}"#, "exec", Int64(Limits.execWords)),
      (
        #"{"exec":[\#(text(Limits.execBytes - 1))]}"#, #"{"exec":[\#(text(Limits.execBytes))]}"#,
        "exec_bytes", Int64(Limits.execBytes)
      ),
      (
        #"{"exec":["a"],"environment":{\#(variables)}}"#,
        #"{"exec":["a"],"environment":{"A":"",\#(variables)}}"#, "environment",
        Int64(Limits.environmentVariables)
      ),
      (
        #"{"exec":["a"],"environment":{"A":\#(text(Limits.environmentBytes - 3))}}"#,
        #"{"exec":["a"],"environment":{"A":\#(text(Limits.environmentBytes - 2))}}"#,
        "environment_bytes", Int64(Limits.environmentBytes)
      ),
      (
        #"{"exec":["a"],"timeout_usec":\#(Limits.execLongestUsec)}"#,
        #"{"exec":["a"],"timeout_usec":\#(Limits.execLongestUsec + 1)}"#, "timeout_usec",
        Limits.execLongestUsec
      ),
      (
        #"{"sound":"/\#(String(repeating: "x", count: Limits.pathBytes - 1))"}"#,
        #"{"sound":"/\#(String(repeating: "x", count: Limits.pathBytes))"}"#, "path_bytes",
        Int64(Limits.pathBytes)
      ),
    ] {
      let taken = try start(fits)
      #expect(taken.error == nil && taken.parameters["timer"]?["ring"] != nil, "\(limit): \(taken)")
      let refused = try start(tooMuch)
      #expect(refused.error == "org.nightjar.Timers.LimitExceeded", "\(limit): \(refused)")
      #expect(refused.parameters["limit"]?.stringValue == limit)
      #expect(refused.parameters["value"]?.integerValue == value)
    }
  }

  @Test func `The types of events are exactly those of the interface`() throws {
    let text = TimersInterface.description
    for (type, words) in [
      ("TimerEvent", Wire.EventType.timerEvent.map(\.rawValue)),
      ("MachineEvent", Wire.EventType.machineEvent.map(\.rawValue)),
      ("ActionEvent", Wire.EventType.actionEvent.map(\.rawValue)),
    ] {
      let mark = try #require(text.firstRange(of: "type \(type) ("))
      let lines = text[mark.upperBound...].prefix { $0 != ")" }.split(separator: "\n")
      let listed = lines.filter { !$0.contains("#") }.map { $0.filter { !", ".contains($0) } }
      #expect(listed == words)
    }
    for type in Wire.EventType.timerEvent.map(\.rawValue) {
      #expect(try start(#"{"exec":["a"],"on":["\#(type)"]}"#).error == nil)
    }
  }
}
