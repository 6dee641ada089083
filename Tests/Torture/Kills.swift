import Foundation
import Glibc
import NightjarTestSupport

extension Round {
  /// Lives of one daemon on one folder, each of which ends with a kill at any moment: while it
  /// starts, under the load of two clients, or while it stops.
  func runKills() throws {
    let loads = [load("a"), load("b")]
    for life in 1...12 where !tally.isOver || life == 1 {
      situation = "life \(life)"
      if random.oneIn(5) {
        try TorturedDaemon.startAndKill(in: workshop, afterUsec: UInt32(random.below(25_000)))
        add(.kills)
      }
      let daemon = try start()
      let found = faults(of: try read(daemon), loads.map(\.story))
      guard found.isEmpty else { return tally.report(found, in: self) }
      let before = acknowledged(loads)
      try killUnderLoad(daemon, loads)
      add(.acknowledged, acknowledged(loads) - before)
    }
    situation = "after the last life"
    let daemon = try start()
    let found = faults(of: try read(daemon), loads.map(\.story))
    if !found.isEmpty { tally.report(found, in: self) }
    try kill(daemon)
  }

  private func acknowledged(_ loads: [Load]) -> Int {
    loads.reduce(0) { $0 + $1.story.acknowledged }
  }

  private func killUnderLoad(_ daemon: TorturedDaemon, _ loads: [Load]) throws {
    let clients = try loads.map { try Client($0, path: daemon.socketPath) }
    for client in clients { client.begin() }
    // This is the moment of the kill, and nothing is awaited by it.
    usleep(UInt32(random.below(80_000)))
    if random.oneIn(4) {
      daemon.process.signal(SIGTERM)
      usleep(UInt32(random.below(6_000)))
      daemon.process.kill()
      add(.kills)
    } else {
      try kill(daemon)
    }
    for client in clients { try client.join() }
  }
}

/// A load on a thread of its own, until the daemon ends.
private final class Client: @unchecked Sendable {
  private let load: Load
  private let wire: CallSocket
  private let ended = DispatchSemaphore(value: 0)
  private var error: (any Error)?

  init(_ load: Load, path: String) throws {
    self.load = load
    wire = try CallSocket(path: path)
  }

  func begin() {
    Thread.detachNewThread {
      do { _ = try self.load.run(on: self.wire) } catch { self.error = error }
      self.ended.signal()
    }
  }

  func join() throws {
    ended.wait()
    if let error { throw error }
  }
}
