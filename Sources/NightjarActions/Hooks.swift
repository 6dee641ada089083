internal import NightjarConfig
internal import NightjarInterface
internal import NightjarSystem
internal import NightjarVarlink

/// The programs in the folders of hooks. `hooks/EVENT.d/` beside the configuration file contains
/// the programs that run at every event of the type EVENT, in the order of their names.
///
/// The folders are read when the daemon starts, when they change, and on SIGHUP. An event uses the
/// result of the last reading. If the folder of the configuration does not exist, nothing is
/// watched.
final class Hooks {
  private static let types = EventWords.ofTimers + EventWords.ofMachine

  /// Because a resource had run out, the folders are not watched.
  private enum Unwatched { case unread, read }

  private let folder: HookFolder?
  private let loop: EventLoop
  private let shortage: Shortage
  private var watch: FolderWatch?
  /// Whether the folders were read although they are not watched; nil: they are watched.
  private var unwatched: Unwatched?
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
  var hasPrograms: Bool { !files.isEmpty }

  /// The hooks of a type of event that may be run now.
  func programs(for type: String) -> [String] {
    (files[type] ?? []).filter { HookFolder.refusal(of: $0) == nil }
  }

  /// Reads the folders anew.
  ///
  /// - Parameter isRetry: whether this is another try to watch the folders, because a resource had
  ///   run out.
  func look(isRetry: Bool = false) {
    guard let folder else { return }
    var types = folder.types
    // The folders are read again after the watch is set, because a change just before that would be
    // missed.
    for _ in 0..<3 {
      do {
        try watchFolders([folder.parent, folder.path] + types.map { folder.path(of: $0) })
      } catch  where error.isShortage {
        if unwatched == nil {
          Log.write(.warning, "changes of hooks go unseen for now, trying again: \(error)")
        }
        shortage.again { [weak self] in self?.look(isRetry: true) }
        // Without a free descriptor, the folders seem empty, and existing hooks would not run.
        let isRead = !types.isEmpty && !(isRetry && unwatched == .read)
        if isRead { read(types, in: folder) }
        unwatched = isRead || unwatched == .read ? .read : .unread
        return
      } catch {
        Log.write(.warning, "hooks are read anew on SIGHUP only: \(error), ignoring")
      }
      let now = folder.types
      if now == types { break }
      types = now
    }
    unwatched = nil
    read(types, in: folder)
  }

  private func read(_ types: [String], in folder: HookFolder) {
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

  /// Logs a warning about a hook that other users can write, because that is a danger. Writes
  /// nothing about a hook that is not executable, because it may be meant for later.
  private func complain(about program: String) {
    guard case .untrusted(let distrust)? = HookFolder.refusal(of: program) else { return }
    Log.write(
      .warning, "the hook \(program) is not run: \(distrust)", [("NIGHTJAR_HOOK", "untrusted")])
  }

  private func watchFolders(_ folders: [String]) throws(SystemError) {
    watch = try FolderWatch(folders, on: loop) { [unowned self] in
      // Not within the callback of the watch, because `look` replaces the watch.
      loop.later { [weak self] in self?.look() }
    }
  }
}
