import NightjarTime

/// Tells the name from the duration in what was typed behind `start`.
enum StartArguments {
  /// - Returns: the name, nil if there is none, and the duration as typed, not yet checked.
  /// - Throws: `CommandError` where one was left out, or where they are swapped.
  static func understand(
    _ words: [String]
  ) throws(CommandError) -> (name: String?, duration: String) {
    guard let first = words.first else {
      throw .usage("say how long: nightjar start tea 4min")
    }
    let rest = words.dropFirst().joined(separator: " ")
    guard words.count > 1 else {
      guard first.contains(where: \.isNumber) || first == "infinity" || first.isEmpty else {
        throw .usage(
          "how long? write the time behind the name: nightjar start \(Quoting.quoted(first)) 4min")
      }
      return (nil, first)
    }
    if Invocation.isSpan(rest) {
      // `10 5min` may be a timer called 10, but nobody calls one 1h or 1:30.
      guard !isPlainlySpan(first) else {
        let all = words.joined(separator: " ")
        // 1:30 and infinity stand alone, and no such remedy would do.
        _ = try DurationArgument.parsed(all)
        throw .usage(
          "'\(first)' is a time span, too; without a name write "
            + "nightjar start \(Quoting.quoted(all))")
      }
      return (first, rest)
    }
    let front = words.dropLast().joined(separator: " ")
    if let name = words.last, Invocation.isSpan(front), name.first?.isNumber != true {
      throw .usage(
        "the name comes first: nightjar start \(Quoting.quoted(name)) \(Quoting.quoted(front))")
    }
    return (first, rest)
  }

  private static func isPlainlySpan(_ text: String) -> Bool {
    do {
      return try ParsedSpan(text).bareNumber == nil
    } catch {
      return false
    }
  }
}
