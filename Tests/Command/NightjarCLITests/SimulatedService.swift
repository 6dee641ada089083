import NightjarInterface
import NightjarLedger
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Varlink

/// The methods of the daemon on a simulated machine, without a socket.
final class SimulatedService {
  let machine = SimulatedMachine(calendar: ZoneCalendar(local: .utc))
  /// What the daemon reports of itself.
  var report = StatusReport(
    pid: 1, startedUsec: 0, storage: StatusReport.Storage(folder: "", schemaVersion: 0),
    ring: RingCheck(.off, "off"))

  /// The parameters of the reply to a call.
  func call(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
    let call: JSONValue = [
      "method": .string("org.nightjar.Timers.\(method)"), "parameters": parameters,
    ]
    var answer: Result<JSONValue, any Error>?
    try machine.runIteration { core in
      let methods = Methods(
        core: core, calendar: ZoneCalendar(local: .utc), dependencies: dependencies
      ) { SpecDefaults() }
      answer = Result {
        let reply = try call.bytes.withUnsafeBytes {
          try methods.answer($0, at: machine.clocks.now)
        }
        let json = try JSONValue.parse(String(decoding: reply, as: UTF8.self))
        guard json["error"] == nil, let parameters = json["parameters"] else {
          throw Unmet(description: "\(call.text): \(json.text)")
        }
        return parameters
      }
    }
    guard let answer else { throw Unmet(description: "the daemon does not run") }
    return try answer.get()
  }

  private var dependencies: Methods.Dependencies {
    Methods.Dependencies(
      reader: machine.disk, status: { self.report },
      testRing: { RingTestStream({ $0(self.report.ring) }, onReady: { _ in }) },
      holdRings: { HoldStream(begin: { _ in 1 }, end: { _ in }, onReady: { _ in }) },
      releaseRings: { _ in true }, reportReadFailure: { _, _ in })
  }
}
