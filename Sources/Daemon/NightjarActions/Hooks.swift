internal import NightjarConfig
internal import NightjarInterface
internal import NightjarSystem
internal import Varlink

/// The programs in the folders of hooks. `hooks/EVENT.d/` beside the configuration file contains
/// the programs that run at every event of the type EVENT, in the order of their names.
///
/// The folders are read when the daemon starts, when they have changed, and on SIGHUP. If the
/// folder of the configuration does not exist, nothing is watched.
final class Hooks {
  private static let types = (Wire.EventType.timerEvent + Wire.EventType.machineEvent).map(
    \.rawValue)
  /// How long, in microseconds, changes are collected before the folders are read, unless an event
  /// needs the hooks before.
  private static let settlingUsec: Int64 = 200_000

  private let folder: HookFolder?
  private let loop: EventLoop
  private let shortage: Shortage
  private var watch: FolderWatch?
  private var settling: TimerSource?
  /// Whether the folders have changed since they were read.
  private var haveChanged = false
  /// Whether the folders are not watched, because a resource has run out.
  private var isUnwatched = false
  /// Whether `shortage` will call back.
  private var isRetryDue = false
  /// The warnings about the present hooks. Each has a word for the journal.
  private var warnings: [String: String] = [:]
  /// The paths of the hooks, by the type of the event.
  private var files: [String: [String]] = [:]

  /// - Parameter configPath: the path of the configuration file, which need not exist.
  init(beside configPath: String?, on loop: EventLoop, shortage: Shortage) throws(SystemError) {
    folder = HookFolder(beside: configPath)
    self.loop = loop
    self.shortage = shortage
    settling = try loop.timer(on: .monotonic) { [unowned self] in readChanges() }
    read()
  }

  /// Whether there are any hooks. O(1), unless the folders have changed.
  var hasPrograms: Bool {
    readChanges()
    return !files.isEmpty
  }

  /// The hooks of a type of event that may be run now.
  func programs(for type: String) -> [String] {
    readChanges()
    return (files[type] ?? []).filter { HookFolder.refusal(of: $0) == nil }
  }

  /// Reads the folders anew, and repeats the warnings about hooks.
  func reload() {
    warnings = [:]
    read()
  }

  private func readChanges() { if haveChanged { read() } }

  private func read() {
    guard let folder else { return }
    haveChanged = false
    settling?.arm(atUsec: nil)
    var types = folder.types
    do throws(SystemError) {
      // The folders are read after the watch is set, because a change just before that would be
      // missed.
      for _ in 0..<3 {
        try watchFolders([folder.parent, folder.path] + types.map { folder.path(of: $0) })
        let now = folder.types
        if now == types { break }
        types = now
      }
      isUnwatched = false
    } catch {
      retry(because: error)
    }
    read(types, in: folder)
  }

  /// Tries again later to watch the folders. Each try also reads them.
  private func retry(because error: SystemError) {
    if !isUnwatched {
      Log.write(
        .warning, "changes of hooks are noticed late, as their folders cannot be watched: \(error)")
    }
    isUnwatched = true
    guard !isRetryDue else { return }
    isRetryDue = true
    shortage.again { [weak self] in
      self?.isRetryDue = false
      self?.read()
    }
  }

  private func read(_ types: [String], in folder: HookFolder) {
    var found: [String: [String]] = [:]
    var sentences: [String: String] = [:]
    for type in types {
      guard Self.types.contains(type) else {
        let path = folder.path(of: type)
        sentences["\(path) is for no type of event that there is, ignoring"] = "unknown"
        continue
      }
      let programs = folder.programs(for: type)
      if !programs.isEmpty { found[type] = programs }
      for sentence in programs.compactMap(warning) { sentences[sentence] = "untrusted" }
    }
    for (sentence, word) in sentences.sorted(by: <) where warnings[sentence] == nil {
      Log.write(.warning, sentence, [("NIGHTJAR_HOOK", word)])
    }
    // Without a free descriptor, a folder seems empty. Keep its hooks: those that do not exist any
    // more are not run (`programs`).
    warnings = isUnwatched ? warnings.merging(sentences) { $1 } : sentences
    files = isUnwatched ? files.merging(found) { $1 } : found
  }

  /// The warning about a hook that other users can write, because that is a danger; nil for other
  /// hooks. There is none about a hook that is not executable, because it may be meant for later.
  private func warning(about program: String) -> String? {
    guard case .untrusted(let distrust)? = HookFolder.refusal(of: program) else { return nil }
    return "the hook \(program) is not run: \(distrust)"
  }

  /// Watches the folders instead of those that were watched until now.
  ///
  /// While events of the old watch wait in sd-event, sd-event passes them to the new watch. So the
  /// handler only notes that something has changed: if it read the folders, one change could call
  /// it without end.
  private func watchFolders(_ folders: [String]) throws(SystemError) {
    watch = try FolderWatch(folders, on: loop) { [unowned self] in
      guard !haveChanged else { return }
      haveChanged = true
      settling?.arm(atUsec: Clocks.monotonicUsec() + Self.settlingUsec)
    }
  }
}
