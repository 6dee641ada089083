@testable import NightjarTime

/// Zones without files: what an input names never reaches the file system.
enum Zones {
  /// Every manner of changing clocks that there is.
  static let all: [ZoneRules] = [
    .utc,
    zone("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"),
    zone("America/New_York", "EST5EDT,M3.2.0,M11.1.0"),
    // By half an hour, in the south.
    zone("Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
    // Summer is the standard.
    zone("Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1"),
    // Two hours at once.
    zone("Antarctica/Troll", "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3"),
    // On the day before.
    zone("America/Nuuk", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"),
    // A day was left out: 2011-12-30.
    ZoneRules(
      name: "Pacific/Apia",
      transitions: [
        .init(
          second: 1_325_239_200, before: .init(offset: -36_000, isDST: false, abbreviation: "WSDT"),
          after: .init(offset: 50_400, isDST: false, abbreviation: "WSST"))
      ], first: .init(offset: -36_000, isDST: false, abbreviation: "WSDT"), rule: nil),
  ]

  private static func zone(_ name: String, _ text: String) -> ZoneRules {
    guard let rule = PosixRule(text.utf8) else { fatalError("'\(text)' is no rule") }
    return ZoneRules(name: name, transitions: [], first: rule.standard, rule: rule)
  }

  /// The zone of a name, and that no name leads out of the database's folder.
  static func named(_ name: String) -> ZoneRules? {
    if ZoneDatabase.isName(name) {
      let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      require(
        parts.allSatisfy { !$0.isEmpty && !$0.contains(UInt8(ascii: ".")) && !$0.contains(0) },
        "'\(name)' would be looked for as a zone")
    }
    return all.first { $0.name == name }
  }

  /// Instants at which something may go wrong, in microseconds since the epoch.
  static let instants: [Int64] = [
    // 2026-11-21 12:00.
    1_795_262_400_000_000, 0, 1, -1,
    // Before clocks are put forward and back in Europe: 2026-03-29 and 2026-10-25 01:00 UTC.
    1_774_745_999_999_999, 1_792_889_999_999_999, 1_792_890_000_000_000,
    // In Lord Howe, and in Apia.
    1_775_314_799_999_999, 1_325_239_199_999_999,
    // Leap days: 2028-02-29, and none in 2100.
    1_835_395_200_000_000, 4_107_542_399_999_999,
    // The last second of 32 bits, of 2199 and of 9999.
    2_147_483_647_999_999, 7_258_118_399_999_999, 253_402_300_799_999_999,
  ]
}
