import NightjarTestSupport
import Testing

@testable import NightjarTime

@Suite struct TextPlaceTests {
  /// The standard library's own search is what it is compared with.
  @Test func `A text is found where it stands for the first time`() {
    var generator = SplitMix(seed: SplitMix.usualSeed)
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
          "ab.é".randomElement(using: &generator) ?? "a"
        })
      let part = String(
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          "ab.é".randomElement(using: &generator) ?? "a"
        })
      #expect(
        text.firstPlace(of: part) == text.firstRange(of: part),
        "'\(part)' in '\(text)', seed \(SplitMix.usualSeed)")
    }
  }
}
