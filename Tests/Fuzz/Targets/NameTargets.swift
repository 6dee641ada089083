import NightjarModel

/// Timers' names: the rules as the manual has them, scalar by scalar.
enum NameTarget {
  static func run(_ input: Input) {
    let name = input.text
    var bytes = Array(name.utf8)
    let problem = bytes.withUnsafeBytes { TimerName.problem($0) }
    switch problem {
    case nil: break
    case .empty: require(name.isEmpty, "'\(name)' is not empty")
    case .tooLong(let count): require(count == bytes.count && count > 255, "\(count) bytes")
    case .controlCharacter(let index):
      let rest = String(decoding: bytes[index...], as: UTF8.self)
      require(rest.unicodeScalars.first.map(isControl) == true, "no control character at \(index)")
    case .emptySegment: require(hasEmptySegment(name), "'\(name)' has no empty segment")
    }
    let isRight =
      !name.isEmpty && bytes.count <= 255 && !name.unicodeScalars.contains(where: isControl)
      && !hasEmptySegment(name)
    require((problem == nil) == isRight, "'\(name)': \(problem.map { "\($0)" } ?? "right")")
    guard bytes.count <= Limits.nameBytes else { return }
    // A name is below each of its beginnings that ends with a segment, and below no other.
    for count in 0...bytes.count {
      let isBelow = bytes.withUnsafeBytes { bytes in
        TimerName.matches(bytes, prefix: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      let slash = UInt8(ascii: "/")
      let isSegment =
        count == 0 || count == bytes.count || bytes[count] == slash || bytes[count - 1] == slash
      require(isBelow == isSegment, "'\(name)' and its first \(count) bytes")
    }
    if !bytes.isEmpty {
      let whole = bytes
      bytes[bytes.count - 1] ^= 1
      let isBelow = whole.withUnsafeBytes { whole in
        bytes.withUnsafeBytes { TimerName.matches(whole, prefix: $0) }
      }
      require(!isBelow, "'\(name)' is below another name")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }

  private static func hasEmptySegment(_ name: String) -> Bool {
    name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .contains { $0.isEmpty }
  }
}

/// The kernel's name of a boot: what is read is written, and read again as the same.
enum BootTarget {
  static func run(_ input: Input) {
    guard let id = BootID(text: input.text) else { return }
    let digits = "\(id)"
    require(digits.utf8.count == 32 && BootID(text: digits) == id, "'\(digits)' is another boot")
    let text = input.text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
    require(digits.utf8.elementsEqual(text), "'\(digits)' for '\(input.text)'")
  }
}
