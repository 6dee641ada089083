/// What troff reads, with the macros of man(7): for groff and for mandoc.
struct Roff {
  private(set) var lines: [String] = []

  /// Lines of the source are not longer, where they can be broken; mandoc's limit is 80 bytes.
  private static let longestLine = 78
  /// A path that is longer, in bytes of the source, may be broken behind its slashes.
  private static let longestPath = 40
  /// The indentation of what is said about a term below it, and the limits of that beside it, in
  /// columns.
  private static let indentation = (below: 8, beside: 8...25)

  /// The head of a page.
  init(name: String, section: Int) {
    let title = Self.escaped(name.uppercased(), in: .bold)
    lines = [
      ".\\\" Written by nightjar __manual; mend its sources instead.",
      ".TH \(title) \(section) \(ManualPage.date) \"\(ManualPage.source)\" Nightjar",
      // Ragged, and no word is broken: names and options stay as they are typed. The register is
      // that of groff's macros, which turn hyphenation on again behind a synopsis.
      ".nr HY 0", ".nh", ".ad l",
    ]
  }

  /// The page, ready to be written.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Adds a section, or what stands in front of the first.
  mutating func add(_ section: some Sequence<ManualBlock>) {
    let width = Self.width(of: section)
    for block in section { add(block, width: width) }
  }

  /// How far what is said in a section's compact lists is indented: all of them alike.
  private static func width(of section: some Sequence<ManualBlock>) -> Int {
    var longest = 0
    for case .list(let entries, isCompact: true) in section {
      for entry in entries {
        longest = max(longest, entry.term.runs.reduce(0) { $0 + $1.text.count })
      }
    }
    let range = indentation.beside
    return min(max(longest + 2, range.lowerBound), range.upperBound)
  }

  private mutating func add(_ block: ManualBlock, width: Int) {
    switch block {
    case .section(let title): lines.append(".SH \(Self.escaped(title, in: .roman))")
    case .subsection(let title): lines.append(".SS \(Self.escaped(title, in: .roman))")
    case .synopsis(let usages): addSynopsis(usages)
    case .paragraph(let texts):
      beginParagraph()
      addLines(texts)
    case .example(let example):
      beginParagraph()
      lines += [".RS 4", ".EX"]
      lines += ManualBlock.lines(of: example).map(Self.exampleLine)
      lines += [".EE", ".RE"]
    case .list(let entries, isCompact: true): addList(entries, isCompact: true, width: width)
    case .list(let entries, isCompact: false):
      addList(entries, isCompact: false, width: Self.indentation.below)
    }
  }

  /// What apropos(1) finds.
  mutating func addName(_ name: String, summary: String) {
    let name = Self.escaped(name, in: .bold)
    lines.append(".SH NAME")
    lines += Self.filled("\(name) \\- \(Self.escaped(summary, in: .roman))")
  }

  /// A heading begins one by itself.
  private mutating func beginParagraph() {
    let isBegun = lines.last.map { $0.hasPrefix(".SH ") || $0.hasPrefix(".SS ") } ?? false
    if !isBegun { lines.append(".PP") }
  }

  private mutating func addLines(_ texts: [String]) {
    for (index, text) in texts.enumerated() {
      if index > 0 { lines.append(".br") }
      lines += Self.filled(ManualText(text))
    }
  }

  private mutating func addList(_ entries: [ManualBlock.Entry], isCompact: Bool, width: Int) {
    for (index, entry) in entries.enumerated() {
      if isCompact, index == 1 { lines.append(".PD 0") }
      lines.append(".TP \(width)")
      lines.append(Self.guarded(Self.source(entry.term)))
      lines += Self.filled(ManualText(entry.text))
    }
    if isCompact { lines.append(".PD") }
  }

  /// The arguments stand below one another where they take more than a line.
  private mutating func addSynopsis(_ usages: [String]) {
    for usage in usages {
      let (command, arguments) = ManualUsage.parts(usage)
      lines.append(".SY \"\(Self.escaped(command, in: .bold))\"")
      for argument in arguments {
        let source = Self.source(ManualText(usage: argument))
        // Dots at a line's end would be those of a sentence.
        lines.append(Self.guarded(source.replacing(" ", with: "\\~")) + "\\&")
      }
    }
    lines.append(".YS")
  }

  /// What is typed is bold, what is answered is not, nor is a remark behind it.
  private static func exampleLine(_ line: ManualBlock.Line) -> String {
    guard line.kind != .answer else { return guarded(escaped(line.text, in: .bold)) }
    let prompt = line.kind == .prompt ? "$ " : ""
    let typed = line.text.dropFirst(prompt.count)
    let remark = typed.firstRange(of: "  # ").map { typed[$0.lowerBound...] } ?? ""
    var text = ManualText()
    text.add(typed.dropLast(remark.count), .bold)
    return prompt + source(text) + escaped(remark, in: .bold)
  }
}

// MARK: - Text

extension Roff {
  private static func filled(_ text: ManualText) -> [String] { filled(source(text)) }

  /// A text as lines that are not too long; a sentence begins with a line, as troff wants it.
  private static func filled(_ source: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var endsSentence = false
    for var word in source.split(separator: " ") {
      if word.utf8.count > longestPath { word.replace("/", with: "/\\:") }
      let isFull = line.utf8.count + 1 + word.utf8.count > longestLine
      if !line.isEmpty, isFull || endsSentence && beginsSentence(word) {
        lines.append(guarded(line))
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
      endsSentence = Self.endsSentence(word)
    }
    return lines + (line.isEmpty ? [] : [guarded(line)])
  }

  private static func endsSentence(_ word: Substring) -> Bool {
    guard let last = word.replacing("\\fP", with: "").last(where: { !")\"".contains($0) }) else {
      return false
    }
    return ".?!".contains(last)
  }

  /// A word that begins with a small letter goes on in one, as behind `e.g.`; what is bold or
  /// quoted may have such a letter and begin one.
  private static func beginsSentence(_ word: Substring) -> Bool {
    word.first { $0 != "(" }?.isLowercase == false
  }

  /// A line that troff does not take for a request.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  private static func source(_ text: ManualText) -> String {
    text.runs.map { run in
      let escaped = escaped(run.text, in: run.font)
      return switch run.font {
      case .roman: escaped
      case .bold: "\\fB\(escaped)\\fP"
      case .italic: "\\fI\(escaped)\\fP"
      }
    }.joined()
  }

  /// Each character as itself, whatever the device: what is bold may be copied, so that its dashes
  /// and quotes are those of a keyboard.
  private static func escaped(_ text: some StringProtocol, in font: ManualText.Font) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "~": escaped += "\\(ti"
      case "^": escaped += "\\(ha"
      case "`": escaped += "\\(ga"
      case "-" where font == .bold: escaped += "\\-"
      case "'" where font == .bold: escaped += "\\(aq"
      case "\"" where font == .bold: escaped += "\\(dq"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return escaped
  }
}
