internal import Glibc

/// Returns read-only pages (code and constants) of this process to the kernel, because many of them
/// are used only at the start or in a burst of work.
public struct ReadOnlyPages {
  private var ranges: [Range<UInt>] = []

  /// Finds the read-only mappings of files. Create this object after libraries are loaded and
  /// relocated. O(mappings).
  ///
  /// Mappings that are writable are skipped. So are mappings with a page that differs from the
  /// file: they are relocated data that was made read-only afterwards.
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
        // The kernel counts a modified page that was swapped out under `Swap:`, and not under
        // `Anonymous:`.
        ranges.append(range)
      }
    }
  }

  /// Drops the pages of these mappings from memory. If a page is needed again, its next access is a
  /// minor fault, which maps 64 KiB from the page cache.
  ///
  /// To relocate a static Swift binary and its libraries, and to prepare SQLite's statements, a
  /// starting daemon reads about 5 MB that an idle daemon does not read again. On a private mapping
  /// of a file, MADV_DONTNEED drops the pages. According to madvise(2), later accesses repopulate
  /// "the memory contents from the up-to-date contents of the underlying mapped file". O(mappings),
  /// a few microseconds each.
  public func release() {
    for range in ranges {
      // On failure the pages stay, which is harmless.
      madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// The addresses of a private, read-only mapping of a file; nil for any other mapping. `fields`
  /// is a line of /proc/self/smaps.
  private static func readOnlyFile(_ fields: [Substring]) -> Range<UInt>? {
    guard fields.count >= 6, fields[1] == "r-xp" || fields[1] == "r--p",
      fields[5].hasPrefix("/")
    else { return nil }
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
  }
}
