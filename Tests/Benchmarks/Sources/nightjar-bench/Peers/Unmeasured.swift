/// Why something could not be measured here.
struct Unmeasured: Error {
  let why: String
}

/// For measurements that cannot go on without it: if it fails, the program ends.
func required<Result>(_ body: @autoclosure () throws(Unmeasured) -> Result) -> Result {
  do throws(Unmeasured) { return try body() } catch { fail(error.why) }
}
