import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `Understand`: words as a face sends them, and the timers that they mean.
@Suite(.blocking) struct UnderstandTests {
  // Wednesday, 2026-11-25, 12:00 in UTC.
  private static let noonUsec: Int64 = 1_795_608_000_000_000

  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  private func reply(
    to words: String, zone: String? = "UTC", locale: String? = "C"
  ) throws -> (error: String?, parameters: JSONValue) {
    var call = Wire.Understand(words: words)
    (call.nowUsec, call.zone, call.locale) = (Self.noonUsec, zone, locale)
    let reply = try daemon.rawSocket().call("Understand", JSONValue(call).text)
    return (reply.error, reply.parameters)
  }

  private func readings(
    _ words: String, zone: String? = "UTC", locale: String? = "C"
  ) throws -> [Wire.Reading] {
    try Wire.Understand.Reply(try reply(to: words, zone: zone, locale: locale).parameters).readings
  }

  @Test func `An unknown zone is refused, and without one the daemon's own counts`() throws {
    let (error, parameters) = try reply(to: "7am", zone: "Nowhere/City")
    #expect(error == "org.nightjar.Timers.InvalidValue")
    #expect(parameters["parameter"] == "zone")
    for zone in [nil, "Europe/Berlin"] {
      let start = try #require(readings("wake daily 7:00", zone: zone).first?.start)
      #expect(String(decoding: start.bytes, as: UTF8.self).contains("Berlin") == (zone != nil))
    }
    #expect(try reply(to: "tea").parameters["parameter"] == "words")
  }

  @Test func `Nothing changes, and what was read can be started`() throws {
    let client = try daemon.connect()
    let start = try #require(readings("tea 4min").first?.start)
    #expect(try client.names() == [])
    let started = try daemon.rawSocket().call(
      "Start", String(decoding: start.bytes, as: UTF8.self))
    #expect(started.error == nil)
    #expect(try client.get("tea").durationUsec == 240 * second)
    // A name alone is as long as the timer of that name that is there.
    #expect(try readings("tea").map(\.sentence) == ["tea: 4 min, rings at 12:04"])
    #expect(try client.names() == ["tea"])
  }
}
