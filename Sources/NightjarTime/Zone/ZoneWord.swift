/// What a time is told by, as it is written behind it.
public enum ZoneWord: Equatable, Sendable {
  /// The zone of whoever asks; nothing is written.
  case local
  /// A zone by its name in the database, `UTC` among them.
  case named(String)
  /// Clocks as the local zone sets them for a part of the year, by its word for it, such as `CET`.
  case setting(ZoneRules.Setting)

  /// What a word means.
  ///
  /// - Parameters:
  ///   - index: where it stands, in characters.
  ///   - isZone: whether the database has a zone of this name.
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

  /// The rules that it means. Reads a file.
  ///
  /// - Throws: `TimeError`: the zone has been taken out of the database since it was read.
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
