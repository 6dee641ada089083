import Testing

@testable import nightjar

/// Tables that fit the terminal's width.
@Suite struct TableTests {
  @Test(
    arguments: [
      ([10, 8, 9, 40], 80, [10, 8, 9, 40], [0..<4]),
      ([10, 8, 9, 60], 80, [10, 8, 9, 47], [0..<4]),
      ([30, 8, 9, 60], 60, [21, 8, 9, 16], [0..<4]),
      ([30, 8, 9, 60], 54, [16, 8, 9, 15], [0..<3, 3..<4]),
      ([30, 8, 9, 14, 60], 40, [16, 8, 9, 14, 22], [0..<3, 3..<5]),
      ([5, 8], 10, [5, 8], [0..<1, 1..<2]),
    ] as [([Int], Int, [Int], [Range<Int>])])
  func
    `Words are narrowed first, then names, neither to nothing; then a row continues on another line`(
      natural: [Int], width: Int, expected: [Int], parts: [Range<Int>]
    )
  {
    var widths = natural
    let found = Table.parts(&widths, in: width)
    #expect(found == parts)
    for part in found {
      let indent = part.lowerBound > 0 ? 2 : 0
      #expect(indent + widths[part].reduce(0, +) + 2 * (part.count - 1) <= width)
    }
    if parts.count == 1 || natural.count == 5 { #expect(widths == expected) }
  }

  @Test func `The column before the last wraps before a row is broken, and no heading is alone`() {
    var table = Table(header: ["NAME", "STATE", "REMAINING", "RINGS", "WHAT"])
    table.add([
      "a name of 24 columns, so", "fired", "00:00", "rang 12 min ago, unanswered", "Pasta",
    ])
    table.add(["tea", "running", "28 d 12 h", "Thu 26 Nov 04:05:00", "work, step 1 of 2"])
    #expect(
      table.lines(width: 80) == [
        "NAME                   STATE    REMAINING  RINGS                WHAT",
        "a name of 24 columns…  fired    00:00      rang 12 min ago,     Pasta",
        "                                           unanswered",
        "tea                    running  28 d 12 h  Thu 26 Nov 04:05:00  work, step 1 of",
        "                                                                2",
      ])
  }

  @Test func `Lines fit a narrow terminal, and words continue below`() {
    var table = Table(header: ["NAME", "STATE", "REMAINING", "RINGS", "WHAT"])
    table.add([
      "call grandma about the birthday", "running", "02:09:38", "04:05:00",
      "work, step 1 of 2, round 3 of 4",
    ])
    table.add(["茶茶茶茶茶茶茶茶茶茶茶茶", "paused", "00:10", "", ""])
    let lines = table.lines(width: 40)
    #expect(
      lines == [
        "NAME              STATE    REMAINING", "  RINGS     WHAT",
        "call grandma ab…  running  02:09:38",
        "  04:05:00  work, step 1 of 2, round 3",
        "            of 4", "茶茶茶茶茶茶茶…   paused   00:10",
      ])
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 40 })
    #expect(["茶", "e\u{301}té", "🍵/x"].map { DisplayWidth.of($0) } == [2, 3, 4])
    #expect(table.lines(width: 200).count == 3)
  }
}
