internal import NightjarInterface
internal import NightjarMirror
internal import Varlink

/// Asks owners for all their timers, page by page, and puts the answers into the mirror. The bridge
/// needs this because the broker's retained messages may be incomplete.
///
/// The bridge first asks for the number of the ledger's last event. If the mirror has a timer that
/// the answer lacks, the owner has removed that timer, unless the timer had an event after that
/// number.
final class OwnerQuestions {
  /// The number of timers in a page. All timers of a page are in one message.
  private static let pageTimers: Int64 = 200

  private unowned let bridge: Bridge
  /// The machines that have not answered, and whether the bridge must ask again, because it has
  /// missed messages since it asked.
  private var asked: [String: Bool] = [:]
  /// The number of connections to the broker that were lost. An answer to a question from before
  /// the last loss would be older than the values that the bridge reads after it has connected
  /// again.
  private var losses = 0

  init(bridge: Bridge) { self.bridge = bridge }

  /// Asks a machine for its timers.
  func ask(_ device: String) {
    guard asked.updateValue(true, forKey: device) == nil else { return }
    asked[device] = false
    call("Status", .object([]), device) { [weak self] status in
      guard let ledger = status["storage"]?["ledger"]?.stringValue,
        let lastSeq = status["storage"]?["last_seq"]?.integerValue
      else {
        self?.end(device)
        return
      }
      self?.askPage(of: device, after: nil, [], ledger, lastSeq)
    }
  }

  private func askPage(
    of device: String, after: Int64?, _ earlier: [TimerValue], _ ledger: String, _ lastSeq: Int64
  ) {
    let parameters = JSONValue.object(of: [
      ("limit", .integer(Self.pageTimers)), ("after", after.map(JSONValue.integer)),
    ])
    call("List", parameters, device) { [weak self, bridge] page in
      let nowUsec = bridge.nowUsec
      let values =
        earlier
        + (page["timers"]?.arrayValue ?? []).compactMap {
          TimerValue(timer: $0, ledger: ledger, nowUsec: nowUsec)
        }
      // Stop if the next page would not be after this one. Otherwise the same page would be
      // requested forever.
      if let next = page["next"]?.integerValue, next > after ?? -1,
        values.count < MirrorLimits.timersOfDevice,
        values.reduce(0, { $0 + $1.payload.count }) < MirrorLimits.bytesOfDevice
      {
        self?.askPage(of: device, after: next, values, ledger, lastSeq)
      } else {
        bridge.merge(values, of: device, ledger: ledger, lastSeq: lastSeq)
        self?.end(device)
      }
    }
  }

  private func call(
    _ method: String, _ parameters: JSONValue, _ device: String,
    _ answered: @escaping (JSONValue) -> Void
  ) {
    let call = ReceivedCall(
      method: "\(TimersInterface.name).\(method)", parameters: parameters, more: false)
    bridge.outgoing.call(call, to: device) { [weak self, losses] answer in
      guard let self, losses == self.losses else { return }
      if let parameters = answer.parameters { answered(parameters) } else { end(device) }
    }
  }

  private func end(_ device: String) {
    if asked.removeValue(forKey: device) == true { ask(device) }
  }

  func disconnected() {
    losses += 1
    asked = [:]
  }
}
