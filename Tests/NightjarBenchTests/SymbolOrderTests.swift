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
    var order = SymbolOrder()
    order.append(touchedBy: trace, among: Self.symbols)
    #expect(order.names == ["environ", "$s8nightjar4MainO", "_start"])
    order.append(touchedBy: trace, among: Self.symbols)
    #expect(order.names.count == 3)
    let lines = order.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines == ["environ", "$s8nightjar4MainO", "_start"])
  }

  @Test("a function that there is for each kind of processor brings the others with it")
  func variants() {
    let symbols = SymbolOrder.symbols(
      """
      0000000000001000 0000000000000010 t __memmove_avx_unaligned
      0000000000001010 0000000000000010 t __memmove_evex_unaligned_erms
      0000000000001020 0000000000000010 t __memset_avx2
      0000000000001030 0000000000000010 T __memmove_chk
      0000000000001040 0000000000000010 t __memmove_ssse3
      0000000000001050 0000000000000010 T memmove
      """)
    var order = SymbolOrder()
    order.append(touchedBy: Trace("I  00001041,1\nI  00001050,1"), among: symbols)
    #expect(
      order.names == [
        "__memmove_ssse3", "__memmove_avx_unaligned", "__memmove_evex_unaligned_erms", "memmove",
      ])
  }

  @Test("pages are those of the program: its own symbols' and what lies between them")
  func pages() {
    let trace = Trace("I  00400000,1\nI  00400ffc,1\n L 00500007,1\n L 00500008,1\n S 003fffff,1")
    #expect(SymbolOrder.pages(touchedBy: trace, among: Self.symbols) == 2)
    #expect(SymbolOrder.pages(touchedBy: trace, among: []) == 0)
  }
}
