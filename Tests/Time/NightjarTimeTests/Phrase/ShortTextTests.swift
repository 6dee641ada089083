import NightjarTestSupport
import Testing

@testable import NightjarTime

/// The short text of a calendar expression can be typed again.
@Suite struct ShortTextTests {
  @Test func `A short text is read as the expression that it was made from`() throws {
    let reader = PhraseReader(nowUsec: 0, local: .utc, locale: .neutral)
    var generator = CalendarGenerator(seed: SplitMix.usualSeed)
    var count = 0
    for _ in 0..<20_000 {
      let text = generator.expression()
      guard let expression = try? CalendarExpression(text, local: .utc),
        reader.next(of: expression) != nil
      else { continue }
      let comment: Comment = "\(expression.shortText) for \(text), seed \(SplitMix.usualSeed)"
      // An expression that matches on a single day is read as a point in time.
      guard case .repeating(let read) = try reader.time(expression.shortText) else {
        #expect(!expression.isOfEveryDate, comment)
        continue
      }
      #expect(read == expression, comment)
      count += 1
    }
    #expect(count > 1_000)
  }
}
