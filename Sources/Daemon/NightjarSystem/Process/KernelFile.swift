import Glibc

/// Reads a file that the kernel generates, such as a file in /proc; nil if it cannot be read. The
/// length of such a file is not known beforehand: /proc/PID/status lists every group.
public func readKernelFile(_ path: String) -> [UInt8]? {
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
