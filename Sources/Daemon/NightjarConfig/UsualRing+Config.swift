package import NightjarModel
internal import NightjarTime

extension UsualRing {
  /// Reads `ring_for` and `insist` of the table `[daemon]`. A missing key changes nothing.
  ///
  /// - Throws: the mistake in a value, with its position.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let node = table.node("ring_for") {
      if case .table = node.value {
        var each = try table.table(of: node, title: "'ring_for' of \(table.title)")
        for kind in Self.kinds {
          if let node = each.node("\(kind.name)") {
            forUsec[kind] = try each.ringUsec(of: node)
          }
        }
        try each.finish()
      } else {
        let usec = try table.ringUsec(of: node)
        for kind in Self.kinds { forUsec[kind] = usec }
      }
    }
    if let node = table.node("insist") {
      let usec = try table.usec(of: node, from: 0)
      guard usec == 0 || Limits.insistUsec.contains(usec) else {
        let least = SpanFormat.text(usec: Limits.insistUsec.lowerBound)
        let most = SpanFormat.text(usec: Limits.insistUsec.upperBound)
        throw table.error(
          at: node, "'insist' must be from \(least) to \(most), or 0 for not at all")
      }
      insistUsec = usec
    }
  }
}

extension ConfigTable {
  /// A length of at most the longest ring, in microseconds.
  package func ringUsec(of node: ConfigNode) throws(ConfigError) -> Int64 {
    let usec = try usec(of: node, from: 0)
    guard usec <= Limits.ringUsec else {
      let longest = SpanFormat.text(usec: Limits.ringUsec)
      throw error(at: node, "'\(node.key)' is at most \(longest)")
    }
    return usec
  }
}
