import Glibc

/// What libFuzzer calls, and what it is to call: one program holds a target for every parser, and
/// `--parser=` says which (libFuzzer itself passes over flags that begin with two dashes).
///
/// The linker takes `main` from libFuzzer (https://llvm.org/docs/LibFuzzer.html). Of the seeds in
/// `Tests/Fuzz/corpus`, those that begin with `found` failed once, and those that are named by
/// hexadecimal digits were chosen from what the fuzzer made, for reaching what the others do not.
enum FuzzProgram {
  /// Looks at one input. It returns, or ends the process.
  typealias Target = @Sendable (Input) -> Void

  /// One for each folder of `Tests/Fuzz/corpus`.
  static let targets: [String: Target] = [
    "span": SpanTarget.run,
    "timestamp": TimestampTarget.run,
    "calendar": CalendarTarget.run,
    "zone": ZoneTarget.run,
    "rule": RuleTarget.run,
    "json": JSONTarget.run,
    "frames": FramesTarget.run,
    "call": CallTarget.run,
    "reply": ReplyTarget.run,
    "name": NameTarget.run,
    "boot": BootTarget.run,
    "row": RowTarget.run,
    "chunk": ChunkTarget.run,
    "config": ConfigTarget.run,
  ]

  /// The one that was asked for.
  static let chosen: Target = {
    let prefix = "--parser="
    let names = CommandLine.arguments.filter { $0.hasPrefix(prefix) }
    guard names.count == 1, let name = names.first?.dropFirst(prefix.count),
      let target = targets[String(name)] ?? Planted.targets[String(name)]
    else {
      let known = (targets.keys.sorted() + Planted.targets.keys.sorted()).joined(separator: " ")
      fatalError("say which parser, as in --parser=json; there are: \(known)")
    }
    return target
  }()
}

/// libFuzzer's first call. `--list` prints the parsers' names.
@c(LLVMFuzzerInitialize)
public func initialize(
  _ argumentCount: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard CommandLine.arguments.contains("--list") else { return 0 }
  print(FuzzProgram.targets.keys.sorted().joined(separator: " "))
  exit(0)
}

/// libFuzzer's entry, once for each input. The bytes are on the heap, and there are no more than
/// `count` of them: AddressSanitizer sees a byte read behind the end.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzProgram.chosen(Input(UnsafeRawBufferPointer(start: bytes, count: count)))
  return 0
}

/// What AddressSanitizer goes by unless `ASAN_OPTIONS` says otherwise. Leaks are not looked for:
/// that takes ptrace(2), which containers forbid.
@c(__asan_default_options)
public func addressSanitizerOptions() -> UnsafePointer<CChar> {
  UnsafeRawPointer(StaticString("detect_leaks=0:quarantine_size_mb=16").utf8Start)
    .assumingMemoryBound(to: CChar.self)
}
