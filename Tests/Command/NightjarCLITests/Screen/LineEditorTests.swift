import Testing

@testable import nightjar

/// Editing a line: the cursor, removal, and the history.
@Suite struct LineEditorTests {
  private func edited(_ text: String, _ keys: Key..., history: [String] = []) -> LineEditor {
    var line = LineEditor(history: history)
    for character in text { _ = line.press(.character(character)) }
    for key in keys { _ = line.press(key) }
    return line
  }

  private func shown(_ line: LineEditor, width: Int = 40) -> String {
    line.styled(width: width).pieces.map { $0.style.isInverse ? "[\($0.text)]" : $0.text }.joined()
  }

  @Test func `Characters are inserted at the cursor, and removed on both sides of it`() {
    #expect(shown(edited("tea 4min")) == "tea 4min[ ]")
    #expect(shown(edited("tea", .home, .character("a"))) == "a[t]ea")
    #expect(shown(edited("tea", .left, .backspace)) == "t[a]")
    #expect(shown(edited("tea", .left, .left, .delete)) == "t[a]")
    #expect(shown(edited("tea", .home, .backspace, .left)) == "[t]ea")
    #expect(shown(edited("tea", .home, .end, .right, .delete)) == "tea[ ]")
    #expect(shown(edited("tea 4min", .left, .control("u"))) == "[n]")
    #expect(shown(edited("tea 4min", .home, .right, .control("k"))) == "t[ ]")
    #expect(shown(edited("big tea  ", .control("w"))) == "big [ ]")
    #expect(shown(edited("tea", .control("w"), .control("w"))) == "[ ]")
  }

  @Test func `Up and down move through the history, and back to the new line`() {
    let before = ["tea 4min", "egg 7min"]
    #expect(edited("so", .up, history: before).text == "egg 7min")
    #expect(edited("so", .up, .up, .up, history: before).text == "tea 4min")
    #expect(edited("so", .up, .up, .down, .down, .down, history: before).text == "so")
    #expect(edited("so", .up, .character("!"), history: before).text == "egg 7min!")
    #expect(edited("tea 4min", history: before).updatedHistory == ["egg 7min", "tea 4min"])
    #expect(edited("", history: before).updatedHistory == before)
  }

  @Test
  func
    `A line that is too long shows the part with the cursor, and an ellipsis for each that is not`()
  {
    let text = "0123456789abcdefghij"
    #expect(shown(edited(text), width: 10) == "…cdefghij[ ]")
    #expect(shown(edited(text, .home), width: 10) == "[0]12345678…")
    let middle = edited(text, .left, .left, .left, .left, .left, .left, .left, .left)
    #expect(shown(middle, width: 10) == "…56789ab[c]…")
    for (width, places) in [(10, 20), (12, 3), (5, 9)] {
      var line = edited("茶茶茶tea 茶 and more")
      for _ in 0..<places { _ = line.press(.left) }
      #expect(line.styled(width: width).width <= width, "\(shown(line, width: width))")
    }
  }

  @Test func `The line has a maximum length`() {
    let text = String(repeating: "茶", count: 400)
    #expect(edited(text).text.utf8.count <= LineEditor.longest)
  }
}
