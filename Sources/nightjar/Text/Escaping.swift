extension String {
  /// Replaces scalars rather than characters.
  ///
  /// `replacing(_:with:)` compares characters: for it a quote with a combining mark is no quote,
  /// while a shell, which reads bytes, ends the quotation there.
  func replacingScalars(_ signs: String, with others: String) -> String {
    String(unicodeScalars.replacing(signs.unicodeScalars, with: others.unicodeScalars))
  }
}
