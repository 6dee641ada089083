import CLinux
import Glibc
import NightjarTestSupport
import Testing

@testable import NightjarSystem

extension OutputPipe {
  /// Closes the writing end, and waits until the pipe has ended. A process that another test forks
  /// has a copy of the writing end until it executes its program.
  fileprivate func closeAndAwaitEnd() {
    closeWriting()
    var ending = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ending, 1, 30_000) == 1)
  }
}

/// Programs as children of the loop.
@Suite(.blocking) struct ProgramTests {
  private let folder: TestFolder
  private let loop: EventLoop

  init() throws {
    folder = try TestFolder()
    loop = try EventLoop()
  }

  /// Runs a program to its end.
  ///
  /// - Parameter printed: called with the process ID when there is output.
  private func run(
    _ arguments: [String], environment: [String] = [], folder: String? = nil,
    printed: (Int32) -> Void = { _ in }
  ) throws -> (end: ChildEnd, output: String) {
    let pipe = try OutputPipe()
    let program = Program(
      path: "/usr/bin/\(arguments[0])", arguments: arguments, environment: environment,
      folder: folder ?? self.folder.path)
    let pid = try program.spawn(output: pipe.writingEnd)
    pipe.closeWriting()
    var end: ChildEnd?
    var output: [UInt8] = []
    var isOver = false
    try pipe.watch(on: loop) {
      switch pipe.read(upTo: 4096) {
      case .bytes(let bytes): output += bytes
      case .nothing: break
      case .end:
        pipe.unwatch()
        isOver = true
      }
    }
    let source = try loop.watchChild(pid) { end = $0 }
    #expect(try pump(loop) { !output.isEmpty || isOver })
    if !output.isEmpty { printed(pid) }
    #expect(try pump(loop) { end != nil && isOver })
    withExtendedLifetime(source) {}
    // It has been waited for, so no child has this process ID.
    #expect(waitpid(pid, nil, WNOHANG) == -1 && errno == ECHILD)
    return (try #require(end), String(decoding: output, as: UTF8.self))
  }

  @Test func `A program gets its arguments, its environment and its folder, and no other`() throws {
    let (end, output) = try run(
      ["sh", "-c", #"printf '%s|' "$0" "$@"; env | sort; pwd"#, "a b", "", "é$HOME"],
      environment: ["A=x y", "B="])
    #expect(end == .exited(0))
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.first == "a b||é$HOME|A=x y")
    #expect(lines.dropFirst() == ["B=", "PWD=\(folder.path)", folder.path])
  }

  @Test func `The end of a program is reported: its status, or the signal`() throws {
    #expect(try run(["sh", "-c", "exit 7"]).end == .exited(7))
    #expect(try run(["sh", "-c", "kill -TERM $$"]).end == .killed(SIGTERM))
    #expect(try run(["true"]).end == .exited(0))
  }

  @Test func `A program inherits no descriptor, not even one that is not close-on-exec`() throws {
    // Above the descriptors of the test run, and not close-on-exec.
    let leak = fcntl(STDERR_FILENO, F_DUPFD, 300)
    defer { close(leak) }
    #expect(fcntl(leak, F_GETFD) & FD_CLOEXEC == 0)
    let (_, output) = try run(["sh", "-c", "ls /proc/$$/fd; readlink /proc/$$/fd/0"])
    #expect(output == "0\n1\n2\n/dev/null\n")
  }

  @Test func `A program has a session of its own, with no signal blocked or ignored`() throws {
    Signals.block([SIGTERM, SIGUSR1])
    Signals.ignorePipe()
    // The program's own mask: a shell blocks signals now and then.
    let (_, output) = try run([
      "grep", "-E", "^Sig(Blk|Ign)|^NSpid|^NSpgid|^NSsid", "/proc/self/status",
    ])
    let values = output.split(separator: "\n").map { $0.split(separator: "\t")[1] }
    #expect(values.count == 5 && Set(values[0...2]).count == 1 && values[3] == "0000000000000000")
    // 32 and 33 are the C library's own.
    let ignored = try #require(UInt64(values[4], radix: 16))
    #expect(ignored & ~(3 << 31) == 0, "\(output)")
    #expect(values[0] != "\(getpid())")
  }

  @Test func `A signal to its group also reaches processes that it has started`() throws {
    // The other process has the pipe open as well.
    let end = try run(["sh", "-c", "sleep 1000 & echo up; wait"]) {
      Program.signal(group: $0, SIGTERM)
    }.end
    #expect(end == .killed(SIGTERM))
  }

  @Test func `A missing working directory is no obstacle`() throws {
    #expect(try run(["pwd"], folder: "/no/such/folder").output == "/\n")
  }

  @Test func `A program gets the usual limit of open files, whatever this process has`() throws {
    // The limit applies to the process, so the test runs in one of its own.
    try Role.alone {
      var limit = rlimit()
      try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      limit.rlim_cur = min(limit.rlim_max, 2048)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(try run(["sh", "-c", "ulimit -n"]).output == "1024\n")
    }
  }

  // MARK: What cannot be started

  private func file(_ name: String, _ contents: String, mode: mode_t) throws -> String {
    let path = "\(folder.path)/\(name)"
    try writeFile(contents, to: path, mode: mode)
    return path
  }

  @Test func `A program that cannot be executed is reported, and leaves nothing behind`() throws {
    let script = try file("script", "echo no interpreter\n", mode: 0o755)
    let gone = try file("gone", "#!/no/such/interpreter\n", mode: 0o755)
    for (path, code) in [(script, ENOEXEC), (gone, ENOENT), ("/no/such", ENOENT), ("/", EACCES)] {
      let pipe = try OutputPipe()
      let program = Program(path: path, arguments: [path], environment: [], folder: "/")
      #expect(throws: SystemError(operation: "execve \(path)", code: code)) {
        try program.spawn(output: pipe.writingEnd)
      }
      pipe.closeAndAwaitEnd()
      guard case .end = pipe.read(upTo: 1) else {
        Issue.record("another process has the pipe of \(path)")
        continue
      }
    }
  }
}

