import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// `Understand`: words as a face sends them, and the timers that they mean.
@Suite struct UnderstandTests {
  // Wednesday, 2026-11-25, 12:00 in UTC.
  private static let noonUsec: Int64 = 1_795_608_000_000_000

  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  private func call(_ words: String, zone: String? = "UTC") -> String {
    var call = Wire.Understand(words: words)
    (call.nowUsec, call.zone, call.locale) = (Self.noonUsec, zone, "C")
    return String(decoding: call.json, as: UTF8.self)
  }

  /// The first timer that the words mean.
  private func reading(_ words: String, zone: String? = "UTC") throws -> JSONValue {
    try #require(desk.ask("Understand", call(words, zone: zone))["readings"]?.arrayValue?.first)
  }

  @Test func `An unknown zone is refused, and without one the daemon's own counts`() throws {
    let refusal = try desk.refusal("Understand", call("7am", zone: "Nowhere/City"))
    #expect(refusal.error == "InvalidValue" && refusal.parameter == "zone")
    for zone in [nil, "Europe/Berlin"] {
      let start = try #require(try reading("wake daily 7:00", zone: zone)["start"])
      #expect(start.text.contains("Berlin") == (zone != nil))
    }
    #expect(try desk.refusal("Understand", call("tea")).parameter == "words")
  }

  @Test func `Nothing changes, and what was read can be started`() throws {
    let start = try #require(try reading("tea 4min")["start"])
    #expect(try desk.ask("List")["timers"] == [])
    #expect(try desk.ask("Start", start.text)["duration_usec"] == 240_000_000)
    // A name alone is as long as the timer of that name that is there.
    #expect(try reading("tea")["sentence"] == "tea: 4 min, rings at 12:04")
    #expect(try desk.ask("List")["timers"]?.arrayValue?.count == 1)
  }
}
