import Glibc
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarSystem

@Suite(.blocking) struct PlayerProcessTests {
  private func run(
    _ script: String, limitUsec: Int64 = 20_000_000
  ) throws -> (end: PlayerProcess.End, said: String) {
    let loop = try EventLoop()
    var ended: (PlayerProcess.End, String)?
    let program = Program(
      path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"],
      folder: "/")
    let process = try PlayerProcess(program, limitUsec: limitUsec, on: loop) {
      ended = ($0, $1)
    }
    #expect(try pump(loop) { ended != nil })
    withExtendedLifetime(process) {}
    return try #require(ended)
  }

  @Test func `The end of a program is reported, with the first line of its output`() throws {
    #expect(try run("exit 0") == (.exited(0), ""))
    #expect(try run("echo one >&2; echo two; exit 7") == (.exited(7), "one"))
    #expect(try run("kill -USR1 $$") == (.killed(SIGUSR1), ""))
  }

  @Test func `A program has no signal blocked, and a group of its own`() throws {
    Signals.block([SIGTERM])
    #expect(try run("grep SigBlk /proc/self/status").said.hasSuffix("0000000000000000"))
    // In its own process group, so that a terminal's Ctrl-Z does not reach it.
    #expect(try run("ps -o pgid= $$ | tr -d ' ' | grep -qx $$").end == .exited(0))
  }

  @Test func `A program that does not end is killed, with the processes it has started`() throws {
    let (end, said) = try run("sleep 1000 & echo $!; wait", limitUsec: 2_000_000)
    #expect(end == .timedOut)
    let pid = try #require(Int32(said))
    // It is an orphan by now, and init reaps it at some time.
    while kill(pid, 0) == 0, try isAlive(pid) {}
  }

  @Test func `A program that is stopped is killed, with the processes it has started`() throws {
    let loop = try EventLoop()
    var ended: (PlayerProcess.End, String)?
    let program = Program(
      path: "/bin/sh", arguments: ["sh", "-c", "sleep 1000 & wait"],
      environment: ["PATH=/usr/bin:/bin"], folder: "/")
    let process = try PlayerProcess(program, limitUsec: 60_000_000, on: loop) { ended = ($0, $1) }
    process.stop()
    #expect(try pump(loop) { ended != nil })
    #expect(try #require(ended).0 == .stopped)
    // It has been waited for: nothing is left to stop.
    process.stop()
  }

  private func isAlive(_ pid: Int32) throws -> Bool {
    let (end, output) = try Rig().run(["cat", "/proc/\(pid)/stat"])
    return end == .exited(0) && !output.contains(") Z")
  }

  @Test func `A missing program is an error, and one that leaves its output open is not`() throws {
    let loop = try EventLoop()
    #expect(throws: SystemError.self) {
      _ = try PlayerProcess(
        Program(path: "/nowhere", arguments: ["nowhere"], environment: [], folder: "/"),
        limitUsec: 1, on: loop
      ) { _, _ in }
    }
    #expect(try run("sleep 5 & echo left").said == "left")
  }
}
