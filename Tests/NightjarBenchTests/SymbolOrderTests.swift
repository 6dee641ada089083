import Testing

@testable import nightjar_bench

/// What is made of a traced run: the order in which the command is linked.
@Suite struct SymbolOrderTests {
  private static let symbols = SymbolOrder.symbols(
    """
    0000000000400000 0000000000000010 T _start
    0000000000400010 0000000000000020 t $s8nightjar4MainO
                     U getenv
    0000000000400040 T without_a_size
    0000000000400050 0000000000000008 r symbolic _____ySSG of two words
    0000000000500000 0000000000000008 D environ
    """)

  @Test("nm's lines have an address, a size and a name; what has no size, or blanks, is left out")
  func reading() {
    #expect(Self.symbols.map(\.name) == ["_start", "$s8nightjar4MainO", "environ"])
    #expect(Self.symbols.map(\.addresses.count) == [0x10, 0x20, 0x8])
    #expect(Self.symbols.map(\.addresses.lowerBound) == [0x400000, 0x400010, 0x500000])
  }

  @Test("a trace has instructions, which are counted, and addresses, each where it came first")
  func tracing() {
    let trace = Trace(
      """
      ==12== Lackey, an example Valgrind tool
      I  00400010,3
       L 00500004,8
      I  00400013,1
       S 1fff000708,8
      I  00400010,3
       M 00500004,4
      ==12==
      """)
    #expect(trace.instructions == 3)
    #expect(trace.addresses == [0x400010, 0x500004, 0x400013, 0x1f_ff00_0708])
    #expect(Trace("").instructions == 0)
    #expect(Trace("I  xyz,3\nI  00400010\n L").addresses.isEmpty)
  }

  @Test("symbols come in the order in which they are touched, each once; other addresses do not")
  func ordering() {
    let trace = Trace(
      """
       L 00500007,1
      I  0040002f,3
       L 00500008,1
      I  00400030,3
      I  0040000f,1
      I  00400010,1
      I  003fffff,1
      """)
    let order = SymbolOrder(touchedBy: trace, among: Self.symbols)
    #expect(order.names == ["environ", "$s8nightjar4MainO", "_start"])
    #expect(SymbolOrder(order.text) == order, "what is written is read back")
  }

  @Test("a command that is linked by an old order fails, and says what to do")
  func oldOrder() {
    let touched = SymbolOrder(names: (0..<100).map { "new\($0)" })
    let good = SymbolOrder(names: Array(touched.names.dropFirst(5).reversed()))
    #expect(CheckReport.failures(of: touched, in: good).isEmpty)
    let old = SymbolOrder(names: Array(touched.names.dropFirst(6)) + ["gone"])
    #expect(
      CheckReport.failures(of: touched, in: old) == [
        "command-start touches 100 symbols, of which only 94 % are among those that the command is linked "
          + "by: make bench-check BENCH_CHECK=--write writes them anew"
      ])
  }
}
