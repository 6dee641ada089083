internal import Glibc
internal import NightjarSystem

/// The samples of a WAVE file with 16-bit integers (RIFF specification, format 1); of a long file,
/// only the first samples.
struct Wave {
  /// The most bytes that are read from a file: a minute and a half of stereo.
  private static let mostBytes = 16 << 20
  /// The longest sound written for a player, in microseconds.
  private static let longestUsec: Int64 = 60_000_000
  private static let headBytes = 44

  private let channels: Int
  private let rate: Int
  private let samples: [Int16]

  /// Reads the samples of a file; nil if there is no such file, or if its samples have another
  /// format.
  init?(path: String) {
    guard let bytes = Self.read(path), bytes.count > 12, bytes[0..<4].elementsEqual("RIFF".utf8),
      bytes[8..<12].elementsEqual("WAVE".utf8)
    else { return nil }
    func number(_ place: Int, bytes count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    var format: (channels: Int, rate: Int)?
    var place = 12
    while place + 8 <= bytes.count {
      let (start, length) = (place + 8, number(place + 4, bytes: 4))
      if bytes[place..<(place + 4)].elementsEqual("fmt ".utf8) {
        guard start + 16 <= bytes.count, number(start, bytes: 2) == 1,
          number(start + 14, bytes: 2) == 16
        else { return nil }
        format = (number(start + 2, bytes: 2), number(start + 4, bytes: 4))
      } else if bytes[place..<(place + 4)].elementsEqual("data".utf8) {
        guard let format, (1...8).contains(format.channels),
          (1000...400_000).contains(format.rate)
        else { return nil }
        let frameBytes = 2 * format.channels
        let end = start + min(length, bytes.count - start) / frameBytes * frameBytes
        guard end > start else { return nil }
        (channels, rate) = (format.channels, format.rate)
        samples = stride(from: start, to: end, by: 2).map {
          Int16(truncatingIfNeeded: number($0, bytes: 2))
        }
        return
      }
      place = start + length + length % 2
    }
    return nil
  }

  private static func read(_ path: String) -> [UInt8]? {
    let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard raw >= 0 else { return nil }
    let file = Descriptor(owning: raw)
    var status = stat()
    guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = min(Int(status.st_size), mostBytes)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(file.raw, buffer.baseAddress! + count, size - count)
        guard got > 0 else { return }
        count += got
      }
    }
  }

  /// The duration of the samples, in microseconds.
  private var usec: Int64 { Int64(samples.count / channels) * 1_000_000 / Int64(rate) }

  /// Writes a WAVE file in memory: this sound, repeated to a duration of `forUsec`. The loudness at
  /// the beginning is the loudness that `loudness` has after `afterUsec`. O(samples written).
  func written(
    _ loudness: Loudness, afterUsec: Int64, forUsec: Int64
  ) throws(SystemError) -> WrittenSound {
    let wanted = min(max(forUsec, usec), Self.longestUsec)
    let frames = samples.count / channels
    let times = max(1, Int((wanted + usec - 1) / max(1, usec)))
    let most = Int(Self.longestUsec / 1_000_000) * rate
    let total = min(times * frames, max(frames, most))
    let bytes = total * channels * 2
    let sound = WrittenSound(
      try Descriptor.memory("nightjar-sound", bytes: Int64(Self.headBytes + bytes)),
      usec: Int64(total) * 1_000_000 / Int64(rate))
    var block = head(bytes)
    for frame in 0..<total {
      let gain = loudness.gain(after: afterUsec + Int64(frame) * 1_000_000 / Int64(rate))
      for channel in 0..<channels {
        let sample = Double(samples[frame % frames * channels + channel]) * gain
        let word = UInt16(bitPattern: Int16(sample))
        block.append(UInt8(truncatingIfNeeded: word))
        block.append(UInt8(truncatingIfNeeded: word >> 8))
      }
      if block.count > 1 << 16 || frame == total - 1 {
        try sound.append(block)
        block.removeAll(keepingCapacity: true)
      }
    }
    return sound
  }

  private func head(_ bytes: Int) -> [UInt8] {
    func word(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var head = Array("RIFF".utf8) + word(bytes + Self.headBytes - 8, 4) + Array("WAVEfmt ".utf8)
    head += word(16, 4) + word(1, 2) + word(channels, 2) + word(rate, 4)
    head += word(rate * channels * 2, 4) + word(channels * 2, 2) + word(16, 2)
    return head + Array("data".utf8) + word(bytes, 4)
  }
}

/// A WAVE file in memory.
final class WrittenSound {
  private let file: Descriptor
  /// The duration of the sound, in microseconds.
  let usec: Int64

  init(_ file: consuming Descriptor, usec: Int64) {
    self.file = file
    self.usec = usec
  }

  /// The descriptor of the file, which becomes the standard input of a player.
  var descriptor: Int32 { file.raw }

  /// The path of a file that a player reads from its standard input.
  static let path = "/proc/self/fd/0"

  func append(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file.raw, $0.baseAddress, $0.count) }
      guard count > 0 else { throw SystemError(operation: "write a sound", code: errno) }
      rest = rest.dropFirst(count)
    }
  }
}
