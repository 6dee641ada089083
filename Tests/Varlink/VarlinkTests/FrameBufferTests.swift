import NightjarTestSupport
import Testing
import Varlink

@Suite struct FrameBufferTests {
  /// How the bytes are passed to the buffer.
  enum Way: CaseIterable { case consume, appendAndDrain }

  /// Passes bytes, and collects the frames that come out until `takes` is false.
  private func give(
    _ bytes: some Collection<UInt8>, to buffer: inout FrameBuffer, _ way: Way,
    into frames: inout [[UInt8]], while takes: () -> Bool = { true }
  ) -> FrameBuffer.Outcome {
    func take(_ frame: UnsafeRawBufferPointer) -> Bool {
      frames.append(Array(frame))
      return takes()
    }
    return Array(bytes).withUnsafeBytes { chunk in
      guard way == .appendAndDrain else { return buffer.consume(chunk, take) }
      buffer.append(chunk)
      return buffer.drain(take)
    }
  }

  @Test(arguments: Way.allCases)
  func `Frames come out whole and in order, wherever the stream is cut`(way: Way) {
    let stream = Array("ab\0\0c\0defg\0".utf8)
    // Each bit says whether to cut after that byte.
    for cuts in 0..<(1 << (stream.count - 1)) {
      var buffer = FrameBuffer()
      var frames: [[UInt8]] = []
      var start = 0
      for end in 1...stream.count where end == stream.count || cuts >> (end - 1) & 1 == 1 {
        #expect(give(stream[start..<end], to: &buffer, way, into: &frames) == .drained)
        start = end
      }
      #expect(frames == ["ab", "", "c", "defg"].map { Array($0.utf8) }, "cuts \(cuts)")
      #expect(buffer.pendingBytes == 0)
    }
  }

  @Test func `An unfinished frame is stored and counted`() {
    for way in Way.allCases {
      var buffer = FrameBuffer()
      var frames: [[UInt8]] = []
      #expect(give(Array("a\0bcd".utf8), to: &buffer, way, into: &frames) == .drained)
      #expect(frames == [Array("a".utf8)])
      #expect(buffer.pendingBytes == 3)
      #expect(give([], to: &buffer, way, into: &frames) == .drained)
      #expect(give(Array("e\0".utf8), to: &buffer, way, into: &frames) == .drained)
      #expect(frames.last == Array("bcde".utf8))
      #expect(buffer.pendingBytes == 0)
    }
  }

  @Test func `Frames in a received chunk are passed on without a copy`() {
    var buffer = FrameBuffer()
    Array("ab\0cd\0ef".utf8).withUnsafeBytes { chunk in
      var offsets: [Int] = []
      let outcome = buffer.consume(chunk) { frame in
        if let start = frame.baseAddress, let base = chunk.baseAddress {
          offsets.append(start - base)
        }
        return true
      }
      #expect(outcome == .drained)
      #expect(offsets == [0, 3])
      #expect(buffer.pendingBytes == 2)
    }
  }