/// The output of programs.
@Suite(.blocking) struct OutputPipeTests {
  private func piece(_ piece: OutputPipe.Piece) -> String? {
    switch piece {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .nothing: nil
    case .end: "END"
    }
  }

  @Test func `Available output is read without waiting`() throws {
    let pipe = try OutputPipe()
    #expect(pipe.readingEnd > STDERR_FILENO && pipe.writingEnd > STDERR_FILENO)
    #expect(piece(pipe.read(upTo: 10)) == nil)
    #expect(write(pipe.writingEnd, "hello", 5) == 5)
    #expect(piece(pipe.read(upTo: 3)) == "hel")
    #expect(piece(pipe.read(upTo: 3)) == "lo")
    #expect(piece(pipe.read(upTo: 3)) == nil)
    pipe.closeAndAwaitEnd()
    #expect(piece(pipe.read(upTo: 3)) == "END")
  }

  @Test func `Discarded output is counted, and its last bytes and its end are returned`() throws {
    let pipe = try OutputPipe()
    #expect(pipe.discard(keepingLast: 10)?.count == 0)
    let bytes = [UInt8](repeating: 65, count: 59_997) + Array("end".utf8)
    #expect(write(pipe.writingEnd, bytes, bytes.count) == bytes.count)
    let piece = try #require(pipe.discard(keepingLast: 4))
    #expect(piece.count == 60_000 && piece.hasGap && Array(piece.last) == Array("Aend".utf8))
    #expect(write(pipe.writingEnd, "few", 3) == 3)
    let few = try #require(pipe.discard(keepingLast: 4))
    #expect(few.count == 3 && !few.hasGap && Array(few.last) == Array("few".utf8))
    #expect(pipe.discard(keepingLast: 4)?.count == 0)
    // The pipe holds more from then on.
    let many = [UInt8](repeating: 66, count: 500_000)
    let flags = fcntl(pipe.writingEnd, F_GETFL)
    _ = fcntl(pipe.writingEnd, F_SETFL, flags | O_NONBLOCK)
    #expect(write(pipe.writingEnd, many, many.count) == many.count)
    var count: Int64 = 0
    while let more = pipe.discard(keepingLast: 10)?.count, more > 0 { count += more }
    #expect(count == 500_000)
    pipe.closeAndAwaitEnd()
    #expect(pipe.discard(keepingLast: 10) == nil)
  }

  @Test func `A reading end from another process is read and closed`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(nj_output_pipe(&ends) == 0)
    do {
      let pipe = OutputPipe(reading: ends[0])
      #expect(write(ends[1], "x", 1) == 1)
      #expect(piece(pipe.read(upTo: 9)) == "x")
      #expect(pipe.writingEnd == -1)
    }
    #expect(fcntl(ends[0], F_GETFD) == -1)
    close(ends[1])
  }
}
