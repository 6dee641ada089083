package import NightjarInterface

extension Wire.AwayState {
  /// A sentence that says why a machine cannot be reached, without a full stop: `laptop is asleep
  /// since 21:40`.
  ///
  /// - Parameters:
  ///   - word: the state of the machine. A newer bridge may send a word that this library does not
  ///     know.
  ///   - device: the name of the machine.
  ///   - since: since when the machine has been in this state, in words; nil if unknown.
  package static func sentence(
    _ word: String, of device: String, since: String? = nil
  ) -> String {
    let since = since.map { " since \($0)" } ?? ""
    return switch Self(rawValue: word) {
    case .asleep: "\(device) is asleep\(since)"
    case .offline: "\(device) is offline\(since)"
    case .silent: "\(device) did not answer in time"
    case .noDaemon: "the daemon of \(device) does not answer its bridge"
    case .noBroker: "this machine is not connected to the broker\(since)"
    case .unknown: "the broker knows no machine called '\(device)'"
    case .other: "\(device) cannot be reached"
    }
  }
}
