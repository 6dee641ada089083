import Foundation
import NightjarTestSupport

/// Text of a manual page, without macros, and the words that each macro marks.
///
/// On these pages `Fl` is an option, `Ar` a placeholder, `Cm` any other literal word (a value, a
/// key, a field, an event), `Ic` a command line, `Ev` a variable, `Xr` another page, `Sx` a section
/// of the same page.
struct ManualText {
  private(set) var plain = ""
  private var marked: [(macro: String, text: String)] = []
  private var isGlued = true

  private static let macros = Set(
    "Ar Cm Dv Em Ev Ic Lk Nm Pa Sx Sy Xr Fl No Ns Op Bq Pq Oo Oc".split(separator: " "))

  func texts(_ macro: String) -> [String] { marked.filter { $0.macro == macro }.map(\.text) }

  /// Adds a line of mdoc(7).
  mutating func add(_ line: Substring, page: String) {
    guard line.hasPrefix(".") else { return append(Self.unescaped(line)) }
    addMacros(line.dropFirst().split(separator: " "), page: page)
  }

  /// Adds the words of a line with macros. A macro marks the words up to the next one.
  mutating func addMacros(_ words: [Substring], page: String) {
    let around = ["Op": ("[", "]"), "Bq": ("[", "]"), "Pq": ("(", ")")]
    let closing: Set<Substring> = [".", ",", ":", ";", ")", "]", "?", "!"]
    // Punctuation at the end of a line comes behind what encloses the rest of the line.
    let isEnclosed = words.contains { around[String($0)] != nil }
    let last = isEnclosed ? words.reversed().prefix { closing.contains($0) }.reversed() : []
    var (macro, group, end) = ("", [] as [String], "")
    func isMacro(_ word: Substring) -> Bool { Self.macros.contains(word) }
    for word in words.dropLast(last.count) {
      guard isMacro(word) || closing.contains(word) || ["|", "(", "["].contains(word) else {
        group.append(Self.unescaped(word))
        continue
      }
      appendMarked(macro, group)
      group = []
      switch String(word) {
      case "Ns": isGlued = true
      case "Oc": append("]", isGlued: true)
      case let word where around[word] != nil || word == "Oo":
        let (begin, behind) = around[word] ?? ("[", "")
        append(begin)
        (isGlued, end, macro) = (true, behind + end, "")
      case let sign where !isMacro(word):
        append(sign, isGlued: closing.contains(word))
        isGlued = ["(", "["].contains(word)
      case let word:
        macro = word
        if macro == "Nm", word == words.last ?? "" { group = [page] }
      }
    }
    appendMarked(macro, group)
    for sign in [end] + last.map(String.init) where !sign.isEmpty { append(sign, isGlued: true) }
  }

  private mutating func appendMarked(_ macro: String, _ words: [String]) {
    guard !words.isEmpty else { return }
    var texts = [words.joined(separator: " ")]
    if macro == "Fl" { texts = words.map { "-\($0)" } }
    if macro == "Xr", words.count == 2 { texts = ["\(words[0])(\(words[1]))"] }
    for text in texts {
      append(text)
      marked.append((macro, text))
    }
  }

  private mutating func append(_ text: String, isGlued: Bool = false) {
    plain += (isGlued || self.isGlued ? "" : " ") + text
    self.isGlued = false
  }

  static func unescaped(_ text: Substring) -> String {
    String(
      text.replacing("\\&", with: "").replacing("\\:", with: "").replacing("\\(dq", with: "\"")
        .replacing("\\e", with: "\\"))
  }
}

/// A piece of a section.
enum ManualBlock {
  case heading(String)
  /// A paragraph, or a command with its arguments.
  case text(ManualText)
  case example([String])
  case list([(term: ManualText, text: ManualText)])
}

/// A page in Sources/Manual. mandoc and groff check that it is correct; this reads what tests
/// compare with the sources.
struct ManualPage {
  struct Section {
    let title: String
    fileprivate(set) var blocks: [ManualBlock] = []

