import Foundation
import NightjarTestSupport
import Testing

@testable import NightjarTime

/// Zones as they are read from files, compared with Python's zoneinfo, an independent reader.
@Suite(.blocking) struct ZoneRulesTests {
  private static let names = [
    "UTC", "Europe/Berlin", "Europe/Dublin", "Africa/Casablanca", "America/New_York",
    "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata", "Asia/Gaza",
    "America/Nuuk", "Antarctica/Troll", "Asia/Tehran", "Pacific/Kiritimati",
  ]

  @Test(arguments: names)
  func `Local times are those of zoneinfo, from 1970 to 2199`(name: String) throws {
    let zone = try #require(ZoneDatabase.zone(named: name))
    let other = try ZoneOracle(name)
    var random = SplitMix(seed: SplitMix.usualSeed)
    for _ in 0..<4_000 {
      let second = Int64.random(in: 0..<4_102_444_800, using: &random)
      let setting = zone.setting(atUsec: second * 1_000_000)
      #expect(Int64(setting.offset) == other.offset(at: second), "at \(second)")
    }
  }

  @Test(arguments: names)
  func `A local time is mapped back to the instant at which clocks show it`(name: String) throws {
    let zone = try #require(ZoneDatabase.zone(named: name))
    var random = SplitMix(seed: SplitMix.usualSeed + 1)
    var instants = (0..<2_000).map { _ in Int64.random(in: 0..<4_102_444_800, using: &random) }
    // And around every change of clocks for twenty years.
    var usec: Int64 = 1_500_000_000_000_000
    while let change = zone.nextTransition(afterUsec: usec, beforeUsec: 2_100_000_000_000_000) {
      usec = change.second * 1_000_000
      instants += [-3_601, -3_600, -1_800, -1, 0, 1, 1_800, 3_599, 3_600].map { change.second + $0 }
      let shift = Int64(change.after.offset - change.before.offset)
      let landing = CivilTime(utcUsec: (change.second + Int64(change.before.offset)) * 1_000_000)
      if shift > 0 {
        #expect(zone.read(landing) == .never(end: usec))
      } else {
        #expect(zone.read(landing) == .once(usec: usec) || shift < 0)
      }
    }
    for instant in instants {
      let usec = instant * 1_000_000
      switch zone.read(zone.civil(atUsec: usec)) {
      case .once(let found): #expect(found == usec)
      case .twice(let first, let second):
        #expect(first < second && (usec == first || usec == second))
      case .never: Issue.record("\(instant) is shown, and not found")
      }
    }
  }

