import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Changes with an ID, and changes that apply only to a timer in the state that the client knows.
@Suite(.blocking) struct RequestTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// The frame of the reply to a call.
  private func frame(_ socket: RawSocket, _ method: String, _ parameters: String) throws -> [UInt8]
  {
    try socket.send(frame: RawSocket.text(method, parameters))
    return try #require(try socket.frame())
  }

  // MARK: request

  @Test func `A repeated ID gets the first answer, and changes nothing more`() throws {
    let first = try rig.daemon()
    let socket = try first.rawSocket()
    let start = #"{"name":"tea","duration_usec":3600000000,"request":"a 1"}"#
    let extend = #"{"name":"tea","by_usec":60000000,"request":"a 2"}"#
    let remove = #"{"name":"tea","request":"a 3"}"#
    let calls = [("Start", start), ("Extend", extend), ("Remove", remove)]
    let replies = try calls.map { try frame(socket, $0, $1) }
    for (call, reply) in zip(calls, replies) {
      #expect(try frame(socket, call.0, call.1) == reply)
    }
    // The fields that events show.
    let shown = try first.ledger().filter { $0.name == "tea" }
    #expect(shown.map { $0.request ?? "" } == ["a 1", "a 2", "a 3"])
    #expect(shown.map(\.type) == [.started, .extended, .removed])
    // The ID is committed with its change.
    try first.crash()
    let second = try rig.daemon()
    for (call, reply) in zip(calls, replies) {
      #expect(try frame(second.rawSocket(), call.0, call.1) == reply)
    }
    #expect(try second.ledger().filter { $0.name == "tea" }.count == 3)
  }

  @Test func `A refusal is the answer to its ID, even if the call would succeed by now`() throws {
    let daemon = try rig.daemon()
    let socket = try daemon.rawSocket()
    let pause = #"{"name":"tea","request":"p"}"#
    #expect(try socket.call("Pause", pause).error == "org.nightjar.Timers.TimerNotFound")
    try daemon.connect().start("tea", usec: hour)
    #expect(try socket.call("Pause", pause).error == "org.nightjar.Timers.TimerNotFound")
    #expect(try daemon.connect().get("tea").state == .running)
    // A refusal that does not depend on the timers is not remembered.
    let wrong = #"{"name":"tea","request":"q","by":1}"#
    #expect(try socket.call("Pause", wrong).error == "org.varlink.service.InvalidParameter")
    #expect(try socket.call("Pause", #"{"name":"tea","request":"q"}"#).error == nil)
  }

  @Test func `A start that left a timer in place starts none when it is sent again`() throws {
    let daemon = try rig.daemon()
    let socket = try daemon.rawSocket()
    try daemon.connect().start("tea", usec: hour)
    let start = #"{"name":"tea","duration_usec":9000000,"if_absent":true,"request":"s"}"#
    let reply = try frame(socket, "Start", start)
    _ = try daemon.connect().timer(.perform(.remove, name: "tea"))
    try daemon.crash()
    let next = try rig.daemon()
    #expect(try frame(next.rawSocket(), "Start", start) == reply)
    #expect(try next.connect().names() == [])
  }

  @Test func `An ID that was used with another method is refused`() throws {
    let socket = try rig.daemon().rawSocket()
    _ = try socket.call("Start", #"{"name":"tea","duration_usec":3600000000,"request":"x"}"#)
    let refusal = try socket.call("Cancel", #"{"name":"tea","request":"x"}"#)
    #expect(refusal.error == "org.nightjar.Timers.InvalidValue")
    #expect(
      refusal.parameters["reason"]?.stringValue
        == "a call of org.nightjar.Timers.Start had this id; give each change an id of its own")
  }

  @Test(arguments: [
    ("", "org.varlink.service.InvalidParameter"),
    (String(repeating: "x", count: 65), "org.nightjar.Timers.LimitExceeded"),
  ])
  func `An ID has 1 to 64 bytes`(_ id: String, _ error: String) throws {
    let socket = try rig.daemon().rawSocket()
    let parameters = #"{"name":"tea","duration_usec":9000000,"request":"\#(id)"}"#
    #expect(try socket.call("Start", parameters).error == error)
  }

  @Test func `An undo is made once, too`() throws {
    let daemon = try rig.daemon()
    let socket = try daemon.rawSocket()
    _ = try socket.call("Start", #"{"name":"tea","duration_usec":3600000000}"#)
    _ = try socket.call("Pause", #"{"name":"tea","undo_id":"1"}"#)
    _ = try socket.call("Extend", #"{"name":"tea","by_usec":1000000,"undo_id":"2"}"#)
    let undo = try frame(socket, "Undo", #"{"request":"u"}"#)
    #expect(try frame(socket, "Undo", #"{"request":"u"}"#) == undo)
    #expect(try daemon.connect().get("tea").state == .paused)
    #expect(try daemon.ledger().filter { $0.type == .undone }.map(\.request) == ["u"])
  }

  @Test func `The answer to an ID waits for the disk, also the second time`() throws {
    var fault: FaultSwitch?
    let daemon = try rig.daemon { fault = try $0.useFaultyDisk() }
    let disk = try #require(fault)
    try daemon.connect().start("egg", usec: hour)
    disk.stallSyncs()
    let sockets = [try daemon.rawSocket(), try daemon.rawSocket()]
    let start = RawSocket.text("Start", #"{"name":"tea","duration_usec":3600000000,"request":"1"}"#)
    try sockets[0].send(frame: start)
    try awaitTrue("the start of tea is not on its way to the disk") { disk.isSyncWaiting }
    try sockets[1].send(frame: start)
    // A refusal that is remembered waits as well.
    let refused = try daemon.rawSocket()
    try refused.send(frame: RawSocket.text("Pause", #"{"name":"no","request":"2"}"#))
    // Calls are read in the order in which they came.
    #expect(try daemon.connect().get("tea").state == .running)
    disk.arm(.syncFails, skip: 0, count: 1)
    disk.releaseSyncs()
    for socket in sockets + [refused] {
      #expect(try socket.reply()?.error == "org.nightjar.Timers.StorageFailed")
    }
    // An answer to a change that did not happen is not remembered.
    let again = try daemon.rawSocket()
    try awaitTrue("the disk takes nothing") {
      try again.call("Start", #"{"name":"tea","duration_usec":3600000000,"request":"1"}"#).error
        == nil
    }
    #expect(try daemon.connect().get("tea").state == .running)
  }

  // MARK: if_seq

  @Test func `A change of a timer that has changed since is refused`() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let socket = try daemon.rawSocket()
    let seq = try client.start("tea", usec: hour).seq
    #expect(try daemon.ledger().last?.seq == seq)
    let pause = #"{"name":"tea","if_seq":\#(seq)}"#
    let paused = try socket.call("Pause", pause)
    let next = try #require(paused.parameters["timer"]?["seq"]?.integerValue)
    #expect(next == seq + 1)
    let refusal = try socket.call("Resume", pause)
    #expect(refusal.error == "org.nightjar.Timers.TimerChanged")
    #expect(refusal.parameters["seq"]?.integerValue == next)
    #expect(try client.get("tea").state == .paused)
    #expect(try socket.call("Resume", #"{"name":"tea","if_seq":\#(next)}"#).error == nil)
  }

  @Test func `A start happens only in place of the timer that the client knows, or of none`() throws
  {
    let socket = try rig.daemon().rawSocket()
    func start(_ ifSeq: Int64) throws -> VarlinkReply {
      try socket.call(
        "Start", #"{"name":"tea","duration_usec":3600000000,"replace":true,"if_seq":\#(ifSeq)}"#)
    }
    #expect(try start(1).error == "org.nightjar.Timers.TimerChanged")
    let seq = try #require(try start(0).parameters["timer"]?["seq"]?.integerValue)
    #expect(try start(0).error == "org.nightjar.Timers.TimerChanged")
    #expect(try start(seq).error == nil)
  }

  @Test(arguments: [
    "Pause", "Resume", "Cancel", "Restart", "Extend", "Snooze", "Dismiss", "Remove", "Advance",
    "Lap", "Skip", "Unskip", "Update", "Rename",
  ])
  func `Each change can be refused because the timer has changed since`(_ method: String) throws {
    let daemon = try rig.daemon()
    try daemon.connect().start("tea", usec: hour)
    var more = ""
    if ["Extend", "Snooze"].contains(method) { more = #","by_usec":1000000"# }
    if method == "Rename" { more = #","new_name":"soup""# }
    let reply = try daemon.rawSocket().call(method, #"{"name":"tea","if_seq":999\#(more)}"#)
    #expect(reply.error == "org.nightjar.Timers.TimerChanged")
    #expect(try daemon.ledger().map(\.name).contains("soup") == false)
  }
}
