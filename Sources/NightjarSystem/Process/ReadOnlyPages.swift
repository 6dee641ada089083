internal import Glibc

/// Returns read-only pages (code and constants) to the kernel, because many are needed only at the
/// start or in a burst of work.
public struct ReadOnlyPages {
  private var ranges: [Range<UInt>] = []

  /// Finds the mappings. Create it after libraries are loaded and relocated. O(mappings).
  ///
  /// Skips mappings that are writable, and those with a page that differs from the file: relocated
  /// data that was made read-only afterwards.
  public init() {
    guard let file = fopen("/proc/self/smaps", "re") else { return }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 4352)
    var mapping: Range<UInt>?
    var isUntouched = false
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      guard let first = fields.first else { continue }
      if !first.hasSuffix(":") {
        mapping = Self.readOnlyFile(fields)
      } else if first == "Anonymous:", fields.count > 1 {
        isUntouched = fields[1] == "0"
      } else if first == "Swap:", fields.count > 1, isUntouched, fields[1] == "0",
        let range = mapping
      {
        // The kernel counts a modified page that was swapped out under `Swap:`, and no longer under
        // `Anonymous:`.
        ranges.append(range)
      }
    }
  }

  /// Drops the pages of these mappings. A page that is still in use comes back from the page cache
  /// at its next access: a minor fault for each 64 KiB.
  ///
  /// Relocating a static Swift binary and its libraries and preparing SQLite's statements touch
  /// some 5 MB that an idle daemon never looks at again. On a private mapping of a file,
  /// MADV_DONTNEED does just this. According to madvise(2), later accesses repopulate "the memory
  /// contents from the up-to-date contents of the underlying mapped file". O(mappings), a few
  /// microseconds each.
  public func release() {
    for range in ranges {
      // On failure the pages stay, which is harmless.
      madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// The addresses of a private, read-only mapping of a file; nil for any other.
  private static func readOnlyFile(_ fields: [Substring]) -> Range<UInt>? {
    guard fields.count >= 6, fields[1] == "r-xp" || fields[1] == "r--p",
      fields[5].hasPrefix("/")
    else { return nil }
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
  }
}
