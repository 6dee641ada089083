extension String {
  /// Replaces each occurrence of `signs`, which is compared scalar by scalar.
  ///
  /// `replacing(_:with:)` compares characters, so it does not find a quote that is followed by a
  /// combining mark. A shell reads bytes, and ends the quoted text at that quote.
  func replacingScalars(_ signs: String, with others: String) -> String {
    String(unicodeScalars.replacing(signs.unicodeScalars, with: others.unicodeScalars))
  }
}
