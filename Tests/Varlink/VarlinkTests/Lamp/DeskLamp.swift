import Foundation
import Varlink

/// A service for tests. Each stream ends when the lamp is switched off.
final class DeskLamp: LampService {
  private var state = Lamp.State(on: false, brightness: 100)
  private(set) var watches: [VarlinkStream<Lamp.Watch>] = []
  /// Whether `Set` is answered later, by the test.
  var isSlow = false
  var late: VarlinkPending<Lamp.Set>?

  func set(
    _ call: Lamp.Set, _ exchange: inout VarlinkExchange
  ) throws(LampError) -> VarlinkAnswer {
    if isSlow {
      let later = exchange.answerLater(call)
      late = later
      return later.answer
    }
    state.on = call.on
    state.brightness = call.brightness ?? state.brightness
    let answer = exchange.reply(to: call, Lamp.Set.Reply(state: state))
    // A reply that was written before an error is taken back.
    guard state.brightness <= 100 else {
      state.brightness = 100
      throw .tooBright(most: 100)
    }
    for watch in watches {
      state.on ? watch.send(.init(state: state)) : watch.end(with: .init(state: state))
    }
    watches.removeAll { !$0.isOpen }
    return answer
  }

  func watch(
    _ call: Lamp.Watch, _ exchange: inout VarlinkExchange
  ) throws(LampError) -> VarlinkAnswer {
    guard let watch = exchange.stream(call) else { throw .varlink(.expectedMore) }
    if isSlow { throw .tooBright(most: 1) }
    watch.send(Lamp.Watch.Reply(state: state))
    watches.append(watch)
    return watch.answer
  }

  static let info = ServiceInterface.GetInfo.Reply(
    vendor: "Example", product: "lampd", version: "1", url: "https://example.org")
}

/// A folder with a socket of a lamp, whose loop the test runs.
final class LampRig {
  let lamp = DeskLamp()
  let server: VarlinkServer
  let path: String
  private let folder: URL

  init(patienceMsec: Int64 = 10_000) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "lamp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.appending(path: "socket").path
    server = VarlinkServer(
      try VarlinkListener(path: path), info: DeskLamp.info, services: [lamp],
      patienceMsec: patienceMsec)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func connect() throws -> VarlinkConnection { try VarlinkConnection(path: path) }

  /// Serves all that has arrived.
  func serve() { for _ in 0..<4 { server.step(msec: 0) } }

  /// Sends a message, and returns the replies.
  func replies(to message: String, from client: VarlinkConnection) throws -> [String] {
    client.outlet.output += Array(message.utf8) + [0]
    client.flush()
    serve()
    return arrived(at: client)
  }

  func arrived(at client: VarlinkConnection) -> [String] {
    var messages: [String] = []
    while client.receive() {}
    while let frame = client.nextFrame() {
      messages.append(String(decoding: frame, as: UTF8.self))
    }
    return messages
  }
}