    var entries: [(term: ManualText, text: ManualText)] {
      blocks.flatMap { if case .list(let entries) = $0 { entries } else { [] as [Entry] } }
    }
    var examples: [[String]] {
      blocks.compactMap { if case .example(let lines) = $0 { lines } else { nil } }
    }
    var texts: [ManualText] {
      blocks.compactMap { if case .text(let text) = $0 { text } else { nil } }
        + entries.flatMap { [$0.term, $0.text] }
    }
    /// The terms of its lists that use a macro.
    func terms(_ macro: String) -> [String] { entries.flatMap { $0.term.texts(macro) } }
  }
  typealias Entry = (term: ManualText, text: ManualText)

  let fileName: String
  let source: String
  /// What stands behind `Dd`, `Dt`, `Os`, and `Nd`, the line for apropos(1).
  private(set) var head: [String: String] = [:]
  private(set) var sections: [Section] = []
  private var (isInExample, isInList) = (false, false)

  init(_ fileName: String) throws {
    self.fileName = fileName
    source = try Documentation.text(of: "Sources/Manual/\(fileName)")
    for line in source.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      read(line)
    }
  }

  /// The argument for man(1), and its section: 1: commands, 5: files, 7: everything else.
  var name: String { String(fileName.dropLast(2)) }
  var number: String { String(fileName.suffix(1)) }
  var path: String { "\(Self.folder)/\(fileName)" }
  var summary: String { head["Nd"] ?? "" }
  var texts: [ManualText] { sections.flatMap(\.texts) }
  var examples: [[String]] { sections.flatMap(\.examples) }
  func section(_ title: String) -> Section? { sections.first { $0.title == title } }

  private mutating func read(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count == 2 ? words[1] : ""
    let macro = String(words.first ?? "")
    switch macro {
    case _ where isInExample && macro != ".Ed":
      if case .example(let lines)? = sections.last?.blocks.last {
        replaceLast(by: .example(lines + [ManualText.unescaped(line)]))
      }
    case ".Dd", ".Dt", ".Os", ".Nd": head[String(macro.dropFirst())] = ManualText.unescaped(rest)
    case ".Sh": sections.append(Section(title: ManualText.unescaped(rest)))
    case ".Ss": append(.heading(ManualText.unescaped(rest)))
    case ".Pp" where isInList, ".\\\"": break
    case ".Pp": append(.text(ManualText()))
    case ".Bd", ".Ed":
      isInExample = macro == ".Bd"
      if isInExample { append(.example([])) }
    case ".Bl", ".El":
      isInList = macro == ".Bl"
      if isInList { append(.list([])) }
    case ".It":
      guard case .list(let entries)? = sections.last?.blocks.last else { break }
      var term = ManualText()
      term.addMacros(rest.split(separator: " "), page: name)
      replaceLast(by: .list(entries + [(term, ManualText())]))
    case _ where isInList:
      guard case .list(var entries)? = sections.last?.blocks.last, !entries.isEmpty else { break }
      entries[entries.count - 1].text.add(line, page: name)
      replaceLast(by: .list(entries))
    default:
      if macro == ".Nm", sections.last?.title == "SYNOPSIS" { append(.text(ManualText())) }
      if case .text? = sections.last?.blocks.last {} else { append(.text(ManualText())) }
      guard case .text(var text)? = sections.last?.blocks.last else { break }
      text.add(line, page: name)
      replaceLast(by: .text(text))
    }
  }

  private mutating func append(_ block: ManualBlock) {
    guard !sections.isEmpty else { return }
    sections[sections.count - 1].blocks.append(block)
  }

  private mutating func replaceLast(by block: ManualBlock) {
    sections[sections.count - 1].blocks.removeLast()
    append(block)
  }

  static let folder = "\(Documentation.root)/Sources/Manual"
  static let fileNames =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  static let all = fileNames.compactMap { try? ManualPage($0) }

  /// A page such as `nightjar-start.1`; nil: it does not exist.
  static func named(_ fileName: String) -> ManualPage? { all.first { $0.fileName == fileName } }
}
