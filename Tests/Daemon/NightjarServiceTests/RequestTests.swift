import NightjarTestSupport
import Testing
import Varlink

/// Changes with an ID, and changes that apply only to a timer in the state that the client knows.
@Suite struct RequestTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  // MARK: request

  @Test func `A repeated ID gets the first answer, and changes nothing more`() throws {
    // The last call left a timer in place, and starts none when there is none.
    let calls = [
      ("Start", #"{"name":"tea","duration_usec":3600000000,"request":"a"}"#),
      ("Extend", #"{"name":"tea","by_usec":60000000,"request":"b","undo_id":"1"}"#),
      ("Undo", #"{"request":"c"}"#), ("Remove", #"{"name":"tea","request":"d"}"#),
      ("Start", #"{"name":"egg","duration_usec":9000000,"if_absent":true,"request":"e"}"#),
    ]
    try desk.ask("Start", #"{"name":"egg","duration_usec":9000000}"#)
    let replies = try calls.map { try desk.call($0, $1).parameters }
    _ = try desk.ask("Remove", #"{"name":"egg"}"#)
    let events = try desk.ledger().count
    for isNext in [false, true] {
      if isNext { try desk.crash() }
      for (call, reply) in zip(calls, replies) {
        #expect(try desk.call(call.0, call.1).parameters == reply, "\(call)")
      }
    }
    #expect(try desk.ask("List")["timers"] == [])
    let made = try desk.ledger()
    #expect(made.count { $0["name"] != nil } == events)
    #expect(made.compactMap { $0["request"] } == ["a", "b", "c", "d"])
  }

  @Test func `A refusal is the answer to its ID, even if the call would succeed by now`() throws {
    let pause = #"{"name":"tea","request":"p"}"#
    #expect(try desk.refusal("Pause", pause).error == "TimerNotFound")
    try desk.ask("Start", #"{"name":"tea","duration_usec":3600000000}"#)
    #expect(try desk.refusal("Pause", pause).error == "TimerNotFound")
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["state"] == "running")
    // A refusal that does not depend on the timers is not remembered.
    let wrong = #"{"name":"tea","request":"q","by":1}"#
    #expect(try desk.refusal("Pause", wrong).error == "InvalidParameter")
    try desk.ask("Pause", #"{"name":"tea","request":"q"}"#)
    // An ID belongs to one method.
    let other = try desk.refusal("Cancel", #"{"name":"tea","request":"q"}"#)
    #expect(
      other.reason
        == "a call of org.nightjar.Timers.Pause had this id; give each change an id of its own")
  }

  @Test(arguments: ["request", "undo_id"])
  func `An ID has 1 to 64 bytes`(_ key: String) throws {
    for (count, error) in [(0, "InvalidParameter"), (65, "LimitExceeded")] {
      let id = String(repeating: "x", count: count)
      #expect(
        try desk.refusal("Start", #"{"duration_usec":9000000,"\#(key)":"\#(id)"}"#).error == error)
    }
  }

  // MARK: undo_id

  @Test func `An undo is on disk, and after a restart nothing more can be undone`() throws {
    for name in ["tea", "egg"] {
      try desk.ask("Start", #"{"name":"\#(name)","duration_usec":3600000000}"#)
    }
    for name in ["tea", "egg"] {
      try desk.ask("Remove", #"{"name":"\#(name)","undo_id":"1"}"#)
    }
    let undoing = try desk.ask("Undo")
    #expect(undoing["type"] == "removed" && undoing["count"] == 2 && undoing["kept"] == 0)
    let tea = try desk.ask("Get", #"{"name":"tea"}"#)
    try desk.ask("Cancel", #"{"name":"egg","undo_id":"2"}"#)
    try desk.crash()
    let again = try desk.ask("Get", #"{"name":"tea"}"#)
    #expect(again["deadline_boottime_usec"] == tea["deadline_boottime_usec"])
    #expect(try desk.ask("Get", #"{"name":"egg"}"#)["state"] == "cancelled")
    let refusal = try desk.refusal("Undo")
    #expect(
      refusal.error == "NothingToUndo"
        && refusal.reason
          == "no change by a person within the last minute is left to undo; a restart of the daemon "
          + "forgets them all"
    )
  }

  // MARK: if_seq

  @Test func `A change of a timer that has changed since is refused`() throws {
    let started = try desk.ask("Start", #"{"name":"tea","duration_usec":3600000000}"#)
    let seq = try #require(started["seq"]?.integerValue)
    let pause = #"{"name":"tea","if_seq":\#(seq)}"#
    #expect(try desk.ask("Pause", pause)["seq"] == .integer(seq + 1))
    let refusal = try desk.call("Resume", pause)
    #expect(refusal.error == "org.nightjar.Timers.TimerChanged")
    #expect(refusal.parameters["seq"] == .integer(seq + 1))
    try desk.ask("Resume", #"{"name":"tea","if_seq":\#(seq + 1)}"#)
  }

  @Test func `A start replaces only the timer that the client knows, or starts the first`() throws {
    func start(_ ifSeq: Int64) throws -> VarlinkReply {
      try desk.call(
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
    try desk.ask("Start", #"{"name":"tea","duration_usec":3600000000}"#)
    let more = ["Extend", "Snooze"].contains(method) ? #","by_usec":1000000"# : ""
    let name = method == "Rename" ? #","new_name":"soup""# : ""
    let refusal = try desk.refusal(method, #"{"name":"tea","if_seq":999\#(more)\#(name)}"#)
    #expect(refusal.error == "TimerChanged")
    #expect(try desk.ledger().count == 1)
  }
}
