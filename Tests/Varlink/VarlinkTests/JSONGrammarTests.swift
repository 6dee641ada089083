import Foundation
import Testing
import Varlink

/// RFC 8259, production by production: valid and invalid texts.
@Suite struct JSONGrammarTests {
  static let accepted: [(name: String, text: String)] = [
    ("literal true", "true"), ("literal false", "false"), ("literal null", "null"),
    ("lonely string", #""x""#), ("lonely integer", "7"), ("lonely negative", "-7"),
    ("empty string", #""""#), ("empty array", "[]"), ("empty object", "{}"),
    ("empty array with blanks", "[ \t\r\n]"), ("empty object with blanks", "{ \n}"),
    ("blanks around everything", " \t\r\n[ 1 , { \"a\" : 2 } ] \n"),
    ("blanks before colon", #"{"a" :1}"#),
    ("one element", "[1]"), ("several kinds", #"[1,"a",true,false,null,{},[]]"#),
    ("arrays in arrays", "[[[[]]],[]]"), ("objects in objects", #"{"a":{"b":{"c":{}}}}"#),
    ("empty name", #"{"":0}"#), ("name twice", #"{"a":1,"a":2}"#),
    ("name with escape", #"{"\u0061\n":1}"#), ("name not ASCII", #"{"größe":1}"#),
    ("zero", "[0]"), ("minus zero", "[-0]"), ("fraction", "[0.5]"), ("long fraction", "[3.14159]"),
    ("exponent", "[1e3]"), ("capital exponent", "[1E3]"), ("exponent plus", "[1e+3]"),
    ("exponent minus", "[1e-3]"), ("zero exponent", "[0e0]"), ("exponent with zeros", "[1e007]"),
    ("fraction and exponent", "[-12.5E-2]"), ("zeros behind point", "[1.000]"),
    ("huge integer", "[123456789012345678901234567890]"), ("huge exponent", "[1e9999]"),
    ("all simple escapes", #"["\"\\\/\b\f\n\r\t"]"#), ("escaped NUL", #"["\u0000"]"#),
    ("hexadecimal in both cases", #"["\uABCD\uabcd\uAbCd"]"#),
    ("surrogate pair", #"["\uD83D\uDE00"]"#),
    ("surrogate pair in lower case", #"["\ud83d\ude00"]"#),
    ("last code point as pair", #"["\udbff\udfff"]"#), ("escaped noncharacter", #"["\uFFFF"]"#),
    ("escaped backslash before u", #"["\\u12"]"#), ("DEL", "[\"\u{7f}\"]"),
    ("two bytes", "[\"é\"]"), ("three bytes", "[\"€\"]"), ("four bytes", "[\"😀\"]"),
    ("line separator", "[\"\u{2028}\u{2029}\"]"), ("noncharacter", "[\"\u{fffe}\"]"),
    ("BOM inside a string", "[\"\u{feff}\"]"), ("slash", #"["a/b"]"#), ("apostrophe", "[\"'\"]"),
    ("brackets in a string", #"["[{]},:"]"#), ("long string", "[\"" + a(300) + "\"]"),
    ("escape at a word's end", "[\"" + a(7) + #"\n"# + a(7) + "\"]"),
  ]

  static let refused: [(name: String, text: String, JSONError.Problem)] = [
    ("nothing", "", .unexpectedEnd), ("blanks only", " \n", .unexpectedEnd),
    ("open array", "[", .unexpectedEnd), ("open object", "{", .unexpectedEnd),
    ("open array with element", "[1", .unexpectedEnd), ("open after comma", "[1,", .unexpectedEnd),
    ("open string", #"["a"#, .unexpectedEnd), ("open after name", #"{"a""#, .unexpectedEnd),
    ("open after colon", #"{"a":"#, .unexpectedEnd),
    ("open after member", #"{"a":1"#, .unexpectedEnd),
    ("open after member's comma", #"{"a":1,"#, .unexpectedEnd),
    ("close alone", "]", .unexpectedByte), ("brace alone", "}", .unexpectedByte),
    ("array closed by brace", "[1}", .unexpectedByte),
    ("object closed by bracket", #"{"a":1]"#, .unexpectedByte),
    ("empty array closed by brace", "[}", .unexpectedByte),
    ("empty object closed by bracket", "{]", .unexpectedByte),
    ("comma alone", "[,]", .unexpectedByte), ("comma first", "[,1]", .unexpectedByte),
    ("comma last", "[1,]", .unexpectedByte), ("comma twice", "[1,,2]", .unexpectedByte),
    ("comma last with blank", "[1, ]", .unexpectedByte), ("no comma", "[1 2]", .unexpectedByte),
    ("colon in array", "[1:2]", .unexpectedByte), ("comma alone in object", "{,}", .unexpectedByte),
    ("comma last in object", #"{"a":1,}"#, .unexpectedByte),
    ("comma twice in object", #"{"a":1,,"b":2}"#, .unexpectedByte),
    ("no comma in object", #"{"a":1 "b":2}"#, .unexpectedByte),
    ("no colon", #"{"a" 1}"#, .unexpectedByte),
    ("comma for colon", #"{"a",1}"#, .unexpectedByte),
    ("colon twice", #"{"a"::1}"#, .unexpectedByte),
    ("no value", #"{"a":}"#, .unexpectedByte), ("no name", "{:1}", .unexpectedByte),
    ("name without quotes", "{a:1}", .unexpectedByte),
    ("number for a name", "{1:1}", .unexpectedByte),
    ("array for a name", "{[]:1}", .unexpectedByte),
    ("null for a name", "{null:1}", .unexpectedByte),
    ("apostrophes", "['a']", .unexpectedByte), ("name in apostrophes", "{'a':1}", .unexpectedByte),
    ("text behind", "[]x", .trailingBytes), ("second value", "[][]", .trailingBytes),
    ("second number", "1 2", .trailingBytes), ("closed twice", "[]]", .trailingBytes),
    ("NUL behind", "[]\0", .trailingBytes), ("comment behind", "[]//", .trailingBytes),
    ("comment", "[/**/]", .unexpectedByte), ("hash comment", "#x\n[]", .unexpectedByte),
    ("form feed for a blank", "[\u{0c}]", .unexpectedByte),
    ("vertical tab for a blank", "[\u{0b}]", .unexpectedByte),
    ("NUL for a blank", "[\0]", .unexpectedByte),
    ("no-break space for a blank", "[\u{a0}]", .unexpectedByte),
    ("BOM", "\u{feff}[]", .unexpectedByte), ("capital literal", "[True]", .unexpectedByte),
    ("capitals", "[NULL]", .unexpectedByte), ("literal cut", "[tru]", .unexpectedByte),
    ("literal cut by the end", "tru", .unexpectedEnd),
    ("null cut by the end", "[nul", .unexpectedEnd),
    ("false cut by the end", "fals", .unexpectedEnd), ("literal wrong", "[nulL]", .unexpectedByte),
    ("literal too long", "[truex]", .unexpectedByte),
    ("literal too long at the end", "nulls", .trailingBytes),
    ("unknown word", "[undefined]", .unexpectedByte), ("NaN", "[NaN]", .unexpectedByte),
    ("Infinity", "[Infinity]", .unexpectedByte), ("minus Infinity", "[-Infinity]", .badNumber),
    ("minus alone", "[-]", .badNumber), ("minus at the end", "-", .unexpectedEnd),
    ("plus", "[+1]", .unexpectedByte), ("two minuses", "[--1]", .badNumber),
    ("zero before digits", "[012]", .badNumber), ("minus zero before digits", "[-01]", .badNumber),
    ("two zeros", "[00]", .badNumber), ("point first", "[.5]", .unexpectedByte),
    ("point last", "[1.]", .badNumber), ("point last at the end", "1.", .unexpectedEnd),
    ("point before exponent", "[1.e3]", .badNumber), ("point after minus", "[-.5]", .badNumber),
    ("two points", "[1.2.3]", .unexpectedByte), ("exponent empty", "[1e]", .badNumber),
    ("exponent empty at the end", "1e", .unexpectedEnd),
    ("exponent with sign only", "[1e+]", .badNumber),
    ("exponent with sign only at the end", "1e-", .unexpectedEnd),
    ("exponent with fraction", "[1e2.5]", .unexpectedByte),
    ("two exponents", "[1e2e3]", .unexpectedByte),
    ("two signs", "[1e+-2]", .badNumber), ("exponent alone", "[e3]", .unexpectedByte),
    ("hexadecimal", "[0x1F]", .unexpectedByte), ("comma for a point", "[1,5", .unexpectedEnd),
    ("letter behind a number", "[12a]", .unexpectedByte),
    ("underscore", "[1_000]", .unexpectedByte),
    ("blank inside a number", "[1 000]", .unexpectedByte),
    ("fullwidth digit", "[\u{ff11}]", .unexpectedByte),
    ("unknown escape", #"["\x41"]"#, .badEscape), ("escaped apostrophe", #"["\'"]"#, .badEscape),
    ("escaped zero", #"["\0"]"#, .badEscape), ("capital escape", #"["\N"]"#, .badEscape),
    ("escaped line end", "[\"\\\n\"]", .badEscape), ("escape not ASCII", "[\"\\é\"]", .badEscape),
    ("capital U", #"["\U0041"]"#, .badEscape), ("u with three digits", #"["\u004"]"#, .badEscape),
    ("u without digits", #"["\u"]"#, .badEscape), ("u with a letter", #"["\u00g1"]"#, .badEscape),
    ("u with a sign", #"["\u+123"]"#, .badEscape), ("u cut by the end", #"["\u00"#, .unexpectedEnd),
    ("backslash at the end", #"["\"#, .unexpectedEnd),
    ("backslash before the quote", #"["\"]"#, .unexpectedEnd),
    ("high surrogate alone", #"["\ud800"]"#, .badEscape),
    ("low surrogate alone", #"["\udc00"]"#, .badEscape),
    ("surrogates the wrong way round", #"["\udc00\ud800"]"#, .badEscape),
    ("two high surrogates", #"["\ud800\ud800"]"#, .badEscape),
    ("two low surrogates", #"["\udc00\udc00"]"#, .badEscape),
    ("high surrogate before text", #"["\ud800abcdef"]"#, .badEscape),
    ("high surrogate before another escape", #"["\ud800\n12345"]"#, .badEscape),
    ("high surrogate before a scalar", #"["\ud800\u0041"]"#, .badEscape),
    ("pair cut by the end", #"["\ud800\udc"#, .unexpectedEnd),
    ("pair cut before the second", #"["\ud800"#, .unexpectedEnd),
    ("newline in a string", "[\"a\nb\"]", .controlCharacter),
    ("tab in a string", "[\"a\tb\"]", .controlCharacter),
    ("NUL in a string", "[\"a\0b\"]", .controlCharacter),
    ("unit separator in a string", "[\"\u{1f}\"]", .controlCharacter),
    ("newline in a name", "{\"a\n\":1}", .controlCharacter),
  ]

  private static func a(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test(arguments: accepted)
  func `Valid JSON is read, both by skipping and as values`(name: String, text: String)
    throws
  {
    let bytes = Array(text.utf8)
    #expect(refusal(of: bytes) == nil)
    if name != "huge exponent" {
      #expect(throws: Never.self) { try JSONValue.parse(bytes) }
    }
  }

  @Test(arguments: refused) func `Invalid JSON is refused for the right reason`(
    name: String, text: String, problem: JSONError.Problem
  ) {
    #expect(refusal(of: Array(text.utf8))?.problem == problem)
    #expect { try JSONValue.parse(text) } throws: { ($0 as? JSONError)?.problem == problem }
  }

  @Test func `A text gives the same result at any distance from the ends of the buffer`() {
    let memory = GuardedMemory()
    for (name, text) in Self.accepted where text.utf8.count < 100 {
      for blanks in 0...9 {
        let around = String(repeating: " ", count: blanks)
        for padded in [around + text, text + around, around + text + around] {
          memory.withCopies(of: Array(padded.utf8)) {
            #expect(refusal(of: $0) == nil, "\(name), \(blanks) blanks")
          }
        }
      }
    }
    for (name, text, problem) in Self.refused {
      for blanks in 0...9 {
        let padded = String(repeating: " ", count: blanks) + text
        memory.withCopies(of: Array(padded.utf8)) {
          #expect(refusal(of: $0)?.problem == problem, "\(name), \(blanks) blanks")
        }
      }
    }
  }

  /// Where Foundation's parser accepts more than RFC 8259 or has limits of its own, and where we
  /// accept what it does not.
  ///
  /// It accepts a trailing comma and skips a byte order mark. It refuses numbers that no `Double`
  /// can hold; the grammar allows them, and we refuse them only when the number is read.
  static let intendedDifferences: Set<String> = [
    "comma last", "comma last with blank", "comma last in object", "BOM", "huge exponent",
  ]

  @Test func `An independent parser agrees, except for the listed differences`() {
    var differences: Set<String> = []
    let cases =
      Self.accepted.map { ($0.name, $0.text, true) }
      + Self.refused.map { ($0.name, $0.text, false) }
    for (name, text, ours) in cases {
      let theirs =
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
        != nil
      if theirs != ours { differences.insert(name) }
    }
    #expect(differences == Self.intendedDifferences)
  }

  @Test(arguments: [
    ("[1,]", 3), (#"{"a" 1}"#, 5), ("[tru]", 4), ("  x", 2), ("[1] 2", 4), (#"["ab\x"]"#, 4),
    ("[\"ab\u{01}\"]", 4), ("[ 012]", 2), ("[ -x]", 2), ("[", 1), (#"["abcdefghijk\ud800"]"#, 13),
  ])
  func `The offset of an error is that of the byte or token at fault`(text: String, offset: Int) {
    #expect(refusal(of: Array(text.utf8))?.offset == offset)
  }

  @Test func `An error is one sentence with the mistake and its offset`() {
    #expect(
      refusal(of: Array("[1,]".utf8))?.description
        == "at byte 3: a byte that JSON does not allow here")
    let wrong = problem(" 7") { (scanner) throws(JSONError) in try scanner.readString() }
    #expect(wrong?.description == "at byte 1: expected a string, found a number")
    let problems: [JSONError.Problem] = [
      .unexpectedEnd, .unexpectedByte, .badEscape, .badUTF8, .badNumber, .numberOutOfRange,
      .tooDeep, .controlCharacter, .trailingBytes, .wrongKind(expected: .null, found: .bool),
    ]
    let sentences = Set(problems.map { JSONError($0, at: 0).description })
    #expect(sentences.count == problems.count)
  }
}
