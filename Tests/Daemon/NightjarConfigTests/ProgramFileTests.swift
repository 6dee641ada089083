import Foundation
import Glibc
import NightjarConfig
import NightjarTestSupport
import Testing

/// The program for a command's first word, and one sentence for each obstacle.
@Suite struct ProgramFileTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for (name, mode) in [("ring", 0o755), ("plain", 0o644)] {
      let path = "\(folder.path)/\(name)"
      try Data().write(to: URL(filePath: path))
      try #require(chmod(path, mode_t(mode)) == 0)
    }
    try #require(mkdir("\(folder.path)/folder", 0o755) == 0)
    try #require(symlink("/no/such", "\(folder.path)/gone") == 0)
  }

  @Test func `A program is found like in a shell, in the given folders`() {
    let own = "\(folder.path)/ring"
    let search = "/no/such::relative:\(folder.path):/bin"
    func found(_ name: String, _ search: String?, in folder: String? = "/") -> ProgramFile {
      ProgramFile(name, search: search, in: folder)
    }
    #expect(found("ring", search) == .found(own))
    #expect(found("sh", search) == .found("/bin/sh"))
    #expect(found("./ring", "", in: folder.path) == .found("\(folder.path)/./ring"))
    #expect(found(own, "") == .found(own))
    for (name, obstacle): (String, ProgramFile.Obstacle) in [
      ("nosuch", .notInPath), ("/no/such", .missing), ("gone", .notInPath), ("/", .noFile),
      (folder.path, .noFile), ("folder", .noFile), ("/etc/passwd/x", .missing),
      // Root can read files that it may not execute, like any others.
      ("plain", .notExecutable), ("\(folder.path)/plain", .notExecutable),
      ("\(folder.path)/gone", .missing), ("./ring", .missing),
    ] {
      #expect(found(name, search) == .obstructed(obstacle), "\(name)")
      #expect(throws: obstacle) { try found(name, search).path() }
    }
  }

  @Test func `By default the usual folders are searched, and a relative path begins here`() {
    guard case .found(let path) = ProgramFile("sh", search: nil) else {
      Issue.record("there is no sh")
      return
    }
    #expect(["/usr/local/bin/sh", "/usr/bin/sh", "/bin/sh"].contains(path))
    #expect(ProgramFile("ring", search: nil) == .obstructed(.notInPath))
    #expect(ProgramFile("no/such", search: nil) == .obstructed(.missing))
  }

  @Test func `A file that may not be executed is skipped, and reported if it is alone`() throws {
    let second = "\(folder.path)/second"
    try #require(mkdir(second, 0o755) == 0)
    try #require(symlink("/bin/true", "\(second)/plain") == 0)
    let search = "\(folder.path):\(second):/no/such"
    #expect(ProgramFile("plain", search: search) == .found("\(second)/plain"))
    try #require(unlink("\(second)/plain") == 0)
    #expect(ProgramFile("plain", search: search) == .obstructed(.notExecutable))
  }

  @Test func `A refusal of execve is explained in terms of the file, if it is about the file`() {
    #expect(ProgramFile.Obstacle(execution: ENOENT) == .noInterpreter)
    #expect(ProgramFile.Obstacle(execution: EACCES) == .notExecutable)
    #expect(ProgramFile.Obstacle(execution: ENOEXEC) == .unknownFormat)
    #expect(ProgramFile.Obstacle(execution: ENOMEM) == nil)
    let obstacles: [ProgramFile.Obstacle] = [
      .notInPath, .missing, .notExecutable, .unknownFormat, .noInterpreter,
    ]
    #expect(Set(obstacles.map(\.sentence)).count == obstacles.count)
    #expect(ProgramFile.Obstacle.noFile.sentence == ProgramFile.Obstacle.notExecutable.sentence)
  }
}
