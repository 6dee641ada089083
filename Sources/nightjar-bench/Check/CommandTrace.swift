/// One `nightjar start`, the whole program, traced beside a daemon: what it executes and what it touches.
enum CommandTrace {
  /// The name by which it has a threshold.
  static let name = "command-start"
  /// What it does, in words.
  static let work = "one nightjar start, the whole program"

  /// A zone with a rule for its summers, as most people have one; without `TZ`, the machine's own.
  private static let zones = ["TZ=Europe/Berlin", nil]

  /// - Parameters:
  ///   - program: `nightjar` without its debug symbols.
  ///   - daemon: `nightjard`.
  /// - Returns: how many instructions it executes, and what it touches.
  static func run(_ program: String, daemon: String) -> (instructions: Int, order: SymbolOrder) {
    let nightjard = Nightjard(binary: daemon)
    let server = nightjard.start()
    defer { server.end() }
    let symbols = SymbolOrder.symbols(
      required(
        try Command.output(["nm", "--numeric-sort", "--print-size", "--defined-only", program])))
    var traces: [Trace] = []
    for (number, zone) in zones.enumerated() {
      let trace = trace(program, zone: zone, timer: "order-\(number)", of: nightjard)
      guard trace.instructions > 0 else { fail("valgrind has traced nothing of \(program)") }
      traces.append(trace)
    }
    var order = SymbolOrder(touchedBy: traces[0], among: symbols)
    let known = Set(order.names)
    for trace in traces.dropFirst() {
      order.names += SymbolOrder(touchedBy: trace, among: symbols).names
        .filter { !known.contains($0) }
    }
    return (traces[0].instructions, order)
  }

  private static func trace(
    _ program: String, zone: String?, timer: String, of nightjard: Nightjard
  ) -> Trace {
    let file = "\(nightjard.folder.path)/\(timer)"
    _ = required(
      try Command.output(
        ["env", "SWIFT_DETERMINISTIC_HASHING=1", "NIGHTJAR_SOCKET=\(nightjard.socketPath)"]
          + ["HOME=\(nightjard.folder.path)"] + (zone.map { [$0] } ?? [])
          + [
            "valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=\(file)", program, "start",
            timer, "1h",
          ],
        called: "valgrind"))
    return Trace(File.text(file))
  }
}
