import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

/// Tests that change the environment run in processes of their own.
@Suite(.blocking) struct ServiceManagerTests {
  @Test func `A state reaches the manager's socket`() throws {
    try Role.alone {
      let folder = try TestFolder()
      let manager = try NotifySocket(path: "\(folder.path)/notify")
      setenv("NOTIFY_SOCKET", manager.path, 1)
      #expect(ServiceManager.notify("READY=1\nSTATUS=3 timers"))
      #expect(try manager.next() == "READY=1\nSTATUS=3 timers")
      for usec in [0, 60_000_000] as [UInt64] {
        #expect(ServiceManager.setWatchdog(usec: usec))
        #expect(try manager.next() == "WATCHDOG_USEC=\(usec)")
      }
      setenv("NOTIFY_SOCKET", "\(folder.path)/nobody", 1)
      #expect(!ServiceManager.notify("READY=1"))
    }
  }

  @Test func `Without a manager all functions do nothing`() throws {
    #expect(!ServiceManager.notify("READY=1"))
    #expect(ServiceManager.watchdogUsec == nil)
    #expect(try ServiceManager.listenDescriptors().isEmpty)
  }

  @Test func `The invocation ID is the unit's`() throws {
    try Role.alone {
      unsetenv("INVOCATION_ID")
      #expect(ServiceManager.invocationID == nil)
      setenv("INVOCATION_ID", "0123456789abcdef0123456789abcdef", 1)
      #expect(ServiceManager.invocationID == "0123456789abcdef0123456789abcdef")
    }
  }

  @Test func `Descriptors passed at the start come with their names, once`() throws {
    if Role.current == "activated" {
      let handed = try ServiceManager.listenDescriptors()
      #expect(handed.map(\.name) == ["varlink", "other"])
      #expect(handed.map(\.descriptor) == [3, 4])
      for entry in handed {
        #expect(fcntl(entry.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(entry.descriptor, F_GETFL) & O_NONBLOCK != 0)
        let isNobodyThere = try UnixSocket.accept(from: entry.descriptor) == nil
        #expect(isNobodyThere)
      }
      #expect(try ServiceManager.listenDescriptors().isEmpty)
      #expect(getenv("LISTEN_FDS") == nil && getenv("LISTEN_PID") == nil)
      return
    }
    let script = """
      import os, socket, sys
      made = [socket.socket(socket.AF_UNIX) for _ in range(2)]
      for number, made in enumerate(made, 3):
          made.bind(""); made.listen()
          os.dup2(made.fileno(), number + 10)
      for number in (3, 4): os.dup2(number + 10, number)
      os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="varlink:other")
      os.execvp(sys.argv[1], sys.argv[1:])
      """
    try Role.play(
      "activated", inTest: "passed at the start", through: ["/usr/bin/python3", "-c", script])
  }

  @Test func `Malformed variables about descriptors are an error`() throws {
    try Role.alone {
      setenv("LISTEN_PID", "\(getpid())", 1)
      setenv("LISTEN_FDS", "many", 1)
      #expect(throws: SystemError(operation: "sd_listen_fds_with_names", code: EINVAL)) {
        _ = try ServiceManager.listenDescriptors()
      }
    }
  }
}
