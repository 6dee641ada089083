/// Calls `body`. callgrind counts in here and nowhere else, by the symbol: neither what made
/// everything ready nor the start of the program is among what it says.
@_silgen_name("nightjar_bench_counted")
@inline(never)
@_optimize(none)
func counted(_ body: () -> Void) {
  body()
}
