/// Why something could not be measured here.
struct Unmeasured: Error {
  let why: String
}

/// Does what a measurement that has nothing else to tell is nothing without: ends the program if it fails.
func required<Result>(_ body: @autoclosure () throws(Unmeasured) -> Result) -> Result {
  do throws(Unmeasured) { return try body() } catch { fail(error.why) }
}
