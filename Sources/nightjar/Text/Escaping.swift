extension String {
  /// Replaces scalars, not characters.
  ///
  /// `replacing(_:with:)` compares characters, so it does not find a quote that has a combining
  /// mark. But a shell reads bytes, and ends the quotation at that quote.
  func replacingScalars(_ signs: String, with others: String) -> String {
    String(unicodeScalars.replacing(signs.unicodeScalars, with: others.unicodeScalars))
  }
}
