import NightjarInterface
import NightjarMirror
import NightjarModel
import Testing
import Varlink
import VarlinkGenerator

/// The calls that one machine may make to another.
@Suite struct RemoteCallTests {
  private func call(_ method: String, _ parameters: JSONValue = [:]) -> RemoteCall {
    RemoteCall(method: "org.nightjar.Timers.\(method)", parameters: parameters)
  }

  private func refusal(
    _ call: RemoteCall, _ allowed: RemotePermission = .start, nowUsec: Int64 = 0
  ) -> CallRefusal? {
    do throws(CallRefusal) {
      try call.check(allowed: allowed, nowUsec: nowUsec)
      return nil
    } catch {
      return error
    }
  }

  @Test func `Each permission allows its methods and those of the smaller ones`() {
    let methods: [(RemotePermission, [String])] = [
      (.look, ["Get", "List", "Why", "Status"]),
      (
        .change,
        [
          "Pause", "Resume", "Cancel", "Restart", "Extend", "Snooze", "Dismiss", "Stop",
          "Remove", "Advance", "Lap", "Skip", "Unskip", "Update", "Rename", "Undo",
        ]
      ), (.start, ["Start"]),
    ]
    for (needed, names) in methods {
      for name in names {
        for allowed in RemotePermission.allCases {
          let error = refusal(call(name), allowed)
          #expect((error == nil) == (allowed >= needed), "\(name) with \(allowed)")
          if error != nil { #expect(error?.name == "org.varlink.service.PermissionDenied") }
        }
      }
    }
  }

  @Test(arguments: [
    "org.nightjar.Timers.HoldRings", "org.nightjar.Timers.TestRing",
    "org.nightjar.Timers.Understand", "org.nightjar.Timers.Watch", "org.nightjar.Timers.Nosuch",
    "org.varlink.service.GetInfo", "Start", "",
  ])
  func `Other methods do not exist for other machines`(method: String) {
    let error = refusal(RemoteCall(method: method, parameters: [:]))
    #expect(error?.name == "org.varlink.service.MethodNotFound")
  }

  @Test(arguments: ["exec", "on", "environment", "timeout_usec", "anything"])
  func `No command to run comes over the network`(member: String) {
    for method in ["Start", "Update"] {
      let value: JSONValue = [
        "name": "x", "ring": .object([JSONValue.Member(member, ["sh", "-c", "true"])]),
      ]
      let error = refusal(call(method, value))
      #expect(error?.name == "org.nightjar.Timers.InvalidValue")
      #expect(error?.parameters["parameter"]?.stringValue == "ring.\(member)")
    }
  }

  @Test func `Another machine may set each part of a ring that is not about the command`() throws {
    let ring = try Interface(parsing: TimersInterface.description).declaration(of: "Ring")?.kind
    guard case .type(.structure(let parts))? = ring else { throw CancellationError() }
    for part in parts {
      let isOfCommand = ["exec", "on", "environment", "timeout_usec"].contains(part.name)
      let call = call("Start", ["ring": .object([.init(part.name, "pulse")])])
      #expect((refusal(call) != nil) == isOfCommand, "decide in RemoteCall: \(part.name)")
    }
  }

  @Test func `A sound is one that is built in, and no path`() {
    #expect(refusal(call("Start", ["ring": ["sound": "pulse", "volume": 50]])) == nil)
    #expect(refusal(call("Start", ["ring": ["sound": "/dev/zero"]])) != nil)
    #expect(refusal(call("Start", ["ring": ["sound": ["x"]]])) != nil)
  }

  @Test func `A change that came too late is not carried out, and a question is answered`() {
    var pause = call("Pause", ["name": "tea"])
    var get = call("Get", ["name": "tea"])
    (pause.validUntilUsec, get.validUntilUsec) = (100, 100)
    #expect(refusal(pause, nowUsec: 100) == nil)
    #expect(refusal(pause, nowUsec: 101)?.name == "org.nightjar.Timers.InvalidValue")
    #expect(refusal(get, nowUsec: 101) == nil)
  }

  @Test func `A change without an id gets one, an existing id stays, and a query needs none`() {
    #expect(
      call("Pause", ["name": "x"]).identified(by: "7").parameters == ["name": "x", "request": "7"])
    let own = call("Pause", ["request": "mine"])
    #expect(own.identified(by: "7") == own)
    #expect(call("Get", ["name": "x"]).identified(by: "7") == call("Get", ["name": "x"]))
    #expect(call("Pause", ["request": .null]).identified(by: "7").parameters == ["request": "7"])
  }

  @Test func `A call that the daemon could not parse is not sent to it`() {
    #expect(call("Pause", ["name": "x"]).isReadable)
    let many = JSONValue.array(Array(repeating: .integer(1), count: WireLimits.callValues + 1))
    #expect(!call("Get", ["name": many]).isReadable)
    let long = String(repeating: "x", count: WireLimits.frameBytes)
    #expect(!call("Get", ["name": .string(long)]).isReadable)
    let deep = (0...WireLimits.nestingDepth).reduce(JSONValue.null) { value, _ in .array([value]) }
    #expect(!call("Get", ["name": deep]).isReadable)
  }

  @Test func `A call and its answer can be parsed from their payloads`() {
    var call = call("Extend", ["name": "tea", "by_usec": 5])
    call.validUntilUsec = 9
    #expect(RemoteCall(payload: call.payload) == call)
    for bad in ["", "{}", "[]", "{\"method\":1}", "{\"method\":\"x\",\"parameters\":[]}"] {
      #expect(RemoteCall(payload: Array(bad.utf8)) == nil)
    }
    func read(_ answer: OwnerAnswer, of method: String) -> OwnerAnswer? {
      OwnerAnswer(payload: answer.payload(of: "org.nightjar.Timers.\(method)"))
    }
    let started = OwnerAnswer.reply([
      "timer": ["name": "x", "ring": ["exec": ["secret"], "silent": true]], "created": true,
    ])
    #expect(
      read(started, of: "Start")
        == .reply(["timer": ["name": "x", "ring": ["silent": true]], "created": true]))
    // A client requires the other members of a status.
    let status = OwnerAnswer.reply([
      "storage": ["ok": true, "state_directory": "/home/x", "set_aside": "/y"],
      "wake": ["can": false, "reason": "no capability"],
    ])
    #expect(
      read(status, of: "Status")
        == .reply([
          "storage": ["ok": true, "state_directory": ""],
          "wake": ["can": false, "reason": "no capability"],
        ]))
    let error = OwnerAnswer.error("e", ["reason": "why"])
    #expect(read(error, of: "x") == error)
    #expect(OwnerAnswer(payload: [1]) == nil)
  }
}
