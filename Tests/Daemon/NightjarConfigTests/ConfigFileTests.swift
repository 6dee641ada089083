import Foundation
import NightjarTestSupport
import Testing

@testable import NightjarConfig

/// The file as a whole: valid forms, and one sentence for each mistake.
@Suite struct ConfigFileTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.path + "/config.toml"
  }

  private func write(_ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// The mistake in the file, without its path.
  private func sentence() -> String? {
    do throws(ConfigError) {
      _ = try ConfigFile.read(path: path)
      return nil
    } catch {
      #expect(error.description.hasPrefix(path))
      return String(error.description.dropFirst(path.count))
    }
  }

  @Test func `Without a file there is no configuration, and no error`() throws {
    #expect(try ConfigFile.read(path: path) == nil)
    #expect(try ConfigFile.read(path: "\(path)/below/it") == nil)
    try write([])
    #expect(try ConfigFile.read(path: "\(path)/below/it") == nil)
  }

  @Test func `A file is written as a whole, through a link, and keeps its mode`() throws {
    let link = folder.path + "/a/b/link.toml"
    try ConfigFile.write(Array("[daemon]\n".utf8), path: link)
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(link) == 0o600 && mode(folder.path + "/a/b") == 0o700)
    try FileManager.default.removeItem(atPath: link)
    try write("[clock]\n".utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try ConfigFile.write(Array("[presets]\n".utf8), path: link)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "[presets]\n")
    #expect(try mode(path) == 0o640)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == ["a", "config.toml"])
    // Writing fails, and the old content stays.
    #expect(throws: ConfigError.self) { try ConfigFile.write([], path: "\(path)/below/it") }
    #expect(try ConfigFile.bytes(path: path) == Array("[presets]\n".utf8))
  }

  @Test func `A dangling link stays, and so does a file beside it`() throws {
    try Data("mine".utf8).write(to: URL(filePath: "\(path).new"))
    try ConfigFile.write(Array("[clock]\n".utf8), path: path)
    #expect(try String(contentsOfFile: "\(path).new", encoding: .utf8) == "mine")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere.toml")
    #expect(throws: ConfigError.self) { try ConfigFile.write([], path: path) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "nowhere.toml")
  }

  @Test func `A file that is not regular is not replaced`() throws {
    #expect(mkfifo(path, 0o600) == 0)
    #expect {
      try ConfigFile.write([], path: path)
    } throws: {
      "\($0)".hasSuffix("this is no regular file, so nothing is written to it")
    }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `An empty file, comments, a byte order mark and CRLF are taken`() throws {
    for text in ["", "# nothing\n", "\u{FEFF}[daemon]\n", "[daemon]\r\nlate = \"fire\"\r\n"] {
      try write(text.utf8)
      #expect(sentence() == nil)
    }
    #expect(try ConfigFile.read(path: path)?.table(.daemon).entries.map(\.line) == [2])
    #expect(try ConfigFile.read(path: "/dev/null")?.table(.presets).entries == [])
  }

  @Test func `A path that is no file, or cannot be read, is reported with the reason`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(sentence() == ": this is a folder, not a file")
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(sentence() == ": this is no ordinary file")
    unlink(path)
    try #require(symlink("config.toml", path) == 0)
    #expect(sentence() == ": this cannot be read: Too many levels of symbolic links")
  }

  @Test(.enabled(if: getuid() != 0))
  func `A file that its owner may not read is reported as such`() throws {
    try write("".utf8)
    chmod(path, 0)
    #expect(sentence() == ": this cannot be read: Permission denied")
  }

  @Test func `A file may have 1 MiB, and not a byte more`() throws {
    let comment = [UInt8](repeating: UInt8(ascii: "#"), count: ConfigFile.maximumBytes)
    try write(comment)
    #expect(sentence() == nil)
    try write(comment + [UInt8(ascii: "#")])
    #expect(sentence() == ": this is longer than a configuration may be, 1 MiB")
    #expect(throws: ConfigError.self) { try ConfigFile.read(path: "/dev/zero") }
  }

  @Test func `Invalid UTF-8 is reported with its line`() throws {
    try write(Array("[daemon]\n# caf".utf8) + [0xE9, 0x0A])
    #expect(sentence() == ", line 2: this is no text in UTF-8")
    try write([0xFF, 0xFE])
    #expect(sentence() == ", line 1: this is no text in UTF-8")
  }

  @Test(arguments: [
    (
      "[presets.tea]\nduration = 4min\n",
      ", line 2, column 13: this is no TOML: expected digit, saw 'm', in a decimal integer; a "
        + "text such as \"4min\" is written in quotes"
    ),
    (
      "late = fire",
      ", line 1, column 9: this is no TOML: expected 'false', saw 'fi', in a boolean; a text such "
        + "as \"4min\" is written in quotes"
    ),
    (
      "[daemon]\nlate: 3\n",
      ", line 2, column 5: this is no TOML: expected '=', saw ':', in a key-value pair"
    ),
    (
      "[daemon]\nlate = 1\nlate = 2\n",
      ", line 3, column 8: this is no TOML: cannot redefine existing integer 'late', in a "
        + "key-value pair"
    ),
    (
      "[daemon]\nlate = \"10min\n\n",
      ", line 2, column 14: this is no TOML: a text has no closing quote, or a line break or "
        + "another control character in it"
    ),
    (
      "[daemon\n",
      ", line 1, column 8: this is no TOML: expected ']', saw '\\n', in a table header"
    ),
    (
      "x = \"\u{0}\"",
      ", line 1, column 6: this is no TOML: a text has no closing quote, or a line break or "
        + "another control character in it"
    ),
    (
      "[presets.tea]\nlabels = { a = \"b\",\n c = \"d\" }\n",
      ", line 2, column 20: this is no TOML: expected key or closing '}', saw '\\n', in an inline "
        + "table"
    ),
  ])
  func `Invalid TOML is reported with its line and column, in one sentence`(
    text: String, expected: String
  ) throws {
    try write(text.utf8)
    #expect(sentence() == expected)
  }

  @Test func `A key of 100,000 levels is refused wherever it is, and one of 64 is not`() throws {
    let levels = String(repeating: "a.", count: 99_999) + "a"
    for text in ["\n[\(levels)]\n", "[daemon]\n\(levels) = 1\n", "[daemon]\nx = { \(levels) = 1 }"]
    {
      try write(text.utf8)
      #expect(sentence() == ", line 2: this key has more than 64 levels")
    }
    let most = "[presets.\"a.b\"]\n" + String(repeating: "a.", count: 63) + "a = 1 # 1.2"
    try write(most.utf8)
    #expect(sentence() == nil)
  }

  @Test func `Dots in texts and in comments are no levels of a key`() throws {
    let points = String(repeating: ".", count: 100)
    for quote in ["\"", "'", "\"\"\"", "'''"] {
      try write("[presets.tea]\nx = \(quote)\(points)\(quote) # \(points)\n# \(points)".utf8)
      #expect(sentence() == nil)
    }
    try write("[presets.tea]\nx = \"\"\"\n\(points)\\\"\"\"\(points)\n\"\"\"\n".utf8)
    #expect(sentence() == nil)
  }

  @Test func `Text that is nested a hundred thousand deep is refused, without a crash`() throws {
    try write("x = ".utf8 + [UInt8](repeating: UInt8(ascii: "["), count: 100_000))
    #expect(sentence()?.hasPrefix(", line 1, column ") == true)
  }

  @Test(arguments: ["[=", "[.", "x = 1979-05-27T:", "[a.=]", "x = { = 1 }"])
  func `Input on which toml++ would assert is refused like any other mistake`(text: String) throws {
    try write(text.utf8)
    #expect(sentence()?.hasPrefix(", line 1, column ") == true)
  }

  @Test(arguments: [
    ("[preset.tea]\n", ", line 1: there is no table [preset]; did you mean [presets]?"),
    (
      "\n[wake]\n",
      ", line 2: there is no table [wake]; there are [daemon], [clock], [presets] and [mqtt]"
    ),
    (
      "late = \"fire\"\n[daemon]\n",
      ", line 1: 'late' stands in no table; there are [daemon], [clock], [presets] and [mqtt]"
    ),
    ("daemon = 3\n", ", line 1: 'daemon' must be a table, not a whole number"),
    ("[[presets]]\n", ", line 1: 'presets' must be a table, not an array"),
  ])
  func `An unknown table or key is reported, with a near one`(
    text: String, expected: String
  ) throws {
    try write(text.utf8)
    #expect(sentence() == expected)
  }

  @Test func `Of two mistakes, the first is reported`() throws {
    try write("[presets.x]\n[zzz]\n[aaa]\n".utf8)
    #expect(sentence()?.hasPrefix(", line 2: ") == true)
  }
}
