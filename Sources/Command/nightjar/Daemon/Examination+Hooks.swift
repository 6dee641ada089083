import Glibc
import NightjarConfig
import NightjarInterface
import NightjarTime
import NightjarTrust
import Varlink

extension Examination {
  /// The findings about the hooks that run on events, and about the files in the folder that never
  /// run. Empty if there is no folder for hooks.
  static func hooks(_ folder: HookFolder?) -> [Finding] {
    guard let folder else { return [] }
    let known = (Wire.EventType.timerEvent + Wire.EventType.machineEvent).map(\.rawValue)
    var counts: [String] = []
    var troubles = folder.strays.map { stray($0, in: folder, known) }
    // If others can write to the folder, report that once, not for each hook in it.
    var untrusted: [Distrust] = []
    for type in folder.types.sorted() {
      guard known.contains(type) else {
        troubles.append(unknown(type, in: folder, known))
        continue
      }
      var count = 0
      for program in folder.programs(for: type) {
        switch HookFolder.refusal(of: program) {
        case nil: count += 1
        case .obstacle(let obstacle): troubles.append(trouble(program, obstacle))
        case .untrusted(let distrust):
          if !untrusted.contains(distrust) { untrusted.append(distrust) }
        }
      }
      if count > 0 { counts.append("\(count) program\(count == 1 ? "" : "s") for \(type)") }
    }
    troubles += untrusted.map(danger)
    guard !counts.isEmpty else { return troubles }
    let fine = Finding.fine("hooks", "\(counts.joined(separator: ", ")), in \(folder.path)")
    return [fine] + troubles
  }

  /// The finding about the hooks that come with Nightjar, in the folder `shelf`: which of them a
  /// link in the folder of hooks enables. Empty if they are not installed.
  static func shelf(_ shelf: String, _ folder: HookFolder?) -> [Finding] {
    let names = (FolderListing.names(in: shelf) ?? []).filter { $0 != "lib" }.sorted()
    guard !names.isEmpty else { return [] }
    let programs = folder.map { folder in folder.types.flatMap { folder.programs(for: $0) } } ?? []
    let paths = Set(programs.compactMap(target))
    let enabled = names.filter { target(of: "\(shelf)/\($0)").map(paths.contains) ?? false }
    let others = names.filter { !enabled.contains($0) }
    let lists = [("enabled", enabled), ("not enabled", others)].filter { !$1.isEmpty }
      .map { "\($0): \($1.joined(separator: ", "))" }
    return [.fine("hook_shelf", "\(lists.joined(separator: "; ")), in \(shelf)")]
  }

  /// The path of a file without symbolic links; nil if the file is not there.
  private static func target(of path: String) -> String? {
    guard let target = realpath(path, nil) else { return nil }
    defer { free(target) }
    return String(cString: target)
  }

  /// The finding for a folder whose name is no event: its programs never run.
  private static func unknown(
    _ type: String, in folder: HookFolder, _ known: [String]
  ) -> Finding {
    let path = folder.path(of: type)
    if Wire.EventType.actionEvent.contains(.init(rawValue: type)) {
      return .fault(
        "hooks", "\(path): what becomes of commands calls for none", "move what is in it away")
    }
    let near = NearName.nearest(to: type, among: known)
    return .fault(
      "hooks", "\(path): there is no event '\(type)'",
      near.map { "did you mean \($0).d?" } ?? "rename it; nightjar-hooks(5) has the events")
  }

  private static func stray(
    _ name: String, in folder: HookFolder, _ known: [String]
  ) -> Finding {
    let type = known.contains(name) ? name : NearName.nearest(to: name, among: known)
    return .advice(
      "hooks", "\(folder.path)/\(name) is not looked into: its name does not end in .d",
      type.map { "mv \(folder.path)/\(name) \(folder.path(of: $0))" })
  }

  /// The finding for a hook that another user can change: it would run with this user's rights.
  private static func danger(_ distrust: Distrust) -> Finding {
    let consequence = ProgramFile.isFolder(distrust.path) ? "no hook in it is run" : "it is not run"
    return .fault(
      "hooks", "\(distrust.path) \(distrust.reason), so that \(consequence)", distrust.remedy)
  }

  private static func trouble(
    _ program: String, _ obstacle: ProgramFile.Obstacle
  ) -> Finding {
    switch obstacle {
    case .missing, .notInPath:
      .fault(
        "hooks", "\(program) is a link to what is not there",
        "remove it, or put back what it leads to")
    case .noFile:
      .advice("hooks", "\(program) is no file, and is not run", "move it away")
    case .notExecutable, .unknownFormat, .noInterpreter:
      .advice("hooks", "\(program) may not be executed, and is not run", "chmod +x \(program)")
    }
  }
}
