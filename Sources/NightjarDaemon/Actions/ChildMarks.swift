internal import Glibc
internal import NightjarCore
internal import NightjarSystem

/// Which processes commands have become, for the next daemon: a child that outlives this one is not to
/// have another beside it. Of services the service manager knows.
///
/// A mark is a symbolic link that leads nowhere, with what is to be known for its text: it is there as a
/// whole or not at all, however this process ends, and it need not outlive the machine's end. Nothing
/// depends on it but that: one that cannot be left, or read, was never there.
struct ChildMarks {
  /// A child, as it was started.
  struct Child: Equatable {
    let process: ProcessIdentity
    /// CLOCK_MONOTONIC then, in microseconds.
    let startedUsec: Int64
  }

  private let folder: String

  /// - Parameter stateFolder: the daemon's own; the marks have a folder in it.
  init(in stateFolder: String) { folder = "\(stateFolder)/children" }

  private func path(_ action: PendingAction) -> String {
    "\(folder)/\(action.key.seq)-\(action.key.number)-\(action.attempt)"
  }

  /// Leaves a mark.
  func leave(_ child: Child, for action: PendingAction) {
    mkdir(folder, 0o700)
    let process = child.process
    symlink(
      "\(Clocks.bootID) \(process.pid) \(process.startTicks) \(child.startedUsec)", path(action))
  }

  /// The child that a mark was left for, whether it lives or not; nil: there is no mark.
  func find(_ action: PendingAction) -> Child? {
    var text = [CChar](repeating: 0, count: 128)
    guard readlink(path(action), &text, text.count - 1) > 0 else { return nil }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 4, let pid = Int32(words[1]), pid > 0, let ticks = Int64(words[2]),
      let startedUsec = Int64(words[3])
    else { return nil }
    // Numbers begin anew with each boot: that one is nobody's.
    let isOfThisBoot = words[0] == "\(Clocks.bootID)"
    return Child(
      process: ProcessIdentity(pid: pid, startTicks: isOfThisBoot ? ticks : -1),
      startedUsec: startedUsec)
  }

  /// Takes a mark away.
  func remove(_ action: PendingAction) { unlink(path(action)) }

  /// Takes all marks away but those of some actions.
  func removeAll(but actions: [PendingAction]) {
    let kept = Set(actions.map(path))
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = "\(folder)/\(name)"
      if !kept.contains(path), !name.hasPrefix(".") { unlink(path) }
    }
  }
}
