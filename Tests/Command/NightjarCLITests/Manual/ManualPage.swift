import Foundation
import NightjarTestSupport

/// A page in Sources/Manual: the words that its macros mark, and the text that groff makes of it.
///
/// On these pages `Fl` is an option, `Ar` a placeholder, `Cm` any other literal word (a value, a
/// key, a field, an event), `Ic` a command line, `Ev` a variable, `Xr` another page, `Sx` a section
/// of the same page.
struct ManualPage {
  /// The lines of a page, or of one of its sections.
  struct Part {
    let lines: [Substring]

    /// What a macro marks in the terms of lists, up to another macro. A sign divides it.
    func terms(_ macro: String) -> [String] {
      var terms: [String] = []
      for line in lines where line.hasPrefix(".It ") {
        for match in line.matches(of: #/ (Cm|Ev|Fl|Sy) (.+?)(?= [A-Z][a-z](?: |$)|$)/#)
        where match.output.1 == macro {
          let words = match.output.2.split(separator: #/ [.,:;|()\[\]](?: |$)/#)
          terms += words.map { ManualPage.unescaped($0) }
        }
      }
      guard macro == "Fl" else { return terms }
      return terms.flatMap { $0.split(separator: " ") }.map { "-\($0)" }
    }

    /// The pages that it refers to, such as `nightjar(1)`.
    var references: [String] {
      lines.flatMap { $0.matches(of: /\bXr (\S+) (\d)/) }.map { "\($0.output.1)(\($0.output.2))" }
    }

    var examples: [[String]] {
      lines.split { $0 == ".Ed" }.compactMap { lines in
        lines.lastIndex { $0.hasPrefix(".Bd") }
          .map { lines[($0 + 1)...].map { ManualPage.unescaped($0) } }
      }
    }
  }

  let fileName: String
  let source: String
  let whole: Part
  let sections: [(title: String, part: Part)]

  init(_ fileName: String) throws {
    self.fileName = fileName
    source = try Documentation.text(of: "Sources/Manual/\(fileName)")
    let parts = source.dropLast().split(separator: "\n.Sh ").map { part in
      part.split(separator: "\n", omittingEmptySubsequences: false)
    }
    whole = Part(lines: Array(parts.joined()))
    sections = parts.dropFirst().map { (String($0[0]), Part(lines: Array($0.dropFirst()))) }
  }

  /// The argument for man(1), and its section: 1: commands, 5: files, 7: everything else.
  var name: String { String(fileName.dropLast(2)) }
  var number: String { String(fileName.suffix(1)) }
  var path: String { "\(Self.folder)/\(fileName)" }
  /// The line for apropos(1).
  var summary: String {
    whole.lines.first { $0.hasPrefix(".Nd ") }.map { String($0.dropFirst(4)) } ?? ""
  }
  func section(_ title: String) -> Part? { sections.first { $0.title == title }?.part }

  /// The lines of the page, or of a section, as groff shows them where no line is too long.
  func shown(_ title: String? = nil) throws -> [String] {
    let options = ["-Kutf8", "-mdoc", "-T", "utf8", "-P", "-cbu", "-rLL=9999n", "-rLT=9999n"]
    let page = try Rig().tool(["groff"] + options + [path], package: "groff-base")
      .split(separator: "\n")
    let lines = title.map { title in
      page.drop { $0 != title }.dropFirst().prefix { $0.first == " " }
    }
    return (lines ?? page[...]).map { $0.split(separator: " ").joined(separator: " ") }
  }

  /// The same in one line.
  func text(_ title: String? = nil) throws -> String { try shown(title).joined(separator: " ") }

  static func unescaped(_ text: Substring) -> String {
    String(
      text.replacing("\\&", with: "").replacing("\\:", with: "").replacing("\\(dq", with: "\"")
        .replacing("\\e", with: "\\"))
  }

  static let folder = "\(Documentation.root)/Sources/Manual"
  static let fileNames =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  static let all = fileNames.compactMap { try? ManualPage($0) }

  /// A page such as `nightjar-start.1`; nil: it does not exist.
  static func named(_ fileName: String) -> ManualPage? { all.first { $0.fileName == fileName } }
}
