import Foundation
import NightjarLedger
import NightjarStore
import NightjarTestSupport
import Testing

@Suite(.blocking) struct StateFolderTests {
  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test func `The folder is created with its parents, for its owner alone`() throws {
    let folder = try TestFolder()
    let state = try StateFolder(path: folder.path + "/a/b/nightjar")
    #expect(try mode(state.path) == 0o700)
    #expect(try mode(folder.path + "/a") == 0o700)
    #expect(try mode(state.path + "/lock") == 0o600)
    #expect(state.databasePath == state.path + "/nightjar.db")
  }

  @Test func `An existing folder is used as it is, even with a slash at the end`() throws {
    let folder = try TestFolder()
    #expect(try StateFolder(path: folder.path).path == folder.path)
    _ = try StateFolder(path: folder.path + "/")
  }

  @Test func `One daemon at a time: the second is refused with the first's process ID`() throws {
    let folder = try TestFolder()
    var first: StateFolder? = try StateFolder(path: folder.path)
    #expect(throws: StoreError.locked(folder.path, pid: getpid())) {
      try StateFolder(path: folder.path)
    }
    #expect("\(StoreError.locked(folder.path, pid: 4711))".contains("process 4711"))
    #expect(first != nil)
    first = nil
    _ = try StateFolder(path: folder.path)
  }

  @Test func `A second daemon is refused even if the lock was removed or moved away`() throws {
    let folder = try TestFolder()
    let owner = try StateFolder(path: folder.path)
    try folder.remove("lock")
    #expect(throws: StoreError.locked(folder.path, pid: nil)) {
      try StateFolder(path: folder.path)
    }
    #expect(try folder.files == [])
    _ = owner
  }

  @Test func `A lock whose holder cannot be read counts all the same`() throws {
    let folder = try TestFolder()
    let owner = try StateFolder(path: folder.path)
    try Data("no number\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/lock"))
    #expect(throws: StoreError.self) { try StateFolder(path: folder.path) }
    _ = owner
  }

  @Test func `A lock of another process is respected, and ends with that process`() throws {
    let folder = try TestFolder()
    let script = "exec 9>\"$0/lock\"; flock -n 9 && echo $$ >&9 && echo locked; read -r line"
    let holder = try ChildProcess(["sh", "-c", script, folder.path], isFed: true)
    _ = try holder.lines.next("the lock") { $0 == "locked" }
    #expect(throws: StoreError.locked(folder.path, pid: holder.pid)) {
      try StateFolder(path: folder.path)
    }
    try holder.feed("")
    try holder.awaitEnd()
    _ = try StateFolder(path: folder.path)
  }

  @Test func `A path that cannot be the folder is refused with the reason`() throws {
    let folder = try TestFolder()
    let file = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    for path in [file, file + "/below", "relative/path", "", "/proc/nightjar", "/proc/self"] {
      #expect {
        try StateFolder(path: path)
      } throws: { error in
        if case StoreError.folder(path, let reason) = error { !reason.isEmpty } else { false }
      }
    }
    #expect(try folder.files == ["file"])
  }

  @Test(.enabled(if: Mount.isPossible)) func `A folder that cannot be written is refused`() throws {
    let mount = try Mount(options: "ro")
    #expect {
      try StateFolder(path: mount.path)
    } throws: { error in
      if case StoreError.folder(mount.path, _) = error { true } else { false }
    }
  }

  @Test func `A database that is set aside is never deleted, even twice in one second`() throws {
    let folder = try TestFolder()
    let state = try StateFolder(path: folder.path)
    #expect(state.setAside == nil)
    for (round, suffixes) in [["", "-wal", "-shm"], [""], []].enumerated() {
      for suffix in suffixes {
        try Data("\(round)\(suffix)".utf8)
          .write(to: URL(fileURLWithPath: state.databasePath + suffix))
      }
      try state.setDatabaseAside(stamp: 1_700_000_000)
    }
    let contents = try folder.files.subtracting(["lock"]).map {
      String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + $0)), as: UTF8.self)
    }
    #expect(Set(contents) == ["0", "0-wal", "0-shm", "1"])
    #expect(!FileManager.default.fileExists(atPath: state.databasePath))
    #expect(state.setAside?.hasPrefix("nightjar.db.damaged-1700000000") == true)
  }

  @Test func `Each refusal is a sentence with the remedy`() {
    for error: StoreError in [
      .folder("/x", "it is full"), .locked("/x", pid: 1), .locked("/x", pid: nil),
      .newerSchema(9, ours: 1), .damaged("it is wet"), .sqlite(code: 13, message: "full"),
    ] {
      #expect("\(error)".count > 20)
    }
  }
}
