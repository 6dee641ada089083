import Foundation
import NightjarClient
import NightjarTestSupport
import Testing

/// Time zones whose rules change while the daemon runs.
@Suite(.blocking) struct ZoneRenewalTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test func `New rules of a zone move the alarms that use it`() throws {
    let zones = "\(rig.path)/zones"
    try FileManager.default.createDirectory(atPath: zones, withIntermediateDirectories: false)
    // A package manager replaces a file by its new version in this way.
    func install(_ name: String) throws {
      try rig.tool(["cp", "/usr/share/zoneinfo/\(name)", "\(zones)/new"])
      try rig.tool(["mv", "\(zones)/new", "\(zones)/Place"])
    }
    try install("Asia/Tokyo")
    let daemon = try rig.daemon { $0.environment["TZDIR"] = zones }
    let events = try daemon.events()
    let alarm = NewTimer(name: "daily", .calendar("9:30", zone: "Place", rounds: 0))
    let before = try #require(try daemon.connect().timer(.start(alarm)).deadlineUsec)
    try install("America/Bogota")
    let moved = try events.event { $0.type == .rescheduled && $0.name == "daily" }
    // 14 hours lie between these two zones, and neither changes its offset.
    let difference = try #require(moved.deadlineUsec) - before
    #expect(difference == 14 * hour || difference == -10 * hour, "\(difference)")
  }
}
