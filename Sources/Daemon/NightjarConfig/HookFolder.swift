internal import Glibc
public import NightjarTrust

/// The programs that run at events (hooks). The folder `hooks/EVENT.d/` beside the configuration
/// file contains those for events of the type EVENT. They run in the order of their names.
public struct HookFolder: Sendable {
  private static let suffix = ".d"

  /// The path of the folder `hooks`, whether it exists or not.
  public let path: String

  /// - Parameter configPath: the path of the configuration file, whether it exists or not; it must
  ///   include a folder.
  public init?(beside configPath: String?) {
    guard let configPath, let slash = configPath.lastIndex(of: "/") else { return nil }
    path = "\(configPath[..<slash])/hooks"
  }

  /// The folder of the configuration.
  public var parent: String { String(path.dropLast("/hooks".utf8.count)) }

  /// The types of event that have a folder, including unknown types.
  public var types: [String] {
    Self.names(in: path).filter { $0.hasSuffix(Self.suffix) }.map {
      String($0.dropLast(Self.suffix.count))
    }
  }

  public func path(of type: String) -> String { "\(path)/\(type)\(Self.suffix)" }

  /// Why a hook does not run.
  public enum Refusal: Error, Equatable, Sendable {
    /// The hook cannot be executed.
    case obstacle(ProgramFile.Obstacle)
    /// Another user may have created or changed the hook.
    case untrusted(Distrust)

    /// The reason, as part of a sentence about the hook.
    public var sentence: String {
      switch self {
      case .obstacle(let obstacle): obstacle.sentence
      case .untrusted(let distrust): distrust.description
      }
    }
  }

  /// Why a hook would not run; nil: no reason is visible before it runs.
  public static func refusal(of program: String) -> Refusal? {
    do throws(Distrust) {
      let type = folder(of: program)
      for folder in [type, folder(of: type)] { try TrustRule.hookFolder.check(folder) }
      try TrustRule.namedFolder.check(folder(of: folder(of: type)))
      // A file that cannot be executed is reported with this reason, whether or not it is trusted.
      if let obstacle = ProgramFile.obstacle(to: program) { return .obstacle(obstacle) }
      try TrustRule.readFile.check(program)
      return nil
    } catch {
      return .untrusted(error)
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The files for events of a type, in order, including those that would not run (`refusal`).
  public func programs(for type: String) -> [String] {
    let folder = path(of: type)
    return Self.names(in: folder).map { "\(folder)/\($0)" }
  }

  /// The names of the folders that are ignored because their names lack the suffix `.d`.
  public var strays: [String] {
    Self.names(in: path).filter {
      !$0.hasSuffix(Self.suffix) && ProgramFile.isFolder("\(path)/\($0)")
    }
  }

  /// The names in a folder, sorted; without hidden files and editors' backups.
  private static func names(in folder: String) -> [String] {
    (FolderListing.names(in: folder) ?? []).filter { !$0.hasPrefix(".") && !$0.hasSuffix("~") }
      .sorted()
  }
}
