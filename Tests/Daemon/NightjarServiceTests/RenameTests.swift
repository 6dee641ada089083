import NightjarTestSupport
import Testing
import Varlink

/// Renaming a timer, and names in another spelling.
@Suite struct RenameTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  private func rename(_ name: String, _ new: String) -> (String, String) {
    ("Rename", #"{"name":"\#(name)","new_name":"\#(new)"}"#)
  }

  private func get(_ name: String) -> (String, String) { ("Get", #"{"name":"\#(name)"}"#) }

  private func start(_ name: String, _ more: String = "") -> (String, String) {
    ("Start", #"{"name":"\#(name)","duration_usec":3600000000\#(more)}"#)
  }

  private func story(_ name: String) throws -> [JSONValue] {
    let client = ServiceDesk.Client()
    try desk.send("Why", #"{"name":"\#(name)"}"#, to: client)
    return try client.replies().last?.parameters["events"]?.arrayValue ?? []
  }

  @Test func `A renamed timer is the same timer, and its old name is free`() throws {
    let tea = try desk.ask(start("tea"))
    try desk.ask(start("egg"))
    let renamed = try desk.ask(rename("tea", "run/4711/green tea"))
    #expect(renamed["id"] == tea["id"] && renamed["name"] == "run/4711/green tea")
    for (call, error) in [
      (get("tea"), "TimerNotFound"), (rename("egg", "run/4711/green tea"), "TimerExists"),
      (rename("egg", "a//b"), "InvalidParameter"), (rename("milk", "x"), "TimerNotFound"),
    ] {
      #expect(try desk.refusal(call.0, call.1).error == error, "\(call)")
    }
    try desk.crash()
    let again = try desk.ask(get("run/4711/green tea"))
    #expect(again["deadline_boottime_usec"] == renamed["deadline_boottime_usec"])
    #expect(try desk.ask(start("tea"))["id"] != tea["id"])
    let events = try story("run/4711/green tea")
    #expect(events.map { $0["type"] } == ["started", "renamed_to", "renamed_from"])
    #expect(events.map { $0["name"] } == ["tea", "tea", "run/4711/green tea"])
  }

  @Test func `A name in another spelling is the same, and is shown as it was first given`() throws {
    let (composed, decomposed) = ("caf\u{E9}/1", "cafe\u{301}/1")
    let started = try desk.ask(start(composed))
    try desk.ask(start("tea"))
    for call in [start(decomposed), rename("tea", decomposed)] {
      #expect(try desk.refusal(call.0, call.1).error == "TimerExists")
    }
    func expectShown(_ calls: (String, String)...) throws {
      for call in calls {
        let name = try desk.ask(call)["name"]?.stringValue
        #expect(name?.utf8.elementsEqual(composed.utf8) == true, "\(call)")
      }
    }
    let pause = ("Pause", #"{"name":"\#(decomposed)"}"#)
    try expectShown(get(decomposed), pause, rename(composed, decomposed))
    try expectShown(start(decomposed, #","replace":true"#))
    #expect(try desk.ask(get(composed))["id"] != started["id"])
    for prefix in ["caf\u{E9}", "cafe\u{301}"] {
      let page = try desk.ask("List", #"{"prefix":"\#(prefix)"}"#)
      #expect(page["timers"]?.arrayValue?.count == 1)
    }
    #expect(try story(decomposed).last?["type"] == "started")
    try desk.crash()
    try expectShown(get(decomposed))
  }

  @Test func `A watch of the old name ends, and one of the new name begins with it`() throws {
    try desk.ask(start("tea"))
    let old = try desk.follow("Watch", #"{"name":"tea"}"#)
    let new = try desk.follow("Watch", #"{"prefix":"green"}"#)
    for client in [old, new] { #expect(try client.replies().last?.parameters["synced"] == true) }
    try desk.ask(rename("tea", "green/tea"))
    let last = try #require(try old.replies().first?.parameters["event"])
    #expect(last["type"] == "renamed_to" && last["name"] == "tea")
    #expect(last["new_name"] == "green/tea" && !old.isFollowing)
    let first = try #require(try new.replies().first?.parameters["event"])
    #expect(first["type"] == "renamed_from" && first["old_name"] == "tea")
    #expect(first["name"] == "green/tea" && new.isFollowing)
  }
}

extension ServiceDesk {
  @discardableResult fileprivate func ask(_ call: (String, String)) throws -> JSONValue {
    try ask(call.0, call.1)
  }
}
