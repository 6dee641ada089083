import Foundation
import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarTrust

struct TrustRuleTests {
  private let folder: TestFolder
  private var file: String { folder.path + "/file" }

  init() throws {
    folder = try TestFolder()
    chmod(folder.path, 0o700)
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    chmod(file, 0o644)
  }

  private func fault(_ rule: TrustRule, _ path: String) -> Distrust.Fault? {
    do throws(Distrust) {
      try rule.check(path)
      return nil
    } catch {
      #expect(error.path == path)
      return error.fault
    }
  }

  @Test func `A file of the user that only the user can write is trusted`() throws {
    for rule in [TrustRule.stateFile, .readFile] {
      for mode: mode_t in [0o600, 0o644, 0o755, 0o400] {
        chmod(file, mode)
        #expect(try rule.check(file))
      }
      #expect(try !rule.check(folder.path + "/none"))
    }
    for rule in [TrustRule.stateFolder, .namedFolder, .hookFolder] {
      #expect(try rule.check(folder.path))
    }
  }

  @Test func `A file or folder that the group or all users can write is not trusted`() {
    for mode: mode_t in [0o620, 0o602, 0o666, 0o777, 0o664] {
      chmod(file, mode)
      for rule in [TrustRule.stateFile, .readFile] {
        guard case .writable(let found)? = fault(rule, file) else {
          Issue.record("\(String(mode, radix: 8))")
          continue
        }
        #expect(found & 0o7777 == UInt32(mode))
      }
    }
    chmod(folder.path, 0o777)
    for rule in [TrustRule.stateFolder, .namedFolder, .hookFolder] {
      #expect(fault(rule, folder.path) == .writable(mode: 0o40777))
    }
    // As in /tmp: its sticky bit protects each user's files.
    chmod(folder.path, 0o1777)
    #expect(fault(.namedFolder, folder.path) == nil)
    #expect(fault(.stateFolder, folder.path) == .writable(mode: 0o41777))
    #expect(fault(.hookFolder, folder.path) == .writable(mode: 0o41777))
    chmod(folder.path, 0o700)
  }

