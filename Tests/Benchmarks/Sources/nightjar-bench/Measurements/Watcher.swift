internal import Glibc
internal import Varlink

/// A client that follows the ledger and counts `rang` events. It compares only the beginning of
/// each frame, so that its own work does not affect the measurement.
final class Watcher {
  private let connection: VarlinkConnection
  private let awaited: Int
  /// How many rang.
  private(set) var seen = 0

  init(_ path: String, awaits count: Int) throws(ConnectFailure) {
    connection = try VarlinkConnection(path: path)
    awaited = count
    connection.write("org.nightjar.Timers.Events", more: true)
    connection.flushAll()
  }

  var isDone: Bool { seen >= awaited }

  func read() {
    while connection.receive() {
      _ = connection.input.drain { frame in
        if isFired(frame) { seen += 1 }
        return true
      }
    }
  }
}

private func isFired(_ frame: UnsafeRawBufferPointer) -> Bool {
  let texts: [StaticString] = [
    #"{"parameters":{"event":{"seq":"#, #","time_usec":"#, #","type":"rang""#,
  ]
  var place = 0
  for text in texts {
    guard frame.count > place + text.utf8CodeUnitCount,
      memcmp(frame.baseAddress! + place, text.utf8Start, text.utf8CodeUnitCount) == 0
    else { return false }
    place += text.utf8CodeUnitCount
    while place < frame.count, frame[place] &- UInt8(ascii: "0") < 10 { place += 1 }
  }
  return true
}

/// `Get` of one of the alarms that are due at the same time, in any state.
struct AlarmGetWorkload: Workload {
  static let longestRequest = 128

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append(#"{"method":"org.nightjar.Timers.Get","parameters":{"name":"due/"#)
    output.append(digits: number)
    output.append("\"}}\0")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    frameLength(bytes) {
      String(decoding: $0, as: UTF8.self).contains("\"name\":\"due/\(number)\"")
    }
  }
}

/// `Start` of an alarm, one of many that are due at the same time.
struct AlarmStartWorkload: Workload {
  static let longestRequest = 256
  /// CLOCK_REALTIME.
  let dueUsec: Int

  func ask(_ number: Int, in output: inout RequestBuffer) {
    output.append(#"{"method":"org.nightjar.Timers.Start","parameters":{"name":"due/"#)
    output.append(digits: number)
    output.append("\",\"alarm\":{\"at_usec\":")
    output.append(digits: dueUsec)
    output.append("}}}\0")
  }

  func replyLength(_ bytes: UnsafeRawBufferPointer, about number: Int) -> Int {
    AlarmGetWorkload().replyLength(bytes, about: number)
  }
}
