import Foundation
import NightjarTestSupport
import Varlink

/// Records PulseAudio's output with a null sink in place of a sound card.
final class SoundRecorder {
  static let rate = 22_050

  private let rig: Rig
  private let path: String
  private let environment: [String: String]

  /// Starts to record; the server's socket is in the rig's runtime directory. paplay becomes the
  /// only player in the daemon's PATH.
  init(of rig: Rig) throws {
    self.rig = rig
    try makeFolder("\(rig.path)/bin")
    try FileManager.default.createSymbolicLink(
      atPath: "\(rig.path)/bin/paplay", withDestinationPath: "/usr/bin/paplay")
    path = "\(rig.path)/recorded"
    environment = [
      "PATH": "/usr/bin:/bin", "HOME": "\(rig.path)/home", "XDG_RUNTIME_DIR": "\(rig.path)/run",
    ]
    try Self.startServer(of: rig, environment)
    try awaitTrue("PulseAudio does not answer") {
      try rig.run(["pactl", "info"], environment: environment, package: "pulseaudio-utils").end
        == .exited(0)
    }
    let recorder =
      "exec parec -d null.monitor --raw --format=s16le --rate=\(Self.rate) --channels=1 "
      + "--latency-msec=10 >\(path)"
    _ = try rig.start(["/bin/sh", "-c", recorder], environment: environment)
    try awaitTrue("nothing is recorded") { count > 0 }
  }

  /// Starts PulseAudio with a null sink. Without XDG_RUNTIME_DIR its socket is elsewhere.
  static func startServer(of rig: Rig, _ environment: [String: String]) throws {
    _ = try rig.start(
      [
        "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
        "--realtime=no", "--high-priority=no", "--load=module-null-sink rate=\(rate) channels=1",
        "--load=module-native-protocol-unix auth-anonymous=1",
      ], environment: environment, package: "pulseaudio")
  }

  var count: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) / 2 : 0
  }

  func samples(from first: Int = 0) throws -> [Int] {
    let data = try Data(contentsOf: URL(filePath: path)).dropFirst(2 * first)
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map {
        Int(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)))
      }
    }
  }

  /// Waits for the first sample from number `first` on that is not silent.
  func firstLoud(from first: Int = 0) throws -> Int {
    var found: Int?
    try awaitTrue("nothing is heard") {
      found = try samples(from: first).firstIndex { abs($0) > Self.silence }
      return found != nil
    }
    return first + (found ?? 0)
  }

  static let silence = 30

  func awaitSamples(_ wanted: Int) throws {
    try awaitTrue("no more is recorded") { count >= wanted }
  }

  /// The loudest sample in each of several half seconds.
  func peaks(from first: Int, _ stretches: Int) throws -> [Int] {
    let length = Self.rate / 2
    try awaitSamples(first + stretches * length)
    let samples = try samples(from: first)
    return (0..<stretches).map { stretch in
      samples[stretch * length..<(stretch + 1) * length].map(abs).max() ?? 0
    }
  }

  /// Runs `body`, and records for a second more.
  ///
  /// - Returns: the time from the beginning of `body` to the last sound, in microseconds; nil if
  ///   there was none.
  func lastHeard(after body: () throws -> Void) throws -> Int64? {
    let (begun, before) = (Now.boottimeUsec, count)
    try body()
    var log: [(usec: Int64, count: Int)] = []
    while Now.boottimeUsec < begun + second || count < before + Self.rate {
      log.append((Now.boottimeUsec - begun, count))
      guard Now.boottimeUsec < begun + 30 * second else {
        throw Unmet(description: "no more is recorded")
      }
      sched_yield()
    }
    guard let last = try samples(from: before).lastIndex(where: { abs($0) > Self.silence }) else {
      // Silent at once, if there was sound until then.
      let hundredth = try samples(from: before - Self.rate / 100).prefix(Self.rate / 100)
      return hundredth.contains { abs($0) > Self.silence } ? 0 : nil
    }
    return log.first { $0.count > before + last }?.usec
  }

  /// How soon the sound of a player ends that is killed, as `lastHeard` counts.
  func delayOfBarePlayer(of tone: String) throws -> Int64 {
    var delays: [Int64] = []
    while delays.isEmpty {
      let before = count
      let player = try rig.start(["paplay", tone], environment: environment)
      _ = try firstLoud(from: before)
      delays += try [lastHeard { player.kill() }].compactMap(\.self)
    }
    return delays[0]
  }

  static func writeTone(seconds: Int = 1, to path: String) throws {
    var wave = Data("RIFF".utf8)
    func append(_ value: Int, _ bytes: Int) {
      for place in 0..<bytes { wave.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
    append(36 + 2 * rate * seconds, 4)
    wave += Data("WAVEfmt ".utf8)
    for (value, bytes) in [(16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2)] {
      append(value, bytes)
    }
    wave += Data("data".utf8)
    append(2 * rate * seconds, 4)
    let begin = wave.count
    for frame in 0..<rate {
      append(Int((16_000 * sin(2 * Double.pi * 441 * Double(frame) / Double(rate))).rounded()), 2)
    }
    let second = wave[begin...]
    for _ in 1..<seconds { wave += second }
    try wave.write(to: URL(filePath: path))
  }
}
