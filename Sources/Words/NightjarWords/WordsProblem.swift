package import NightjarTime

/// Why words are refused.
package struct WordsProblem: Error {
  /// A page of the manual that explains a refusal.
  package enum Page { case time }

  /// The mistake and its remedy, as one sentence without a full stop.
  package let sentence: String
  package var page: Page?
  /// What is wrong, and the texts to write instead, of which the user must choose one. Nil: there
  /// is nothing to choose.
  package var choice: (reason: String, texts: [PhraseProblem.Choice])?

  static func usage(_ sentence: String, see page: Page? = nil) -> WordsProblem {
    WordsProblem(sentence: sentence, page: page)
  }
}
