import Foundation
import NightjarClient
import NightjarTestSupport
import Testing

/// Time zones whose rules change while the daemon runs.
@Suite(.blocking) struct ZoneRenewalTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private var zones: String { "\(rig.path)/zones" }

  /// How the file of a zone gets its new rules.
  enum Writing: CaseIterable { case renamed, inPlace }

  private func install(_ rules: String, as name: String, _ writing: Writing) throws {
    let path = "\(zones)/\(name)"
    try makeFolder((path as NSString).deletingLastPathComponent)
    switch writing {
    case .renamed:
      // A package manager replaces a file by its new version in this way, and so does zic(8).
      try rig.tool(["cp", "/usr/share/zoneinfo/\(rules)", "\(path).new"])
      try rig.tool(["mv", "\(path).new", path])
    case .inPlace: try rig.tool(["cp", "/usr/share/zoneinfo/\(rules)", path])
    }
  }

  private func alarm(in zone: String, of daemon: DaemonProcess) throws -> Int64 {
    let alarm = Wire.Start(name: "daily", .calendar("9:30", zone: zone, rounds: 0))
    return try #require(try daemon.connect().timer(.start(alarm)).deadlineUsec)
  }

  /// 14 hours lie between the two zones of these tests, and neither changes its offset.
  private func expectMoved(_ event: Wire.Event, from before: Int64) throws {
    let difference = try #require(event.deadlineUsec) - before
    #expect(difference == 14 * hour || difference == -10 * hour, "\(difference)")
  }

  @Test(arguments: ["Place", "Area/Place", "Area/Land/Place"], Writing.allCases)
  func `New rules of one zone move the alarms that use it`(zone: String, writing: Writing) throws {
    try install("Asia/Tokyo", as: zone, .renamed)
    let daemon = try rig.daemon { $0.environment["TZDIR"] = zones }
    let events = try daemon.events()
    let before = try alarm(in: zone, of: daemon)
    try install("America/Bogota", as: zone, writing)
    let moved = try events.event { $0.type == .rescheduled && $0.name == "daily" }
    try expectMoved(moved, from: before)
  }

  @Test(arguments: Writing.allCases)
  func `New rules in a folder that is not watched are read on SIGHUP`(_ writing: Writing) throws {
    try install("UTC", as: "Place", .renamed)
    let daemon = try rig.daemon { $0.environment["TZDIR"] = zones }
    let events = try daemon.events()
    try install("Asia/Tokyo", as: "Late/Area/Place", .renamed)
    let before = try alarm(in: "Late/Area/Place", of: daemon)
    try install("America/Bogota", as: "Late/Area/Place", writing)
    daemon.process.signal(SIGHUP)
    try expectMoved(events.event { $0.type == .rescheduled && $0.name == "daily" }, from: before)
  }

  @Test func `New rules of one zone while the daemon was down move its alarms at the start`() throws
  {
    try install("Asia/Tokyo", as: "Area/Place", .renamed)
    let first = try rig.daemon { $0.environment["TZDIR"] = zones }
    let before = try alarm(in: "Area/Place", of: first)
    try first.terminate()
    let same = try rig.daemon { $0.environment["TZDIR"] = zones }
    #expect(!(try same.settledLedger().contains { $0.type == .zoneChanged }))
    try same.terminate()
    try install("America/Bogota", as: "Area/Place", .inPlace)
    let next = try rig.daemon { $0.environment["TZDIR"] = zones }
    try expectMoved(
      next.events(after: 0).event { $0.type == .rescheduled && $0.name == "daily" }, from: before)
  }
}
