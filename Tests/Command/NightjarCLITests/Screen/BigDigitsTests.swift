import Testing

@testable import nightjar

@Suite struct BigDigitsTests {
  @Test func `Pixels are half a line high, and as wide as the scale says`() {
    #expect(
      BigDigits.lines("1:4", scale: 1, isUnicode: true) == ["▄█  ▄ █ █", " █  ▄ ▀▀█", "▀▀▀     ▀"])
    #expect(
      BigDigits.lines("7", scale: 2, isUnicode: false)
        == ["######", "    ##", "    ##", "    ##", "    ##"])
  }

  @Test(arguments: [1, 2, 3, 4])
  func `The lines have the announced number and width`(scale: Int) throws {
    for text in ["00:00.0", "12:34:56", "789", "31 d 2 h"] {
      let lines = BigDigits.lines(text, scale: scale, isUnicode: true)
      let width = try #require(BigDigits.width(text, scale: scale))
      #expect(lines.count == BigDigits.height(scale: scale))
      #expect(lines.allSatisfy { $0.count == width })
    }
    #expect(BigDigits.width("3 min", scale: scale) == nil)
  }
}
