import NightjarTestSupport
import Testing
import Varlink

/// The machine's zone is changed, as timedatectl(1) does it.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct ZoneTests {
  private let host: Host

  init() throws { host = try Host() }

  private func setZone(_ name: String) throws {
    try host.root(
      """
      ln -s ../usr/share/zoneinfo/\(name) /etc/localtime.new
      mv -T /etc/localtime.new /etc/localtime
      """)
  }

  /// The hour of the day in UTC at which an alarm rings.
  private func hourOfDay(_ name: String) throws -> Int64 {
    let usec = try #require(try host.timer(name)["deadline_usec"]?.integerValue)
    #expect(usec % hour == 0)
    return usec / hour % 24
  }

  @Test func `Alarms follow the machine's zone, and those that name a zone do not`() throws {
    try setZone("Etc/UTC")
    try host.user("systemctl --user start nightjar.service")
    try host.user(
      "nightjar alarm here '*-*-* 09:00' && nightjar alarm tokyo '9:00 Asia/Tokyo' --repeat")
    #expect(try hourOfDay("here") == 9 && hourOfDay("tokyo") == 0)

    try setZone("Asia/Tokyo")
    #expect(try host.awaitEvent(type: "zone_changed")["zone"] == "Asia/Tokyo")
    #expect(try hourOfDay("here") == 0 && hourOfDay("tokyo") == 0)
    #expect(try host.events("rescheduled").map { $0["name"]?.stringValue } == ["here"])

    // The daemon is not running while the zone changes.
    try host.user("systemctl --user stop nightjar.socket nightjar.service")
    try setZone("Asia/Kolkata")
    try host.user("systemctl --user start nightjar.service")
    _ = try host.awaitEvent("the zone of the next daemon") {
      $0["type"] == "zone_changed" && $0["zone"] == "Asia/Kolkata"
    }
    #expect(try host.events("zone_changed").count == 2)
    let here = try #require(try host.timer("here")["deadline_usec"]?.integerValue)
    #expect(here / (hour / 2) % 48 == 7)
  }
}
