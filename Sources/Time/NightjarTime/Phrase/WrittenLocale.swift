import Glibc

/// How the people of a locale write numbers and dates in times.
public struct WrittenLocale: Equatable, Sendable {
  /// The order of day and month in a date such as 5/6.
  public enum DateOrder: Equatable, Sendable {
    case day
    case month
    /// The order is not known. A date is accepted only if one of its numbers cannot be a month.
    case unknown
  }

  /// Whether a comma separates the fraction of a number, as in 1,5h.
  public let hasDecimalComma: Bool
  /// The order of day and month in a date with slashes.
  public let dateOrder: DateOrder

  /// A locale with a decimal point and an unknown order of day and month. Texts in files are read
  /// with it, so that they mean the same for every user.
  public static let neutral = WrittenLocale(numbers: "", dates: "")

  /// The user's locale, from the variables that setlocale(3) uses for LC_NUMERIC and LC_TIME. Only
  /// the names are used, so the locale need not be installed.
  public static var here: WrittenLocale {
    WrittenLocale { name in getenv(name).map { String(cString: $0) } }
  }

  init(environment value: (String) -> String?) {
    func name(_ category: String) -> String {
      ["LC_ALL", category, "LANG"].lazy.compactMap(value).first { !$0.isEmpty } ?? ""
    }
    self.init(numbers: name("LC_NUMERIC"), dates: name("LC_TIME"))
  }

  /// - Parameters: names of locales, such as `de_DE.UTF-8`.
  public init(numbers: String, dates: String) {
    let (numbers, dates) = (Self.parts(numbers), Self.parts(dates))
    hasDecimalComma =
      Self.commaLanguages.contains(numbers.language) && !Self.pointPlaces.contains(numbers.place)
      || Self.commaPlaces.contains(numbers.place)
    if dates.language.isEmpty || Self.yearFirst.contains(dates.language)
      || Self.yearFirst.contains(dates.place)
    {
      dateOrder = .unknown
    } else {
      dateOrder = Self.monthFirst.contains(dates.place) ? .month : .day
    }
  }

  /// The language, and the language with the country: `de` and `de_DE` for `de_DE.UTF-8@euro`. Both
  /// are empty for `C` and `POSIX`.
  private static func parts(_ name: String) -> (language: String, place: String) {
    let place = String(name.prefix { $0 != "." && $0 != "@" })
    guard place != "C", place != "POSIX" else { return ("", "") }
    return (String(place.prefix { $0 != "_" }), place)
  }

  // The sets below come from decimal_point and d_fmt in the locales of glibc 2.36.

  /// Languages with a decimal comma in all their locales except `pointPlaces`.
  private static let commaLanguages = set(
    """
    ab agr an ast ayc be bg br bs ca ce crh cs csb cv da de dsb el es et eu ff fi fo fr fur fy
    gl hr hsb ht hu ia id is ka kab kk kl ku ky lb li lij ln lt lv mg mhr mk mn nb nds nl nn no
    oc os pap pl pt quz ro ru rw sah sc se sgs sk sl sq sr sv szl tg tr tt uk vi wa wo
    """)

  /// Locales with a decimal point whose language is in `commaLanguages`.
  private static let pointPlaces = set(
    """
    de_CH de_LI es_DO es_GT es_HN es_MX es_NI es_PA es_PR es_SV es_US fr_CH
    """)

  /// Locales with a decimal comma whose language has a decimal point elsewhere.
  private static let commaPlaces = set(
    """
    az_AZ en_DK it_IT
    """)

  private static let monthFirst = set(
    """
    ab_GE bem_ZM brx_IN chr_US en_HK en_US fil_PH hy_AM iu_CA ka_GE kl_GL ks_IN tl_PH
    """)

  /// Languages and locales that write the year first. In a date without a year, their order of day
  /// and month is unknown.
  private static let yearFirst = set(
    """
    ak bo ce cmn csb dz eu fa hak hu ja ko lt lv lzh mhr mn mnw my nan ne ps sah se sgs shn si
    wae yue zh az_IR de_AT de_BE de_LU en_CA en_DK fr_CA sv_SE
    """)

  private static func set(_ words: String) -> Set<String> {
    Set(words.split { $0 == " " || $0 == "\n" }.map(String.init))
  }
}
