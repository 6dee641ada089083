extension String {
  /// With other signs for some, as whoever reads the text by bytes sees them.
  ///
  /// `replacing(_:with:)` goes by characters: to it a quote with a combining mark behind it is no quote, while
  /// a shell sees where the quotation ends.
  func replacingScalars(_ signs: String, with others: String) -> String {
    String(unicodeScalars.replacing(signs.unicodeScalars, with: others.unicodeScalars))
  }
}
