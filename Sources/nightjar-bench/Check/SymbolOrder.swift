/// What a program touches when it runs, in the order in which it first does: functions and data, by their
/// symbols. The linker lays the program out by it (`--symbol-ordering-file` of lld), so that what is needed
/// stands together and takes few page faults.
struct SymbolOrder: Equatable {
  /// Of so much of what is touched the place must be known.
  static let leastKnown = 0.95

  /// The symbols, each once.
  var names: [String]

  /// - Parameter names: in their order, each once.
  init(names: [String]) { self.names = names }

  /// Reads the linker's file: a symbol to a line.
  init(_ text: String) {
    names = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// The text of the linker's file; lld takes a line behind a `#` for a comment.
  var text: String {
    let head = """
      # What nightjar start touches, in the order in which it does: lld lays the program out by it, which spares
      # half of the page faults. make bench-check BENCH_CHECK=--write writes this anew.
      """
    return ([head] + names).joined(separator: "\n") + "\n"
  }

  /// What share of these another has, from 0 to 1. O(n + m).
  func share(in other: SymbolOrder) -> Double {
    let known = Set(other.names)
    return names.isEmpty ? 1 : Double(names.count { known.contains($0) }) / Double(names.count)
  }
}

// MARK: - From a run

extension SymbolOrder {
  /// A symbol and where it stands.
  struct Symbol: Equatable {
    let addresses: Range<UInt64>
    let name: String
  }

  /// Orders symbols by the first access to each. O(accesses · log symbols).
  ///
  /// - Parameter symbols: sorted by address.
  init(touchedBy trace: Trace, among symbols: [Symbol]) {
    names = []
    var seen = Set<String>()
    for address in trace.addresses {
      guard let symbol = Self.symbol(at: address, among: symbols), seen.insert(symbol.name).inserted
      else { continue }
      names.append(symbol.name)
    }
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
