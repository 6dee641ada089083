/// Calls `body`. callgrind finds this function by its symbol, and counts only inside it: neither
/// the preparation nor the start of the program.
@_silgen_name("nightjar_bench_counted")
@inline(never)
@_optimize(none)
func counted(_ body: () -> Void) {
  body()
}
