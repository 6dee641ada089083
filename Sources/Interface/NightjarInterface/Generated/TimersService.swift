// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit.

package import Varlink

/// The methods of org.nightjar.Timers.
package protocol TimersService: WireService {
  associatedtype Exchange
  associatedtype Answer
  associatedtype Failure

  func start(
    _ call: Wire.Start, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func get(
    _ call: Wire.Get, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func list(
    _ call: Wire.List, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func pause(
    _ call: Wire.Pause, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func resume(
    _ call: Wire.Resume, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func cancel(
    _ call: Wire.Cancel, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func restart(
    _ call: Wire.Restart, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func extend(
    _ call: Wire.Extend, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func snooze(
    _ call: Wire.Snooze, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func dismiss(
    _ call: Wire.Dismiss, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func stop(
    _ call: Wire.Stop, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func remove(
    _ call: Wire.Remove, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func advance(
    _ call: Wire.Advance, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func lap(
    _ call: Wire.Lap, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func skip(
    _ call: Wire.Skip, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func unskip(
    _ call: Wire.Unskip, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func update(
    _ call: Wire.Update, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func rename(
    _ call: Wire.Rename, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func undo(
    _ call: Wire.Undo, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func watch(
    _ call: Wire.Watch, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func events(
    _ call: Wire.Events, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func status(
    _ call: Wire.Status, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func testRing(
    _ call: Wire.TestRing, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func holdRings(
    _ call: Wire.HoldRings, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func releaseRings(
    _ call: Wire.ReleaseRings, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func why(
    _ call: Wire.Why, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
  func understand(
    _ call: Wire.Understand, _ exchange: inout Exchange
  ) throws(Failure) -> Answer
}

extension TimersService {
  package static var interfaceName: StaticString { "org.nightjar.Timers" }
  package static var interfaceDescription: String { TimersInterface.description }

  package func perform(
    _ method: JSONText, _ parameters: UnsafeRawBufferPointer,
    _ exchange: inout Exchange
  ) throws(Failure) -> Answer? {
    if method.equals("Start") {
      return try self.start(read(parameters), &exchange)
    }
    if method.equals("Get") {
      return try self.get(read(parameters), &exchange)
    }
    if method.equals("List") {
      return try self.list(read(parameters), &exchange)
    }
    if method.equals("Pause") {
      return try self.pause(read(parameters), &exchange)
    }
    if method.equals("Resume") {
      return try self.resume(read(parameters), &exchange)
    }
    if method.equals("Cancel") {
      return try self.cancel(read(parameters), &exchange)
    }
    if method.equals("Restart") {
      return try self.restart(read(parameters), &exchange)
    }
    if method.equals("Extend") {
      return try self.extend(read(parameters), &exchange)
    }
    if method.equals("Snooze") {
      return try self.snooze(read(parameters), &exchange)
    }
    if method.equals("Dismiss") {
      return try self.dismiss(read(parameters), &exchange)
    }
    if method.equals("Stop") {
      return try self.stop(read(parameters), &exchange)
    }
    if method.equals("Remove") {
      return try self.remove(read(parameters), &exchange)
    }
    if method.equals("Advance") {
      return try self.advance(read(parameters), &exchange)
    }
    if method.equals("Lap") {
      return try self.lap(read(parameters), &exchange)
    }
    if method.equals("Skip") {
      return try self.skip(read(parameters), &exchange)
    }
    if method.equals("Unskip") {
      return try self.unskip(read(parameters), &exchange)
    }
    if method.equals("Update") {
      return try self.update(read(parameters), &exchange)
    }
    if method.equals("Rename") {
      return try self.rename(read(parameters), &exchange)
    }
    if method.equals("Undo") {
      return try self.undo(read(parameters), &exchange)
    }
    if method.equals("Watch") {
      return try self.watch(read(parameters), &exchange)
    }
    if method.equals("Events") {
      return try self.events(read(parameters), &exchange)
    }
    if method.equals("Status") {
      return try self.status(read(parameters), &exchange)
    }
    if method.equals("TestRing") {
      return try self.testRing(read(parameters), &exchange)
    }
    if method.equals("HoldRings") {
      return try self.holdRings(read(parameters), &exchange)
    }
    if method.equals("ReleaseRings") {
      return try self.releaseRings(read(parameters), &exchange)
    }
    if method.equals("Why") {
      return try self.why(read(parameters), &exchange)
    }
    if method.equals("Understand") {
      return try self.understand(read(parameters), &exchange)
    }
    return nil
  }
}
