/// The zone that is written after a time.
public enum ZoneWord: Equatable, Sendable {
  /// The local zone. No word is written.
  case local
  /// A zone by its name in the database, or `UTC`.
  case named(String)
  /// One setting of the local zone's clocks, named by its abbreviation, such as `CET`.
  case setting(ZoneRules.Setting)

  /// Finds the meaning of a word.
  ///
  /// - Parameters:
  ///   - position: the word's position in characters, for errors.
  ///   - isZone: whether the database has a zone with this name.
  init(
    _ word: String, at position: Int, local: ZoneRules, isZone: (String) -> Bool
  ) throws(TimeError) {
    let upper = word.uppercased()
    let setting = local.presentSettings.first { $0.abbreviation.uppercased() == upper }
    if upper == "UTC" {
      self = .named("UTC")
    } else if let setting {
      self = .setting(setting)
    } else if isZone(word) {
      self = .named(word)
    } else {
      throw TimeError(
        .unknownZone, at: position, "\(ZoneDatabase.absence(of: word)) (at \(position))")
    }
  }

  /// The rules of the zone. May read a file.
  ///
  /// - Throws: `TimeError` if the zone was removed from the database after the time was read.
  public func rules(local: ZoneRules) throws(TimeError) -> ZoneRules {
    switch self {
    case .local: return local
    case .setting(let setting): return ZoneRules(setting)
    case .named(let name):
      guard let rules = ZoneDatabase.zone(named: name) else {
        throw TimeError(.unknownZone, at: 1, ZoneDatabase.absence(of: name))
      }
      return rules
    }
  }
}
