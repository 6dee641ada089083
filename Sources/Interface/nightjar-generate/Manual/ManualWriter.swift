import VarlinkGenerator

/// Writes the declarations of an interface into a manual page in mdoc(7). The rest of the page is
/// written by hand.
///
/// The page may have the sections METHODS, TYPES and ERROR REPLIES. Each of them gets its
/// declarations with their comments. A list whose first term is the first word of an enumeration
/// gets all words of that enumeration with their comments.
struct ManualWriter {
  /// The text of the page before the changes.
  var page: String

  /// The text of the page with updated sections and lists.
  ///
  /// - Throws: `GeneratorError` if the page has no such section and no such list.
  func source(of interface: Interface) throws(GeneratorError) -> String {
    var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var count = Self.writeLists(in: &lines, of: interface)
    for (title, isIncluded) in Self.sections {
      guard let head = lines.firstIndex(of: ".Sh \(title)") else { continue }
      count += 1
      let rest = lines[(head + 1)...]
      let end = rest.firstIndex { $0.hasPrefix(".Sh ") || $0.isEmpty } ?? lines.endIndex
      let written = interface.declarations.filter(isIncluded).flatMap {
        Self.lines(of: $0, in: interface)
      }
      lines.replaceSubrange(rest.startIndex..<end, with: written)
    }
    guard count > 0 else {
      throw GeneratorError("the page has neither a section nor a list of the interface")
    }
    return lines.joined(separator: "\n")
  }

  /// - Returns: the number of lists that were written.
  private static func writeLists(in lines: inout [String], of interface: Interface) -> Int {
    var count = 0
    var index = lines.startIndex
    while let head = lines[index...].firstIndex(where: { $0.hasPrefix(".Bl -tag") }),
      let end = lines[head...].firstIndex(of: ".El")
    {
      index = end
      guard let words = interface.words(from: lines[head + 1]) else { continue }
      let written = words.flatMap { [".It Cm \($0.name)"] + prose($0.comment, [], of: interface) }
      lines.replaceSubrange(head + 1..<end, with: written)
      index = head + 1 + written.count
      count += 1
    }
    return count
  }

  private static let sections: [(title: String, isIncluded: @Sendable (Declaration) -> Bool)] = [
    ("METHODS", { if case .method = $0.kind { true } else { false } }),
    ("TYPES", { if case .type = $0.kind { true } else { false } }),
    ("ERROR REPLIES", { if case .error = $0.kind { true } else { false } }),
  ]

  /// The text for one declaration: a heading, the declaration, and its comment.
  private static func lines(of declaration: Declaration, in interface: Interface) -> [String] {
    [".Ss \(declaration.name)", ".Bd -literal -offset indent"]
      + DeclarationText(declaration).lines.map(escaped) + [".Ed", ".Pp"]
      + prose(declaration.comment, declaration.fieldNames, of: interface)
  }

  /// Escapes a leading dot or quote, because it would begin a macro.
  private static func escaped(_ line: String) -> String {
    let escaped = line.replacing("\\", with: "\\e")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }

  // MARK: Prose

  /// Formats a comment: names of the interface get mdoc macros on lines of their own, and each
  /// sentence begins a line.
  private static func prose(
    _ comment: [String], _ fields: Set<String>, of interface: Interface
  ) -> [String] {
    var lines: [String] = []
    var row = ""
    var beginsSentence = true
    func end() {
      if !row.isEmpty { lines.append(escaped(row)) }
      row = ""
    }
    for word in comment.joined(separator: " ").split(separator: " ").map(String.init) {
      let bare = word.trimmingSuffix { ",.;:".contains($0) }
      // The name of a field counts as a name only at the beginning of a sentence or before a colon.
      // Elsewhere it may be an ordinary English word.
      let isField = fields.contains(bare) && (beginsSentence || word.hasSuffix(":"))
      beginsSentence = word.hasSuffix(".") || word.hasSuffix(";")
      if isField || isName(bare, of: interface) || isPage(bare) {
        end()
        let rest = word.dropFirst(bare.count).map { " \($0)" }.joined()
        lines.append(isPage(bare) ? ".Xr \(page(bare))\(rest)" : ".Cm \(bare)\(rest)")
        continue
      }
      if row.count + word.count + 1 > DeclarationText.width + 9 { end() }
      row += row.isEmpty ? word : " \(word)"
      if word.hasSuffix(".") { end() }
    }
    end()
    return lines
  }

  /// Whether a word is a reference to a manual page, such as `systemd.time(7)`.
  private static func isPage(_ word: String) -> Bool {
    word.hasSuffix(")") && word.dropLast().last?.isNumber == true
      && word.dropLast(2).hasSuffix("(") && word.first?.isLetter == true
  }

  /// The name and the section of the manual page to which a word refers.
  private static func page(_ word: String) -> String {
    "\(word.dropLast(3)) \(word.dropLast().suffix(1))"
  }

  /// Whether a word of a comment is a name of the interface and cannot be an English word.
  private static func isName(_ word: String, of interface: Interface) -> Bool {
    guard word.first?.isLetter == true else { return false }
    return word.contains("_") && word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }
      || interface.declaration(of: word) != nil && word.dropFirst().contains(where: \.isUppercase)
  }
}

extension Interface {
  /// The words of the enumeration whose first word is the term of the list entry `entry`; nil if
  /// there is no such enumeration.
  fileprivate func words(from entry: String) -> [Word]? {
    for case .type(.enumeration(let words)) in declarations.map(\.kind)
    where words.first.map({ ".It Cm \($0.name)" }) == entry {
      return words
    }
    return nil
  }
}

extension Declaration {
  fileprivate var fieldNames: Set<String> {
    switch kind {
    case .method(let input, let output): Set((input + output).map(\.name))
    case .error(let fields), .type(.structure(let fields)): Set(fields.map(\.name))
    case .type: []
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while isIncluded: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isIncluded(last) { text.removeLast() }
    return String(text)
  }
}
