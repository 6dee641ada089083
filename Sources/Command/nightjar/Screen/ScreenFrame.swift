/// A box with a title on the screen.
struct ScreenFrame {
  let width: Int
  let height: Int
  let isUnicode: Bool
  var title = StyledLine()
  /// The text at the right end of the line with the title.
  var corner = StyledLine()
  /// The style of the border.
  var style = StyledLine.Style.dim
  /// The visible lines of a text that is longer than the box, and the number of all its lines. A
  /// scroll bar at the right side shows them.
  var part: (lines: Range<Int>, count: Int)?

  /// The width of the inside, in columns.
  var innerWidth: Int { max(0, width - 4) }
  var innerHeight: Int { max(0, height - 2) }

  /// Draws the box around some lines. A line that is too long is cut, and the rest of the box is
  /// blank.
  func lines(_ inner: [StyledLine]) -> [StyledLine] {
    let ends = isUnicode ? ("│", "╰", "─", "╯") : ("|", "+", "-", "+")
    var lines = [top]
    for row in 0..<innerHeight {
      var line = StyledLine(ends.0, style)
      line.add(" ")
      line.add((row < inner.count ? inner[row] : StyledLine()).fitted(to: innerWidth))
      line.add(" ")
      if isThumb(row) {
        line.add(isUnicode ? "┃" : "#", .init(ink: .cyan))
      } else {
        line.add(ends.0, style)
      }
      lines.append(line)
    }
    let bottom = String(repeating: ends.2, count: max(0, width - 2))
    lines.append(StyledLine(ends.1 + bottom + ends.3, style))
    return lines
  }

  private var top: StyledLine {
    let (left, dash, right) = isUnicode ? ("╭", "─", "╮") : ("+", "-", "+")
    var line = StyledLine(left + dash, style)
    let cornerWidth = corner.width == 0 ? 0 : corner.width + 3
    if title.width > 0 {
      line.add(" ")
      line.add(title.cut(to: max(1, width - 6 - cornerWidth)))
      line.add(" ")
    }
    let rest = width - line.width - 1
    guard cornerWidth > 0, cornerWidth <= rest else {
      line.add(String(repeating: dash, count: max(0, rest)) + right, style)
      return line
    }
    line.add(String(repeating: dash, count: rest - cornerWidth), style)
    line.add(" ")
    line.add(corner)
    line.add(" ")
    line.add(dash + right, style)
    return line
  }

  private func isThumb(_ row: Int) -> Bool {
    guard let part, part.count > part.lines.count, innerHeight > 0 else { return false }
    let length = max(1, innerHeight * part.lines.count / part.count)
    let room = innerHeight - length
    let start = room * part.lines.lowerBound / max(1, part.count - part.lines.count)
    return (start..<start + length).contains(row)
  }
}
