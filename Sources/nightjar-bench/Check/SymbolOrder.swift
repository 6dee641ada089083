/// What a program touches when it runs, in the order in which it first does: functions and data, by their
/// symbols. The linker lays the program out by it (`--symbol-ordering-file` of lld), so that what is needed
/// stands together and takes few page faults.
struct SymbolOrder: Equatable {
  /// The symbols, each once.
  private(set) var names: [String] = []
  private var known: Set<String> = []

  /// None.
  init() {}

  /// Adds a symbol behind the others, if it is not among them.
  mutating func append(_ name: String) {
    if known.insert(name).inserted { names.append(name) }
  }

  /// The text of the linker's file; lld takes a line behind a `#` for a comment, and passes over names that
  /// are not there.
  var text: String {
    let head = """
      # What nightjar start touches, in the order in which it does: lld lays the program out by it, which
      # spares half of the page faults. make order writes this anew.
      """
    return ([head] + names).joined(separator: "\n") + "\n"
  }
}

// MARK: - From a run

extension SymbolOrder {
  /// A symbol and where it stands.
  struct Symbol: Equatable {
    let addresses: Range<UInt64>
    let name: String
  }

  /// Adds symbols by the first access to each. O(accesses · log symbols).
  ///
  /// - Parameter symbols: sorted by address.
  mutating func append(touchedBy trace: Trace, among symbols: [Symbol]) {
    for address in trace.addresses {
      guard let symbol = Self.symbol(at: address, among: symbols), !known.contains(symbol.name)
      else { continue }
      append(symbol.name)
      guard let stem = Self.stem(of: symbol.name) else { continue }
      for other in symbols where Self.stem(of: other.name) == stem { append(other.name) }
    }
  }

  /// What comes before the processor's abilities in the name of a function of the C library, such as
  /// `__memmove_` of `__memmove_avx_unaligned`; nil for others. It has one for each kind of processor, and
  /// valgrind's is not the one at hand.
  private static func stem(of name: String) -> Substring? {
    guard name.hasPrefix("__") else { return nil }
    var stem = Substring()
    for part in name.split(separator: "_", omittingEmptySubsequences: false) {
      if abilities.contains(where: part.hasPrefix) { return stem }
      stem += "\(part)_"
    }
    return nil
  }

  private static let abilities = ["sse", "ssse", "avx", "evex"]

  /// How many pages of the program are touched: of 4,096 bytes, as a page fault is about one at least.
  static func pages(touchedBy trace: Trace, among symbols: [Symbol]) -> Int {
    guard let first = symbols.first?.addresses.lowerBound,
      let last = symbols.last?.addresses.upperBound
    else { return 0 }
    return Set(trace.addresses.filter { (first..<last).contains($0) }.map { $0 >> 12 }).count
  }

  private static func symbol(at address: UInt64, among symbols: [Symbol]) -> Symbol? {
    var (low, high) = (0, symbols.count)
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].addresses.lowerBound <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, symbols[low - 1].addresses.contains(address) else { return nil }
    return symbols[low - 1]
  }

  /// Reads what `nm --numeric-sort --print-size --defined-only` prints: address and size in hexadecimal, a
  /// letter, the name. What has no size, or a name with blanks, is left out.
  static func symbols(_ text: String) -> [Symbol] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, let start = UInt64(words[0], radix: 16),
        let size = UInt64(words[1], radix: 16), size > 0
      else { return nil }
      return Symbol(addresses: start..<start + size, name: String(words[3]))
    }
  }
}

/// What a run accessed, as `valgrind --tool=lackey --trace-mem=yes` writes it.
struct Trace: Equatable {
  /// How many instructions were executed.
  private(set) var instructions = 0
  /// Of instructions and of data, in the order in which each was first accessed.
  private(set) var addresses: [UInt64] = []

  /// Reads lines such as `I  0048b340,2` and ` L 1fff000710,8`; others are valgrind's own. O(n).
  init(_ text: String) {
    var seen = Set<UInt64>()
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard line.count > 3, let kind = line.first(where: { $0 != UInt8(ascii: " ") }),
        "ILSM".utf8.contains(kind), let address = Self.address(line.dropFirst(3))
      else { continue }
      if kind == UInt8(ascii: "I") { instructions += 1 }
      if seen.insert(address).inserted { addresses.append(address) }
    }
  }

  /// The hexadecimal number in front of the comma.
  private static func address(_ text: Substring.UTF8View) -> UInt64? {
    var address: UInt64 = 0
    for byte in text {
      if byte == UInt8(ascii: ",") { return address }
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, address >> 60 == 0 else {
        return nil
      }
      address = address << 4 | UInt64(digit)
    }
    return nil
  }
}