  @Test(arguments: Way.allCases)
  func `A frame at the limit is accepted, and a longer one is refused, finished or not`(way: Way) {
    for limit in [0, 1, 7, 8, 9, 100] {
      let longest = [UInt8](repeating: 0x61, count: limit)
      for pieces in [[longest + [0]], [longest, [0]]] {
        var buffer = FrameBuffer(limit: limit)
        var frames: [[UInt8]] = []
        for piece in pieces { #expect(give(piece, to: &buffer, way, into: &frames) == .drained) }
        #expect(frames == [longest])
      }
      let tooLong = longest + [0x61]
      for pieces in [[tooLong], [tooLong + [0]], [longest, [0x61]], [longest, [0x61, 0]]] {
        var buffer = FrameBuffer(limit: limit)
        var frames: [[UInt8]] = []
        var last = give([0], to: &buffer, way, into: &frames)
        for piece in pieces { last = give(piece, to: &buffer, way, into: &frames) }
        #expect(last == .frameTooLong, "limit \(limit)")
        #expect(frames == [[]])
      }
    }
  }

  @Test func `The limit is that of the protocol unless another is given`() {
    var buffer = FrameBuffer()
    var frames: [[UInt8]] = []
    let longest = [UInt8](repeating: 0x61, count: WireLimits.frameBytes)
    #expect(give(longest, to: &buffer, .consume, into: &frames) == .drained)
    #expect(give([0x61], to: &buffer, .consume, into: &frames) == .frameTooLong)
  }

  @Test func `Frames before one that is too long are passed on, and none after it`() {
    for way in Way.allCases {
      var buffer = FrameBuffer(limit: 4)
      var frames: [[UInt8]] = []
      #expect(give(Array("ab\0abcde\0cd\0".utf8), to: &buffer, way, into: &frames) == .frameTooLong)
      #expect(give(Array("ef\0".utf8), to: &buffer, way, into: &frames) == .frameTooLong)
      #expect(frames == [Array("ab".utf8)])
      #expect(buffer.pendingBytes == 0)
    }
  }

  @Test func `A body that stops gets the other frames later and in order`() {
    for firstWay in Way.allCases {
      for way in Way.allCases {
        var buffer = FrameBuffer()
        var frames: [[UInt8]] = []
        let outcome = give(Array("a\0b\0c\0d".utf8), to: &buffer, firstWay, into: &frames) { false }
        #expect(outcome == .stopped && frames == [Array("a".utf8)])
        #expect(buffer.pendingBytes == 5)
        var rest: [[UInt8]] = []
        #expect(give(Array("e\0f\0".utf8), to: &buffer, way, into: &rest) == .drained)
        #expect(rest == ["b", "c", "de", "f"].map { Array($0.utf8) })
        #expect(buffer.pendingBytes == 0)
      }
    }
  }

  @Test func `The frame of a body that throws is consumed, and the others are stored`() {
    struct Refused: Error {}
    for way in Way.allCases {
      var buffer = FrameBuffer()
      Array("a\0b\0c".utf8).withUnsafeBytes { chunk in
        let body: (UnsafeRawBufferPointer) throws(Refused) -> Bool = { _ throws(Refused) in
          throw Refused()
        }
        if way == .consume {
          #expect(throws: Refused.self) { try buffer.consume(chunk, body) }
        } else {
          buffer.append(chunk)
          #expect(throws: Refused.self) { try buffer.drain(body) }
        }
      }
      #expect(buffer.pendingBytes == 3)
      var frames: [[UInt8]] = []
      #expect(give([0], to: &buffer, way, into: &frames) == .drained)
      #expect(frames == ["b", "c"].map { Array($0.utf8) })
    }
  }

  @Test
  func `A stream in random pieces, with bodies that stop at random, loses and adds nothing`() {
    var random = SplitMix()
    for _ in 0..<200 {
      let sent = (0..<60).map { _ in
        [UInt8](
          (0..<Int.random(in: 0..<90, using: &random)).map { _ in
            UInt8.random(in: 1...255, using: &random)
          })
      }
      let stream: [UInt8] = sent.flatMap { (frame: [UInt8]) -> [UInt8] in frame + [0] }
      var buffer = FrameBuffer(limit: 90)
      var got: [[UInt8]] = []
      var at = 0
      while at < stream.count {
        let end = min(stream.count, at + Int.random(in: 0..<200, using: &random))
        let way = Way.allCases.randomElement(using: &random)!
        let outcome = give(stream[at..<end], to: &buffer, way, into: &got) {
          Int.random(in: 0..<8, using: &random) > 0
        }
        #expect(outcome != .frameTooLong)
        at = end
      }
      #expect(give([], to: &buffer, .appendAndDrain, into: &got) == .drained)
      #expect(got == sent, "seed \(random.seed)")
      #expect(buffer.pendingBytes == 0)
    }
  }

  @Test func `A NUL is found at every position, and no byte beyond the chunk is read`() {
    let memory = GuardedMemory()
    for count in 0...80 {
      for place in 0...count {
        var bytes = [UInt8](repeating: 0xff, count: count)
        // A byte that differs from NUL only in its lowest or highest bit is not a NUL.
        if place > 0 { bytes[place - 1] = place % 2 == 0 ? 0x01 : 0x80 }
        if place < count { bytes[place] = 0 }
        memory.withCopies(of: bytes) { chunk in
          var buffer = FrameBuffer()
          var lengths: [Int] = []
          let outcome = buffer.consume(chunk) {
            lengths.append($0.count)
            return true
          }
          #expect(outcome == .drained)
          #expect(lengths == (place < count ? [place] : []))
          #expect(buffer.pendingBytes == (place < count ? count - place - 1 : count))
        }
      }
    }
  }

  @Test func `The work grows with the bytes and not with the number of pieces`() {
    // A frame byte by byte. If all of it were searched for each piece, that would be 8.6 billion
    // bytes.
    var buffer = FrameBuffer()
    var length = 0
    for index in 0...WireLimits.frameBytes {
      let byte: [UInt8] = [index == WireLimits.frameBytes ? 0 : 0x61]
      byte.withUnsafeBytes { chunk in
        let outcome = buffer.consume(chunk) {
          length = $0.count
          return true
        }
        #expect(outcome == .drained)
      }
    }
    #expect(length == WireLimits.frameBytes)
    // Many frames in one piece, each taken separately. If the rest were moved each time, that would
    // be the same.
    let frames = 60_000
    [UInt8](repeating: 0, count: frames).withUnsafeBytes { buffer.append($0) }
    var taken = 0
    while buffer.drain({ _ in
      taken += 1
      return false
    }) == .stopped {}
    #expect(taken == frames && buffer.pendingBytes == 0)
  }
}
