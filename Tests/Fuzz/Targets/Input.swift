/// One input: bytes that choose something come first, what is parsed follows.
///
/// A choice is made by a byte's distance to the digit 0, so that seeds can be written as text.
struct Input {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  /// The next byte; 0 where there is none.
  mutating func byte() -> UInt8 {
    guard let first = rest.first else { return 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest[1...])
    return first
  }

  /// One of `choices`.
  mutating func choose<Choice>(from choices: [Choice]) -> Choice {
    choices[Int(byte() &- UInt8(ascii: "0")) % choices.count]
  }

  /// What has not been read, as text.
  var text: String { String(decoding: rest, as: UTF8.self) }
}

/// Makes the input a failing one unless `isTrue`.
func require(
  _ isTrue: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !isTrue { fatalError(message(), file: file, line: line) }
}

/// What was parsed, or the error; an error of another type than the parser's own does not compile.
func outcome<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Result<Value, Failure> {
  do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
}

extension Result {
  /// The value; nil for an error.
  var value: Success? { try? get() }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014): choices
/// that an input repeats.
struct Choices: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt8) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
