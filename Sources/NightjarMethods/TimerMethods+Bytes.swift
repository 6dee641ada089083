package import NightjarCore
package import NightjarWire

/// For whoever has no connection to write to: a simulation, a stand-in.
extension TimerMethods {
  /// Performs a call.
  ///
  /// - Parameter frame: the call without its NUL.
  /// - Returns: the reply without its NUL, a refusal too; nil if the method is none of these.
  package func answer(
    _ frame: UnsafeRawBufferPointer, at now: Moment
  ) throws(VarlinkProtocolError) -> [UInt8]? {
    let call = try VarlinkCall.parse(frame)
    guard let method = call.method(in: "org.nightjar.Timers") else { return nil }
    var writer = JSONWriter()
    do throws(CallError) {
      guard try perform(method, call, &writer, at: now) else { return nil }
    } catch {
      writer = JSONWriter()
      error.write(to: &writer)
    }
    return Array(writer.bytes.dropLast())
  }
}

extension JSONValue {
  /// An entry of the ledger as clients are told of it; the type `Event` of the interface.
  package static func event(_ event: Event) -> JSONValue {
    var writer = JSONWriter()
    writer.event(event)
    do { return try parse(writer.bytes) } catch {
      preconditionFailure("what was just written cannot be read: \(error)")
    }
  }
}
