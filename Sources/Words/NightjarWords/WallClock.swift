package import NightjarTime

/// The time, the zone and the language of whoever types words.
package struct WallClock {
  /// The current time, in microseconds since the epoch.
  package var nowUsec: Int64
  /// The time zone of the user.
  package var zone: ZoneRules
  /// The name of the user's zone, if that zone may differ from the machine's. In this case a
  /// request must contain the name. Nil: the zones are the same.
  package var foreignZone: String?
  /// How the user writes numbers and dates.
  package var locale: WrittenLocale
  /// The program's name in the commands that errors suggest, with the machine on whose timers it
  /// acts.
  package var program: String

  package init(
    nowUsec: Int64, zone: ZoneRules, foreignZone: String? = nil, locale: WrittenLocale = .here,
    program: String = "nightjar"
  ) {
    (self.nowUsec, self.zone, self.foreignZone) = (nowUsec, zone, foreignZone)
    (self.locale, self.program) = (locale, program)
  }

  /// A reader of times that are relative to this time and zone.
  package var reader: PhraseReader { PhraseReader(nowUsec: nowUsec, local: zone, locale: locale) }

  /// The time span that a text is; nil: it is none.
  package func span(_ text: String) -> ParsedSpan? { try? ParsedSpan(phrase: text, locale: locale) }

  package func isSpan(_ text: String) -> Bool { span(text) != nil }
}
