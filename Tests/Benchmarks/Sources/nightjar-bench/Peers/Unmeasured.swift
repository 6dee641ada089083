/// Why something could not be measured here.
struct Unmeasured: Error {
  let why: String
}

/// Returns the result of `body`. Ends the program if `body` fails: for measurements that cannot
/// continue without it.
func required<Result>(_ body: @autoclosure () throws(Unmeasured) -> Result) -> Result {
  do throws(Unmeasured) { return try body() } catch { fail(error.why) }
}
