internal import Glibc

/// The code and the constants of this process, to give back the pages of them that only a start, or
/// a burst of work, needed.
public struct ReadOnlyPages {
  private var ranges: [Range<UInt>] = []

  /// Looks up what is mapped, once libraries are loaded and relocated. O(mappings).
  ///
  /// Left alone are mappings that can be written, and those of which a page is no longer the
  /// file's: relocated data that was made read-only afterwards.
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
        // A page of our own that was swapped out is counted here, and no longer as anonymous.
        ranges.append(range)
      }
    }
  }

  /// Unmaps those pages. What is still in use comes back from the page cache at the first touch: a
  /// minor fault for each 64 KiB.
  ///
  /// Relocating a static Swift binary and its libraries and preparing SQLite's statements touch
  /// some 5 MB that an idle daemon never looks at again. On a private mapping of a file
  /// MADV_DONTNEED means just this (madvise(2)): later accesses repopulate "the memory contents
  /// from the up-to-date contents of the underlying mapped file". O(mappings), a few microseconds
  /// each.
  public func release() {
    for range in ranges {
      // A kernel that will not leaves things as they are.
      madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// The addresses of a mapping that is private, of a file, and not writable; nil for any other.
  private static func readOnlyFile(_ fields: [Substring]) -> Range<UInt>? {
    guard fields.count >= 6, fields[1] == "r-xp" || fields[1] == "r--p",
      fields[5].hasPrefix("/")
    else { return nil }
    let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
  }
}
