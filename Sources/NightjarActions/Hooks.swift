internal import NightjarConfig
internal import NightjarInterface
internal import NightjarSystem
internal import NightjarVarlink

/// The programs in the folder of hooks. `hooks/EVENT.d/` beside the configuration file contains the
/// programs that are run on every event of a type, in the order of their names.
///
/// The folder is read at the start, when it changes, and on SIGHUP; an event only uses the result.
/// If not even the folder of the configuration exists, nothing is watched.
final class Hooks {
  private static let types = EventWords.ofTimers + EventWords.ofMachine

  private let folder: HookFolder?
  private let loop: EventLoop
  private let shortage: Shortage
  private var watch: FolderWatch?
  /// The paths of the hooks, by the type of the event.
  private var files: [String: [String]] = [:]

  /// - Parameter configPath: the path of the configuration file, which need not exist.
  init(beside configPath: String?, on loop: EventLoop, shortage: Shortage) {
    folder = HookFolder(beside: configPath)
    self.loop = loop
    self.shortage = shortage
    look()
  }

  /// Whether there are any hooks.
  var areThere: Bool { !files.isEmpty }

  /// The hooks of a type of event that may be run now.
  func programs(for type: String) -> [String] {
    (files[type] ?? []).filter { HookFolder.refusal(of: $0) == nil }
  }

  /// Reads the folder anew.
  func look() {
    guard let folder else { return }
    var types = folder.types
    // The types are read again after the watch is set, because a change before that would be
    // missed.
    for _ in 0..<3 {
      do {
        try watchFolders([folder.parent, folder.path] + types.map { folder.path(of: $0) })
      } catch  where error.isShortage {
        // Without a descriptor the folders seem empty, and existing hooks would not be run.
        Log.write(.warning, "hooks cannot be read now, trying again: \(error)")
        return shortage.again { [weak self] in self?.look() }
      } catch {
        Log.write(.warning, "hooks are read anew on SIGHUP only: \(error), ignoring")
      }
      let now = folder.types
      if now == types { break }
      types = now
    }
    files = [:]
    for type in types where Self.types.contains(type) {
      let programs = folder.programs(for: type)
      if !programs.isEmpty { files[type] = programs }
      for program in programs { complain(about: program) }
    }
    for type in types where !Self.types.contains(type) {
      Log.write(
        .warning, "\(folder.path(of: type)) is for no type of event that there is, ignoring")
    }
  }

  /// Logs a hook that other users can write, which is a danger. A hook that is not executable may
  /// be meant for later.
  private func complain(about program: String) {
    guard case .untrusted(let distrust)? = HookFolder.refusal(of: program) else { return }
    Log.write(
      .warning, "the hook \(program) is not run: \(distrust)", [("NIGHTJAR_HOOK", "untrusted")])
  }

  private func watchFolders(_ folders: [String]) throws(SystemError) {
    watch = try FolderWatch(folders, on: loop) { [unowned self] in
      // Not within the watch's own callback, because this replaces the watch.
      loop.later { [weak self] in self?.look() }
    }
  }
}
