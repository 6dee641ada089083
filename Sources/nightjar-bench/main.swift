// `nightjar-bench [TIMERS]`: what a million active timers cost the daemon's core, on the real storage:
// countdowns, and a mix of all kinds. Prints one line for each figure, with what is asked of it.

internal import Glibc

let timers = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
exit(Bench.run(timers: timers))
