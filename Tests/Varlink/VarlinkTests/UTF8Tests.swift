import Testing
import Varlink

/// RFC 3629: valid UTF-8, and bytes that only look like it. The standard library is the reference.
@Suite struct UTF8Tests {
  private func isAccepted(_ content: [UInt8], memory: GuardedMemory? = nil) -> Bool {
    let text = [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")]
    guard let memory else { return refusal(of: text) == nil }
    var answers: Set<Bool> = []
    memory.withCopies(of: text) { answers.insert(refusal(of: $0) == nil) }
    #expect(answers.count == 1)
    return answers == [true]
  }

  private func isUTF8(_ content: [UInt8]) -> Bool {
    String(validating: content, as: UTF8.self) != nil
  }

  @Test(
    arguments: [
      [0xc0, 0x80], [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0x80, 0xaf],
      [0xe0, 0x9f, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
      [0xed, 0xa0, 0x80], [0xed, 0xad, 0xbf], [0xed, 0xae, 0x80], [0xed, 0xbf, 0xbf],
      [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80], [0xfe], [0xff],
      [0x80], [0xbf], [0x80, 0x80], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
      [0xc3, 0x28], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28], [0xf0, 0x28, 0x8c, 0xbc],
      [0xf0, 0x9f, 0x28, 0x80], [0xf0, 0x9f, 0x98, 0x28],
    ] as [[UInt8]])
  func `Overlong forms, surrogates and code points above U+10FFFF are refused`(content: [UInt8]) {
    #expect(!isUTF8(content))
    let memory = GuardedMemory()
    for before in 0...17 {
      for after in 0...17 {
        let padded =
          [UInt8](repeating: 0x61, count: before) + content + [UInt8](repeating: 0x61, count: after)
        let text = [UInt8(ascii: "\"")] + padded + [UInt8(ascii: "\"")]
        memory.withCopies(of: text) {
          check(refusal(of: $0) == JSONError(.badUTF8, at: before + 1), shown(text))
        }
      }
    }
  }

  @Test(
    arguments: [
      [0xc2, 0x80], [0xdf, 0xbf], [0xe0, 0xa0, 0x80], [0xed, 0x9f, 0xbf], [0xee, 0x80, 0x80],
      [0xef, 0xbf, 0xbf], [0xf0, 0x90, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf],
    ] as [[UInt8]])
  func `The first and last sequence of each length are read`(content: [UInt8]) {
    #expect(isUTF8(content))
    let memory = GuardedMemory()
    for before in 0...17 {
      for after in 0...17 {
        let padded =
          [UInt8](repeating: 0x61, count: before) + content + [UInt8](repeating: 0x61, count: after)
        #expect(isAccepted(padded, memory: memory))
      }
    }
  }

  @Test func `All pairs of bytes are accepted or refused as by the standard library`() {
    for first in UInt8(0x80)...0xff {
      for second in UInt8(0x20)...0xff where second != 0x22 && second != 0x5c {
        check(isAccepted([first, second]) == isUTF8([first, second]), "\(first) \(second)")
      }
    }
  }

  @Test
  func `All beginnings of three and four bytes are accepted or refused as by the standard library`()
  {
    let edges: [UInt8] = [0x21, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]
    for first in UInt8(0xe0)...0xff {
      for second in UInt8(0x80)...0xbf {
        for third in edges {
          let three = [first, second, third]
          check(isAccepted(three) == isUTF8(three), "\(three)")
          guard first >= 0xf0 else { continue }
          for fourth in edges {
            let four = three + [fourth]
            check(isAccepted(four) == isUTF8(four), "\(four)")
          }
        }
      }
    }
  }

  @Test func `A truncated sequence is refused as ending too early, wherever it is cut`() {
    let memory = GuardedMemory()
    for content in ["é", "€", "😀"] {
      let text = Array("\"\(content)".utf8)
      for count in 1..<text.count {
        memory.withCopies(of: Array(text[..<count])) {
          #expect(refusal(of: $0) == JSONError(.unexpectedEnd, at: count))
        }
      }
    }
  }
}