  @Test(arguments: [
    ("UTC0", 0), ("CET-1CEST,M3.5.0,M10.5.0/3", 7_200), ("EST5EDT,M3.2.0,M11.1.0", -14_400),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37_800), ("IST-1GMT0,M10.5.0,M3.5.0/1", 3_600),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -3_600), ("XXX3EDT4,0/0,J365/23", -14_400),
  ])
  func `A rule is read as in POSIX, or refused`(text: String, midsummerOffset: Int) throws {
    let rule = try #require(PosixRule(text.utf8))
    // 2026-07-01 12:00.
    #expect(rule.setting(at: 1_782_907_200).offset == midsummerOffset)
  }

  @Test(arguments: [
    ("J60", 2026, 3, 1), ("J60", 2028, 3, 1), ("J59", 2028, 2, 28), ("59", 2026, 3, 1),
    ("59", 2028, 2, 29), ("M2.1.0", 2026, 2, 1), ("M2.4.0", 2026, 2, 22), ("M2.5.0", 2026, 2, 22),
    ("M2.5.2", 2028, 2, 29), ("M2.5.3", 2028, 2, 23),
    // Years divisible by 100 have no leap day, those divisible by 400 have one.
    ("J60", 2100, 3, 1), ("59", 2100, 3, 1), ("59", 2400, 2, 29),
  ])
  func `The days of a rule are counted as in POSIX, in leap years too`(
    day: String, year: Int, month: Int, dayOfMonth: Int
  ) throws {
    let rule = try #require(PosixRule("XXX0YYY,\(day)/0,J300/0".utf8))
    let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
    let change = try #require(rule.nextTransition(after: Int64(newYear) * 86_400))
    let date = CivilDate(year: year, month: month, day: dayOfMonth)
    #expect(CivilTime(utcUsec: change.second * 1_000_000) == CivilTime(date: date, usecOfDay: 0))
  }

  @Test(arguments: [
    "", "C1", "CET", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "<CET-1", "CET-1x",
    // No zone is a day away from UTC.
    "AAA24", "AAA-23BBB,M3.5.0,M10.5.0", "AAA0BBB24:59:59,M3.5.0,M10.5.0",
  ])
  func `An invalid rule is refused`(text: String) {
    #expect(PosixRule(text.utf8) == nil)
  }

  @Test func `A truncated zone file is refused wherever it is cut`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
    #expect(ZoneFile.read(bytes, name: nil) != nil)
    for count in 0..<bytes.count - 40 { _ = ZoneFile.read(Array(bytes[..<count]), name: nil) }
    #expect(ZoneFile.read(Array(bytes[..<100]), name: nil) == nil)
    var random = SplitMix(seed: 3)
    for _ in 0..<5_000 {
      var broken = bytes
      broken[Int.random(in: broken.indices, using: &random)] = .random(in: 0...255, using: &random)
      if let zone = ZoneFile.read(broken, name: nil) {
        _ = zone.civil(atUsec: Int64.random(in: 0..<(1 << 52), using: &random))
      }
    }
  }

  @Test func `A file whose rule does not continue from its last change is refused`() throws {
    let url = URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")
    let bytes = [UInt8](try Data(contentsOf: url))
    let rule = Data("CET-1CEST,M3.5.0,M10.5.0/3".utf8)
    let footer = try #require(Data(bytes).range(of: rule))
    #expect(ZoneFile.read(bytes, name: nil)?.rule != nil)
    var broken = bytes
    broken[footer.lowerBound + 4] = UInt8(ascii: "2")
    #expect(ZoneFile.read(broken, name: nil) == nil)
  }

  @Test func `Every zone of the database can be read`() throws {
    let folder = URL(filePath: "/usr/share/zoneinfo")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files {
      guard let data = try? Data(contentsOf: file), data.starts(with: "TZif".utf8) else { continue }
      count += 1
      #expect(ZoneFile.read([UInt8](data), name: nil) != nil, "\(file.path)")
    }
    #expect(count > 300)
  }

  @Test(arguments: [
    "../etc/passwd", "../../etc/passwd", "Europe/../UTC", "Europe/.", "UTC\0", "/etc/localtime", "",
    "Europe//Berlin", "Europe", "a b", "zone.tab",
  ])
  func `Only valid names of zones are looked up`(name: String) {
    #expect(ZoneDatabase.zone(named: name) == nil)
  }

  @Test func `A file is read as a whole, whatever its length, or not at all`() throws {
    let folder = try TestFolder()
    let path = "\(folder.path)/zone"
    for count in [0, 1, 16_384, 40_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(ZoneDatabase.contents(of: path) == bytes)
    }
    #expect(ZoneDatabase.contents(of: "\(folder.path)/none") == nil)
    #expect(ZoneDatabase.contents(of: folder.path) == nil)
  }

  @Test func `The fingerprint changes if a file of any zone is written, and not otherwise`() throws
  {
    let folder = try TestFolder()
    let files = FileManager.default
    var last = ZoneDatabase.fingerprint(of: folder.path)
    func expect(_ hasChanged: Bool, at location: SourceLocation = #_sourceLocation) {
      let now = ZoneDatabase.fingerprint(of: folder.path)
      #expect((now != last) == hasChanged, sourceLocation: location)
      #expect(now >= 0 && now < 1 << 60, sourceLocation: location)
      last = now
    }
    for zone in ["Place", "Area/Place", "Area/Land/Place"] {
      let path = "\(folder.path)/\(zone)"
      try files.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      for bytes in [3, 4, 5] {
        // In place, that is, into the same file.
        try Data(repeating: 1, count: bytes).write(to: URL(fileURLWithPath: path))
        expect(true)
        expect(false)
      }
      // By a rename, as zic(8) and package managers do it, even of a file that is as old and as
      // long.
      try files.copyItem(atPath: path, toPath: "\(path).new")
      expect(true)
      try #require(rename("\(path).new", path) == 0)
      expect(true)
      expect(false)
    }
    try files.removeItem(atPath: "\(folder.path)/Area/Land/Place")
    expect(true)
    let link = "\(folder.path)-link"
    try files.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    defer { try? files.removeItem(atPath: link) }
    let linked = ZoneDatabase.fingerprint(of: link)
    try Data([1]).write(to: URL(fileURLWithPath: "\(folder.path)/Area/Place"))
    #expect(ZoneDatabase.fingerprint(of: link) != linked)
  }

  @Test func `A folder that is a link counts, also one in a circle, and any name of the database`()
    throws
  {
    let (folder, files) = (try TestFolder(), FileManager.default)
    let (database, elsewhere) = ("\(folder.path)/zo ne[1]*", "\(folder.path)/elsewhere")
    for path in [database, elsewhere] {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    try files.createSymbolicLink(atPath: "\(database)/Area", withDestinationPath: elsewhere)
    try files.createSymbolicLink(atPath: "\(database)/posix", withDestinationPath: database)
    for bytes in [3, 4] {
      let before = ZoneDatabase.fingerprint(of: database)
      try Data(repeating: 1, count: bytes).write(to: URL(fileURLWithPath: "\(elsewhere)/Place"))
      #expect(ZoneDatabase.fingerprint(of: database) != before)
    }
  }
}
