internal import Glibc
public import NightjarTrust

/// The programs that are run on events: `hooks/EVENT.d/` beside the configuration file has those for
/// one type of event, in the order of their names.
public struct HookFolder: Sendable {
  private static let suffix = ".d"

  /// The folder `hooks`, whether it is there or not.
  public let path: String

  /// - Parameter configPath: the configuration file, whether it is there or not; with a folder.
  public init?(beside configPath: String?) {
    guard let configPath, let slash = configPath.lastIndex(of: "/") else { return nil }
    path = "\(configPath[..<slash])/hooks"
  }

  /// The folder of the configuration.
  public var parent: String { String(path.dropLast("/hooks".utf8.count)) }

  /// The types of event that have a folder, whether or not there is such a type.
  public var types: [String] {
    Self.names(in: path).filter { $0.hasSuffix(Self.suffix) }.map {
      String($0.dropLast(Self.suffix.count))
    }
  }

  /// The folder for events of a type.
  public func path(of type: String) -> String { "\(path)/\(type)\(Self.suffix)" }

  /// Why a hook is not run.
  public enum Refusal: Error, Equatable, Sendable {
    /// It cannot be.
    case obstacle(ProgramFile.Obstacle)
    /// Another user may have put it there, or changed it.
    case untrusted(Distrust)

    /// It, in a sentence about the hook.
    public var sentence: String {
      switch self {
      case .obstacle(let obstacle): obstacle.sentence
      case .untrusted(let distrust): distrust.description
      }
    }
  }

  /// What keeps a hook from being run, by the file's path; nil: nothing that could be seen from outside.
  public static func refusal(of program: String) -> Refusal? {
    do throws(Distrust) {
      let type = folder(of: program)
      for folder in [type, folder(of: type)] { try TrustRule.hookFolder.check(folder) }
      try TrustRule.namedFolder.check(folder(of: folder(of: type)))
      // What it cannot be says more than whose it is.
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

  /// The files for events of a type, in order, whether or not something keeps them from being run
  /// (`refusal`).
  public func programs(for type: String) -> [String] {
    let folder = path(of: type)
    return Self.names(in: folder).map { "\(folder)/\($0)" }
  }

  /// Folders that look like those of a type, but for the end of their names, and are not looked at.
  public var strays: [String] {
    Self.names(in: path).filter {
      !$0.hasSuffix(Self.suffix) && ProgramFile.isFolder("\(path)/\($0)")
    }
  }

  /// What is in a folder, in order; without what is hidden, or what an editor has left.
  private static func names(in folder: String) -> [String] {
    (FolderListing.names(in: folder) ?? []).filter { !$0.hasPrefix(".") && !$0.hasSuffix("~") }
      .sorted()
  }
}
