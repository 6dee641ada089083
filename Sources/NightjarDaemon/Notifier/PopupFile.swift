internal import Glibc
internal import NightjarSystem
internal import NightjarTrust

/// Which popups are up, for the next process: whoever restarts the daemon is to find them on the
/// screen, with buttons that do what they say.
///
/// A file in the state folder on which nothing depends: what cannot be read was never written.
///
/// It is written over in place: where a file system discards freed blocks at once, truncating, renaming
/// over or unlinking a file holds the loop for milliseconds, and rings may be a thousand a second. The
/// first and the last line have the same number, which tells a file that was not written whole.
struct PopupFile {
  /// What was up.
  struct Contents: Equatable {
    /// Where the numbers hold.
    var place = ""
    /// The number in that place; 0: it was not up yet.
    var timers: [(popup: UInt32, id: Int64, name: String)] = []
    /// Of several timers, those that rang with these events.
    var digest: (popup: UInt32, firstSeq: Int64, lastSeq: Int64)?

    var isEmpty: Bool { timers.isEmpty && digest == nil }

    static func == (a: Self, b: Self) -> Bool {
      a.place == b.place && a.timers.elementsEqual(b.timers) { $0 == $1 }
        && a.digest?.popup == b.digest?.popup && a.digest?.firstSeq == b.digest?.firstSeq
        && a.digest?.lastSeq == b.digest?.lastSeq
    }
  }

  private static let head = "nightjar popups 2 "
  private static let end = "end "
  private static let longestBytes = 65_536

  let path: String

  init(folder: String) { path = "\(folder)/popups" }

  /// What the last process has left; empty where that is nothing, or nothing that is understood.
  func read() -> Contents {
    guard let file = open(O_RDONLY) else { return Contents() }
    var bytes = [UInt8](repeating: 0, count: Self.longestBytes)
    let count = Glibc.read(file.raw, &bytes, bytes.count)
    guard count > 0 else { return Contents() }
    return Self.parse(String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// What a file says; what stands behind its end is from longer ones.
  static func parse(_ text: String) -> Contents {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard let first = lines.popFirst(), first.hasPrefix(head),
      let last = lines.firstIndex(of: end + first.dropFirst(head.count))
    else { return Contents() }
    var contents = Contents()
    for line in lines[..<last] {
      let words = line.split(separator: " ", maxSplits: 3)
      switch (words.first, words.count) {
      case ("place", 2...): contents.place = words.dropFirst().joined(separator: " ")
      case ("timer", 4):
        guard let popup = UInt32(words[1]), let id = Int64(words[2]) else { continue }
        contents.timers.append((popup, id, String(words[3])))
      case ("digest", 4):
        guard let popup = UInt32(words[1]), let first = Int64(words[2]), let last = Int64(words[3])
        else { continue }
        contents.digest = (popup, first, last)
      default: continue
      }
    }
    return contents
  }

  /// - Parameter number: another one than what stands there has.
  static func text(_ contents: Contents, number: Int64) -> String {
    var lines = ["\(head)\(number)", "place \(contents.place)"]
    // Names have no newlines, and a blank in one is not the last that is split at.
    for timer in contents.timers { lines.append("timer \(timer.popup) \(timer.id) \(timer.name)") }
    if let digest = contents.digest {
      lines.append("digest \(digest.popup) \(digest.firstSeq) \(digest.lastSeq)")
    }
    return (lines + ["\(end)\(number)"]).joined(separator: "\n") + "\n"
  }

  /// Writes it, over what was there; without sync, since a machine that loses its power has lost its
  /// popups.
  ///
  /// - Returns: whether it is there. If not, what was there before is not either: it is not true any more.
  @discardableResult
  func write(_ contents: Contents) -> Bool {
    if overwrite(contents) { return true }
    unlink(path)
    return false
  }

  private func overwrite(_ contents: Contents) -> Bool {
    guard let file = open(O_WRONLY | O_CREAT) else { return false }
    var text = Self.text(contents, number: Clocks.monotonicUsec())
    return text.withUTF8 { Glibc.write(file.raw, $0.baseAddress, $0.count) == $0.count }
  }

  /// The file, if it can be opened and is this user's alone.
  private func open(_ flags: Int32) -> Descriptor? {
    do throws(Distrust) {
      let raw = try TrustRule.keptFile.open(path, flags)
      return raw >= 0 ? Descriptor(owning: raw) : nil
    } catch {
      Log.write(.warning, "\(error), ignoring")
      return nil
    }
  }
}
