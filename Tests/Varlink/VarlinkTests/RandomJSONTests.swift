import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// Random documents. A failure prints the seed; `NIGHTJAR_SEED` repeats it.
@Suite struct RandomJSONTests {
  /// A value of any shape that the independent parser can hold, too.
  private func value(depth: Int, _ random: inout SplitMix) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2:
      return .integer(
        Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
    case 3: return .double(Double.random(in: -1e9...1e9, using: &random))
    case 4, 5: return .string(text(&random))
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, &random) })
    default:
      var names: Set<String> = []
      var members: [JSONValue.Member] = []
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        // Foundation takes names that differ only in Unicode composition for the same.
        let name = "\(members.count)" + text(&random)
        guard names.insert(name).inserted else { continue }
        members.append(JSONValue.Member(name, value(depth: depth - 1, &random)))
      }
      return .object(members)
    }
  }

  private func text(_ random: inout SplitMix) -> String {
    // Without U+FEFF, which Foundation drops after an escape.
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7e, 0x20...0x7e, 0x20...0x7e, 0x00...0x1f, 0x22...0x22, 0x5c...0x5c, 0x80...0x7ff,
      0x800...0xd7ff, 0xe000...0xfefe, 0xff00...0xffff, 0x10000...0x10ffff,
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0..<24, using: &random) {
      let range = ranges[Int.random(in: ranges.indices, using: &random)]
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch ours {
    case .null: return theirs is NSNull
    case .bool(let value): return theirs as? Bool == value
    case .integer(let value): return (theirs as? NSNumber)?.int64Value == value
    case .double(let value):
      // strtod(3) rounds as IEEE 754 asks. Foundation does not: it reads -127539989.10729063 as a
      // number that is five units in the last place away.
      guard let other = (theirs as? NSNumber)?.doubleValue else { return false }
      return strtod(ours.text, nil) == value && (other - value).magnitude <= 8 * value.ulp
    case .string(let value):
      return (theirs as? String).map { $0.unicodeScalars.elementsEqual(value.unicodeScalars) }
        ?? false
    case .array(let elements):
      guard let others = theirs as? [Any], others.count == elements.count else { return false }
      return zip(elements, others).allSatisfy { isSame($0, $1) }
    case .object(let members):
      guard let others = theirs as? [String: Any], others.count == members.count else {
        return false
      }
      return members.allSatisfy { member in
        others[member.key].map { isSame(member.value, $0) } ?? false
      }
    }
  }

  @Test
  func `A written value is read back as itself, and an independent parser reads the same`() throws {
    var random = SplitMix()
    for round in 0..<1_000 {
      let value = value(depth: 5, &random)
      let text = value.text
      #expect(try JSONValue.parse(text) == value, "seed \(random.seed) round \(round) \(text)")
      let theirs = try JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
      #expect(isSame(value, theirs), "seed \(random.seed) round \(round) \(text)")
    }
  }

  @Test func `A document of an independent writer is read with its meaning`() throws {
    var random = SplitMix()
    for round in 0..<500 {
      let value = value(depth: 4, &random)
      let theirs = try JSONSerialization.jsonObject(
        with: Data(value.bytes), options: .fragmentsAllowed)
      let data = try JSONSerialization.data(withJSONObject: theirs, options: .fragmentsAllowed)
      let read = try JSONValue.parse(Array(data))
      #expect(isSame(read, theirs), "seed \(random.seed) round \(round) \(value.text)")
    }
  }

  // MARK: Damage

  /// Valid messages: those of the protocol, and documents of every kind.
  static let messages: [[UInt8]] = {
    var random = SplitMix(seed: 1)
    let suite = RandomJSONTests()
    var all = JSONGrammarTests.accepted.map { Array($0.text.utf8) }.filter { $0.count < 100 }
    for _ in 0..<100 {
      let value: JSONValue = [
        "method": "org.nightjar.Timers.Start", "parameters": suite.value(depth: 2, &random),
        "more": .bool(.random(using: &random)),
      ]
      all.append(value.bytes)
    }
    for _ in 0..<60 { all.append(suite.value(depth: 3, &random).bytes) }
    return all.filter { $0.count < 250 }
  }()

  /// Runs every function that takes foreign bytes. None may trap, whatever the bytes are.
  private func readEverything(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isRead = refusal(of: bytes) == nil
    let value = try? JSONValue.parse(bytes)
    // The only allowed difference is a value that is too large to be held.
    if value != nil { check(isRead, shown(Array(bytes))) }
    if let call = try? VarlinkCall.parse(bytes) {
      check(isRead, shown(Array(bytes)))
      _ = call.method(in: "org.nightjar.Timers")?.string
      if let parameters = call.parameters {
        check(refusal(of: parameters) == nil, shown(Array(bytes)))
      }
    }
    if (try? VarlinkReply.parse(bytes)) != nil { check(isRead, shown(Array(bytes))) }
    return isRead
  }

  @Test func `Every truncation of a document in brackets is refused as ending too early`() {
    let memory = GuardedMemory()
    for message in Self.messages {
      guard let first = message.first(where: { !" \t\r\n".utf8.contains($0) }),
        first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
        let last = message.lastIndex(where: { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") })
      else { continue }
      for count in 0...last {
        memory.withCopies(of: Array(message[..<count])) {
          check(!readEverything($0), "\(shown(message)) at \(count)")
          check(refusal(of: $0) == JSONError(.unexpectedEnd, at: count), shown(message))
        }
      }
    }
  }

  @Test func `No change of a single byte of a valid message traps or reads out of bounds`() {
    let memory = GuardedMemory()
    let values: [UInt8] = [
      0x00, 0x09, 0x0a, 0x1f, 0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a, 0x45, 0x5b, 0x5c,
      0x5d, 0x65, 0x6e, 0x74, 0x75, 0x7b, 0x7d, 0x7f, 0x80, 0xbf, 0xc2, 0xe2, 0xed, 0xf0, 0xff,
    ]
    var random = SplitMix()
    var refused = 0
    for message in Self.messages {
      for index in message.indices {
        var changed = message
        changed[index] = values[Int.random(in: values.indices, using: &random)]
        memory.withCopies(of: changed) { if !readEverything($0) { refused += 1 } }
        guard Bool.random(using: &random) else { continue }
        changed[index] = message[index] ^ 1 << UInt8.random(in: 0..<8, using: &random)
        memory.withCopies(of: changed) { if !readEverything($0) { refused += 1 } }
      }
    }
    #expect(refused > 1000, "seed \(random.seed)")
  }

  @Test func `Any byte at any position of a message neither traps nor reads out of bounds`() {
    let memory = GuardedMemory()
    let message = Array(
      #"{"method":"a.b\n","parameters":{"n":-1.5e3,"é":[true,null]},"more":false}"#.utf8)
    for index in message.indices {
      for value in UInt8.min...UInt8.max {
        var changed = message
        changed[index] = value
        memory.withCopies(of: changed) { _ = readEverything($0) }
      }
    }
  }

  @Test func `Removed, doubled or shuffled bytes neither trap nor read out of bounds`() {
    let memory = GuardedMemory()
    var random = SplitMix()
    for _ in 0..<2_000 {
      var bytes = Self.messages[Int.random(in: Self.messages.indices, using: &random)]
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let start = Int.random(in: bytes.indices, using: &random)
        let end = Int.random(in: start...bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: Array(bytes[start..<end]), at: start)
        default: bytes[start..<end].shuffle(using: &random)
        }
      }
      guard bytes.count < 4096 else { continue }
      memory.withCopies(of: bytes) { _ = readEverything($0) }
    }
  }
}
