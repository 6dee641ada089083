@testable import Varlink

/// Frames: the same bytes in other pieces are the same frames, those of a literal reading.
enum FramesTarget {
  static func run(_ input: Input) {
    var input = input
    let limit = Int(input.byte() & 63) + 1
    var choices = Choices(seed: input.byte())
    let stream = input.rest
    let expected = literal(stream, limit: limit)
    var buffer = FrameBuffer(limit: limit)
    var frames: [[UInt8]] = []
    let take = { (frame: UnsafeRawBufferPointer) -> Bool in
      frames.append(Array(frame))
      return choices.next() & 3 != 0
    }
    var at = 0
    while at < stream.count {
      let count = Int(choices.next() % UInt64(2 * limit)) + 1
      let end = min(stream.count, at + count)
      let chunk = UnsafeRawBufferPointer(rebasing: stream[at..<end])
      if choices.next() & 1 == 0 {
        _ = buffer.consume(chunk, take)
      } else {
        buffer.append(chunk)
        _ = buffer.drain(take)
      }
      at = end
    }
    var last = buffer.drain(take)
    while last == .stopped { last = buffer.drain(take) }
    require((last == .frameTooLong) == expected.isTooLong, "the end is \(last)")
    require(frames == expected.frames, "\(frames) instead of \(expected.frames)")
    require(buffer.pendingBytes == expected.pending, "\(buffer.pendingBytes) bytes wait")
  }

  private static func literal(
    _ stream: UnsafeRawBufferPointer, limit: Int
  ) -> (frames: [[UInt8]], pending: Int, isTooLong: Bool) {
    var pieces = stream.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    let fitting = pieces.prefix { $0.count <= limit }
    if fitting.count < pieces.count { return (Array(fitting), 0, true) }
    let tail = pieces.removeLast()
    return (pieces, tail.count, false)
  }
}

/// Calls: what is accepted is written, and read again as the same.
enum CallTarget {
  static func run(_ input: Input) {
    let bytes = input.rest
    switch outcome({ () throws(VarlinkProtocolError) in try VarlinkCall.parse(bytes) }) {
    case .failure(let error): Envelope.check(error, of: bytes)
    case .success(let call):
      require(LiteralJSON.accepts(bytes), "a call that is no JSON")
      check(call)
    }
  }

  private static func check(_ call: VarlinkCall) {
    let method = call.method.string
    let interface = call.interfaceName
    require(method.utf8.starts(with: interface.utf8), "'\(interface)' of '\(method)'")
    let timers = "org.nightjar.Timers."
    let name = call.method(in: "org.nightjar.Timers")?.string
    require(name.map { timers + $0 == method } ?? !method.hasPrefix(timers), "'\(method)'")
    guard !call.upgrade else { return }
    var parameters: JSONValue?
    if let bytes = call.parameters {
      // A number that is too large is noticed by who reads it.
      guard let value = outcome({ () throws(JSONError) in try JSONValue.parse(bytes) }).value
      else { return }
      parameters = value
    }
    var written: [UInt8] = []
    VarlinkCall.write(
      method: method, parameters: parameters, more: call.more, oneway: call.oneway, into: &written)
    require(written.popLast() == 0, "a call ends with a NUL")
    require(!written.contains(0), "a NUL in the middle of a call")
    written.withUnsafeBytes { bytes in
      guard let again = try? VarlinkCall.parse(bytes) else {
        fatalError("what was written is no call: \(String(decoding: bytes, as: UTF8.self))")
      }
      let value = again.parameters.flatMap { try? JSONValue.parse($0) }
      require(
        again.method.string == method && value == parameters && again.more == call.more
          && again.oneway == call.oneway && !again.upgrade, "another call")
    }
  }
}

/// Replies, as a client reads them: the same.
enum ReplyTarget {
  static func run(_ input: Input) {
    let bytes = input.rest
    switch outcome({ () throws(VarlinkProtocolError) in try VarlinkReply.parse(bytes) }) {
    case .failure(let error): Envelope.check(error, of: bytes)
    case .success(let reply):
      require(LiteralJSON.accepts(bytes), "a reply that is no JSON")
      check(reply)
    }
  }

  private static func check(_ reply: VarlinkReply) {
    guard let parameters = try? reply.json.value else { return }
    var members = [JSONValue.Member("parameters", parameters)]
    if let error = reply.error { members.append(.init("error", .string(error))) }
    if reply.continues { members.append(.init("continues", .bool(true))) }
    let again = JSONValue.object(members).bytes.withUnsafeBytes { try? VarlinkReply.parse($0) }
    require(
      again?.error == reply.error && again?.continues == reply.continues
        && (try? again?.json.value) == parameters, "\(reply) is written as another")
    guard let error = reply.varlinkError else { return }
    require("\(error.name)" == reply.error, "\(error) has another name")
    var writer = JSONWriter()
    writer.writeError(error)
    let parsed = writer.bytes.dropLast().withUnsafeBytes { try? VarlinkReply.parse($0) }
    require(parsed?.varlinkError == error, "\(error) is written as another")
  }
}

/// What every refusal of an envelope has.
enum Envelope {
  static func check(_ error: VarlinkProtocolError, of bytes: UnsafeRawBufferPointer) {
    guard case .malformed(let error) = error else { return }
    require((0...bytes.count).contains(error.offset), "\(error) in \(bytes.count) bytes")
    // Numbers in a reply's parameters are read.
    require(
      error.problem == .numberOutOfRange || !LiteralJSON.accepts(bytes), "JSON is refused: \(error)"
    )
  }
}
