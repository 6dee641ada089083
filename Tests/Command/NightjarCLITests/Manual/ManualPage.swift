import Foundation
import NightjarTestSupport

/// A page in Sources/Manual. mandoc and groff check that it is correct. This reads the words that
/// its macros mark, and the text that groff makes of it.
///
/// On these pages `Fl` is an option, `Ar` a placeholder, `Cm` any other literal word (a value, a
/// key, a field, an event), `Ic` a command line, `Ev` a variable, `Xr` another page, `Sx` a section
/// of the same page.
struct ManualPage {
  /// The lines of a page, or of one of its sections.
  struct Part {
    let lines: [Substring]

    private static let macros = Set(
      "Ar Cm Dv Em Ev Ic Lk Nm Pa Sx Sy Xr Fl No Ns Op Bq Pq Oo Oc".split(separator: " "))
    private static let signs = Set(". , : ; ) ] ? ! | ( [".split(separator: " "))

    /// What a macro marks: the words behind it, up to another macro. A sign divides them.
    func marked(_ macro: String) -> [String] {
      lines.filter { $0.hasPrefix(".") }.flatMap { line -> [String] in
        let words = line.dropFirst().split(separator: " ")
        let groups = words.indices.filter { words[$0] == macro }.flatMap { index in
          words[(index + 1)...].prefix { !Self.macros.contains($0) }
            .split { Self.signs.contains($0) }.map { $0.map(ManualPage.unescaped) }
        }
        return switch macro {
        case "Fl": groups.joined().map { "-\($0)" }
        case "Xr": groups.map { $0.joined(separator: "(") + ")" }
        default: groups.map { $0.joined(separator: " ") }
        }
      }
    }

    /// What a macro marks in the terms of lists.
    func terms(_ macro: String) -> [String] {
      Part(lines: lines.filter { $0.hasPrefix(".It ") }).marked(macro)
    }

    var examples: [[String]] {
      lines.split { $0 == ".Ed" }.compactMap { lines in
        lines.lastIndex { $0.hasPrefix(".Bd") }
          .map { lines[($0 + 1)...].map(ManualPage.unescaped) }
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
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    whole = Part(lines: Array(lines))
    let begins = lines.indices.filter { lines[$0].hasPrefix(".Sh ") }
    sections = zip(begins, begins.dropFirst() + [lines.endIndex]).map { begin, end in
      (String(lines[begin].dropFirst(4)), Part(lines: Array(lines[(begin + 1)..<end])))
    }
  }

  /// The argument for man(1), and its section: 1: commands, 5: files, 7: everything else.
  var name: String { String(fileName.dropLast(2)) }
  var number: String { String(fileName.suffix(1)) }
  var path: String { "\(Self.folder)/\(fileName)" }
  /// The line for apropos(1).
  var summary: String { head("Nd") }
  var examples: [[String]] { whole.examples }
  func section(_ title: String) -> Part? { sections.first { $0.title == title }?.part }

  /// What stands behind `Dd`, `Dt`, `Os` or `Nd`.
  func head(_ macro: String) -> String {
    whole.lines.first { $0.hasPrefix(".\(macro) ") }.map { String($0.dropFirst(4)) } ?? ""
  }

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