  @Test func `A link is followed to a file that is read, never to one that is written`() throws {
    let link = folder.path + "/link"
    try #require(symlink(file, link) == 0)
    #expect(fault(.stateFile, link) == .link)
    #expect(fault(.readFile, link) == nil)
    chmod(file, 0o666)
    #expect(fault(.readFile, link) == .writable(mode: 0o100666))
    // Opening it has the same result, and nothing has been created or truncated.
    #expect(throws: Distrust(path: link, fault: .link)) {
      try TrustRule.stateFile.open(link, O_RDWR | O_CREAT)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "x")
    let dangling = folder.path + "/dangling"
    try #require(symlink(folder.path + "/none", dangling) == 0)
    #expect(throws: Distrust(path: dangling, fault: .link)) {
      try TrustRule.stateFile.open(dangling, O_RDWR | O_CREAT)
    }
    #expect(access(folder.path + "/none", F_OK) != 0)
  }

  @Test func `A file of another kind is reported, and a pipe does not block`() throws {
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(fault(.stateFile, pipe) == .otherKind(.file))
    #expect(throws: Distrust(path: pipe, fault: .otherKind(.file))) {
      try TrustRule.stateFile.open(pipe, O_RDONLY)
    }
    #expect(fault(.stateFile, folder.path) == .otherKind(.file))
    #expect(fault(.stateFolder, file) == .otherKind(.folder))
    // /dev/null stands for an empty file, although all users may write to it.
    #expect(fault(.readFile, "/dev/null") == nil)
    #expect(fault(.stateFile, "/dev/null") == .otherKind(.file))
  }

  @Test func `A created file is the user's own, and an errno is negative`() throws {
    let made = folder.path + "/made"
    let descriptor = try TrustRule.stateFile.open(made, O_RDWR | O_CREAT)
    try #require(descriptor >= 0)
    var status = stat()
    #expect(fstat(descriptor, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    close(descriptor)
    #expect(try TrustRule.stateFile.open(folder.path + "/none/x", O_RDONLY) == -ENOENT)
  }

  @Test(arguments: [4242, 65_534] as [UInt32])
  func `A file of another user is not trusted`(uid: UInt32) {
    guard !Root.isMissing(for: "files of another user") else { return }
    chown(file, uid, uid)
    chown(folder.path, uid, uid)
    defer { chown(folder.path, geteuid(), getegid()) }
    for rule in [TrustRule.stateFile, .readFile] {
      #expect(fault(rule, file) == .foreign(owner: uid))
    }
    for rule in [TrustRule.stateFolder, .namedFolder, .hookFolder] {
      #expect(fault(rule, folder.path) == .foreign(owner: uid))
    }
    #expect(throws: Distrust(path: file, fault: .foreign(owner: uid))) {
      try TrustRule.stateFile.open(file, O_RDWR)
    }
  }

  @Test
  func `Root's files may be read, and in another user namespace only through a link of the user`() {
    var status = stat()
    status.st_mode = S_IFREG | 0o644
    func fault(
      _ rule: TrustRule, owner: UInt32, link: Bool = false, isInitial: Bool = true
    ) -> Distrust.Fault? {
      status.st_uid = owner
      return rule.fault(of: status, own: 1000, behindOwnLink: link, isInitial: isInitial)
    }
    #expect(fault(.readFile, owner: 1000) == nil && fault(.stateFile, owner: 1000) == nil)
    #expect(fault(.readFile, owner: 0) == nil)
    #expect(fault(.stateFile, owner: 0) == .foreign(owner: 0))
    #expect(fault(.readFile, owner: 65_534, link: true) == .foreign(owner: 65_534))
    #expect(fault(.readFile, owner: 65_534, link: true, isInitial: false) == nil)
    #expect(fault(.readFile, owner: 65_534, isInitial: false) == .foreign(owner: 65_534))
    #expect(fault(.readFile, owner: 0, link: true, isInitial: false) == .foreign(owner: 0))
    #expect(
      fault(.stateFile, owner: 65_534, link: true, isInitial: false) == .foreign(owner: 65_534))
  }

  @Test func `Each refusal is one sentence with the remedy`() {
    let faults: [(Distrust.Fault, String)] = [
      (.link, "/f is not trusted: it is a symbolic link, which is not followed here; move it away"),
      (.otherKind(.file), "/f is not trusted: it is no ordinary file; move it away"),
      (.otherKind(.folder), "/f is not trusted: it is no folder; move it away"),
      (
        .foreign(owner: 7),
        "/f is not trusted: it belongs to user 7, not to you (user \(geteuid())); move it away, or if "
          + "it is yours: chown \(geteuid()) /f"
      ),
      (
        .writable(mode: 0o100666),
        "/f is not trusted: it can be written by other users (its mode is 0666); look what is in it, "
          + "then: chmod go-w /f"
      ),
    ]
    for (fault, sentence) in faults {
      #expect(Distrust(path: "/f", fault: fault).description == sentence)
    }
  }

  @Test func `A daemon serves its user and root, a client calls its own user's daemon only`() {
    for isInitial in [true, false] {
      #expect(PeerTrust.mayCall(1000, own: 1000, isInitial: isInitial))
      #expect(PeerTrust.mayCall(0, own: 1000, isInitial: isInitial) == isInitial)
      #expect(!PeerTrust.mayCall(1001, own: 1000, isInitial: isInitial))
      #expect(!PeerTrust.mayCall(65_534, own: 65_534, isInitial: isInitial))
    }
    #expect(PeerTrust.mayServe(1000, own: 1000) && PeerTrust.mayServe(0, own: 0))
    for (uid, own): (UInt32, UInt32) in [(1000, 0), (0, 1000), (1001, 1000), (65_534, 65_534)] {
      #expect(!PeerTrust.mayServe(uid, own: own))
    }
  }
}
