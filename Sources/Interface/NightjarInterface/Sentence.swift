/// A text for people. A program can only show it: what a program must know to decide is a word or a
/// number beside it. So a sentence is not equal to another, and cannot be searched.
public struct Sentence: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
  /// The text, to print it or to write it on the wire.
  public let description: String

  /// Makes a sentence of a text.
  public init(_ text: String) { description = text }

  /// Makes a sentence of a literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// The sentences with semicolons between them; nil if there are none.
  public init?(joining sentences: [Sentence]) {
    guard !sentences.isEmpty else { return nil }
    self.init(sentences.map(\.description).joined(separator: "; "))
  }
}
