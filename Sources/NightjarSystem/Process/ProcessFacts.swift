import Glibc

/// What the kernel says about this process.
public enum ProcessFacts {
  /// Resident memory in bytes (VmRSS); nil where /proc cannot be read.
  public static var residentBytes: Int64? { statusField("VmRSS").map { $0 * 1024 } }

  /// How many threads run; nil where /proc cannot be read.
  public static var threadCount: Int? { statusField("Threads").map { Int($0) } }

  /// The number in a line of /proc/self/status, whose sizes are in kB (proc_pid_status(5)).
  private static func statusField(_ name: String) -> Int64? {
    guard let status = readKernelFile("/proc/self/status") else { return nil }
    for line in status.split(separator: UInt8(ascii: "\n")) {
      let fields = words(line)
      if fields.count > 1, fields[0] == "\(name):" { return Int64(fields[1]) }
    }
    return nil
  }
}

/// What stands between blanks.
private func words(_ text: ArraySlice<UInt8>) -> [String] {
  text.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a }).map {
    String(decoding: $0, as: UTF8.self)
  }
}

/// The bytes of a file that the kernel writes as it is read, such as those in /proc; nil when it
/// cannot be read. How long it is nobody knows beforehand: /proc/PID/status names every group.
func readKernelFile(_ path: String) -> [UInt8]? {
  let raw = open(path, O_RDONLY | O_CLOEXEC)
  guard raw >= 0 else { return nil }
  let file = Descriptor(owning: raw)
  var contents: [UInt8] = []
  return withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
    while true {
      let count = read(file.raw, buffer.baseAddress!, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return contents }
      contents += buffer[..<count]
    }
  }
}
