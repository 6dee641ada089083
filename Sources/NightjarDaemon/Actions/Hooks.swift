internal import Glibc
internal import NightjarSystem
internal import NightjarWire

/// The programs in the folder of hooks: `hooks/EVENT.d/` beside the configuration file has what is run
/// on every event of a type, in the order of the names.
///
/// The folder is read at the start, when it changes, and on SIGHUP; an event only looks at what was
/// found. Where not even the folder of the configuration is there, nothing is watched.
final class Hooks {
  private static let types = EventWords.ofTimers + EventWords.ofMachine
  private static let suffix = ".d"

  private let folder: String?
  private let loop: EventLoop
  private var watch: FolderWatch?
  /// By the type of the event, their paths.
  private var files: [String: [String]] = [:]

  /// - Parameter configPath: the configuration file, whether it is there or not.
  init(beside configPath: String?, on loop: EventLoop) {
    folder = configPath?.lastIndex(of: "/").map { "\(configPath![..<$0])/hooks" }
    self.loop = loop
    look()
  }

  /// Whether there are any.
  var areThere: Bool { !files.isEmpty }

  /// What is to be run on an event of this type: what may be executed now.
  func programs(for type: String) -> [String] {
    (files[type] ?? []).filter { access($0, X_OK) == 0 }
  }

  /// Reads the folder anew.
  func look() {
    guard let folder, let slash = folder.lastIndex(of: "/") else { return }
    var types = typesThere()
    // What comes between the look and the watch would be missed.
    for _ in 0..<3 {
      watchFolders([String(folder[..<slash]), folder] + types.map { path(of: $0) })
      let now = typesThere()
      if now == types { break }
      types = now
    }
    files = [:]
    for type in types where Self.types.contains(type) {
      let names = Self.names(in: path(of: type))
      if !names.isEmpty { files[type] = names.map { "\(path(of: type))/\($0)" } }
    }
    for type in types where !Self.types.contains(type) {
      Log.write(.warning, "\(path(of: type)) is for no type of event that there is, ignoring")
    }
  }

  private func path(of type: String) -> String { "\(folder ?? "")/\(type)\(Self.suffix)" }

  /// The types that have a folder.
  private func typesThere() -> [String] {
    Self.names(in: folder ?? "").filter { $0.hasSuffix(Self.suffix) }.map {
      String($0.dropLast(Self.suffix.count))
    }
  }

  private func watchFolders(_ folders: [String]) {
    do {
      watch = try FolderWatch(folders, on: loop) { [unowned self] in
        // Not within its own callback, of which it would be the end.
        loop.later { [weak self] in self?.look() }
      }
    } catch {
      Log.write(.warning, "hooks are read anew on SIGHUP only: \(error), ignoring")
    }
  }

  /// What is in a folder, in order; without what is hidden, or what an editor has left.
  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), !name.hasSuffix("~") { names.append(name) }
    }
    return names.sorted()
  }
}
