internal import Glibc

/// Counts instructions with valgrind's callgrind: those of the program, not those of the kernel.
/// The count is the same in every run, also on a busy machine.
enum Callgrind {
  /// Swift hashes names with the same seed in every run. glibc copies bytes with instructions that
  /// all processors have, so the count does not depend on the processor.
  static let environment = [
    "SWIFT_DETERMINISTIC_HASHING=1",
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-SSSE3",
  ]

  static func instructions(of micro: Micro) throws(Unmeasured) -> Double {
    let count = try instructions(
      of: [program, "count", micro.name], options: ["--toggle-collect=nightjar_bench_counted"])
    return Double(count) / Double(micro.count)
  }

  /// How many instructions a command takes. Counts all of them, unless an option of callgrind
  /// limits the count.
  static func instructions(
    of command: [String], in surroundings: [String] = [], options: [String] = []
  ) throws(Unmeasured) -> Int {
    let callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + options
    let output = try Running.output(
      ["env"] + environment + surroundings + callgrind + command, called: "valgrind")
    guard let count = collected(output), count > 0 else {
      throw Unmeasured(
        why: "callgrind has counted nothing of \(command.joined(separator: " ")): \(output)")
    }
    return count
  }

  /// The number after `Collected :` in callgrind's output.
  static func collected(_ output: String) -> Int? {
    let line = output.split(separator: "\n").last { $0.contains("Collected : ") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
  }

  /// The path of this program.
  private static var program: String {
    guard let path = realpath("/proc/self/exe", nil) else { fail("/proc cannot be read") }
    defer { free(path) }
    return String(cString: path)
  }
}
