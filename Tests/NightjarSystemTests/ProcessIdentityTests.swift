import Glibc
import Testing

@testable import NightjarSystem

/// Processes that are no children of whoever watches them, told from others of their number.
@Suite struct ProcessIdentityTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func `A process is itself until it ends, and no other of its number`() throws {
    let child = try Child(["cat", "/dev/zero"])
    let process = try #require(ProcessIdentity(of: child.pid))
    #expect(process.pid == child.pid && process.isAlive)
    let other = ProcessIdentity(pid: child.pid, startTicks: process.startTicks - 1)
    #expect(!other.isAlive)
    #expect(throws: SystemError(operation: "pidfd_open", code: ESRCH)) {
      try ProcessWatch(other, on: loop) {}
    }
    child.kill()
    #expect(!process.isAlive && ProcessIdentity(of: child.pid) == nil)
    #expect(throws: SystemError(operation: "pidfd_open", code: ESRCH)) {
      try ProcessWatch(process, on: loop) {}
    }
  }

  @Test func `The name of its program is its own affair`() throws {
    let folder = try Folder()
    let name = "a) Z 1 (b"
    try #require(symlink("/bin/sleep", "\(folder.path)/\(name)") == 0)
    let child = try Child(["\(folder.path)/\(name)", "1000"])
    let process = try #require(ProcessIdentity(of: child.pid))
    #expect(process.isAlive)
    // Somebody who is there as long as we are.
    #expect(process.startTicks >= (try #require(ProcessIdentity(of: getpid()))).startTicks)
    child.kill()
  }

  @Test func `Its end is told once, whose ever child it is`() throws {
    let parent = try Child(["sh", "-c", "sleep 1000 & echo $!"])
    let pid = try #require(Int32(try parent.readLine()))
    let process = try #require(ProcessIdentity(of: pid))
    var ends = 0
    let watch = try ProcessWatch(process, on: loop) { ends += 1 }
    loop.requestPass()
    try loop.runPass()
    #expect(ends == 0)
    kill(pid, SIGKILL)
    #expect(try pump(loop) { ends > 0 })
    loop.requestPass()
    try loop.runPass()
    #expect(ends == 1)
    withExtendedLifetime(watch) {}
  }
}
