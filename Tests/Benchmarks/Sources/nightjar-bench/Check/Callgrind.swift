internal import Glibc

/// Instructions as valgrind's callgrind counts them: of the program, not of the kernel, and the
/// same from run to run whatever else the machine does.
enum Callgrind {
  /// Names are hashed alike each time, and bytes copied alike on every processor: by what all have.
  static let environment = [
    "SWIFT_DETERMINISTIC_HASHING=1",
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-SSSE3",
  ]

  /// How many instructions one operation takes.
  static func instructions(of micro: Micro) -> Double {
    let count = instructions(
      of: [program, "count", micro.name], options: ["--toggle-collect=nightjar_bench_counted"])
    return Double(count) / Double(micro.count)
  }

  /// How many instructions a command takes: all of them, where no option of callgrind says
  /// otherwise.
  static func instructions(
    of command: [String], in surroundings: [String] = [], options: [String] = []
  ) -> Int {
    let callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + options
    let output = required(
      try Command.output(
        ["env"] + environment + surroundings + callgrind + command, called: "valgrind"))
    guard let count = collected(output), count > 0 else {
      fail("callgrind has counted nothing of \(command.joined(separator: " ")): \(output)")
    }
    return count
  }

  /// The number behind `Collected :` in what callgrind says.
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
