package import NightjarClient
package import NightjarInterface
package import Varlink

/// The calls that tests make most, each with the parameters that they give.
extension Call {
  package static func start(_ timer: Wire.Start) -> Call { Call(timer) }

  package static func start(
    name: String? = nil, durationUsec: Int64? = nil, clock: Wire.Clock? = nil,
    replace: Bool = false, data: JSONValue? = nil, wake: Bool = false
  ) -> Call {
    var call = Wire.Start()
    (call.name, call.durationUsec, call.clock) = (name, durationUsec, clock)
    (call.replace, call.data, call.wake) = (replace, data.map { RawJSON($0) }, wake)
    return Call(call)
  }

  package static func update(
    name: String, labels: WireMap<String>? = nil, data: JSONValue? = nil, bands: [Wire.Band]? = nil,
    ring: Wire.Ring? = nil, message: String? = nil, except: [String]? = nil, calendar: String? = nil
  ) -> Call {
    var call = Wire.Update(name: name)
    (call.labels, call.data, call.bands) = (labels, data.map { RawJSON($0) }, bands)
    (call.ring, call.message, call.except, call.calendar) = (ring, message, except, calendar)
    return Call(call)
  }

  package static func get(name: String) -> Call { Call(Wire.Get(name: name)) }
  package static func why(name: String) -> Call { Call(Wire.Why(name: name)) }
  package static func status() -> Call { Call(Wire.Status()) }
  package static func undo() -> Call { Call(Wire.Undo()) }
  package static func holdRings() -> Call { Call(Wire.HoldRings()) }
  package static func releaseRings(hold: Int64) -> Call { Call(Wire.ReleaseRings(hold: hold)) }

  package static func extend(name: String, byUsec: Int64) -> Call {
    Call(Wire.Extend(name: name, byUsec: byUsec))
  }

  package static func snooze(name: String, byUsec: Int64) -> Call {
    Call(Wire.Snooze(name: name, byUsec: byUsec))
  }

  package static func rename(name: String, newName: String) -> Call {
    Call(Wire.Rename(name: name, newName: newName))
  }

  package static func list(
    prefix: String? = nil, states: [Wire.State]? = nil, after: Int64? = nil, limit: Int64? = nil
  ) -> Call {
    var call = Wire.List()
    (call.prefix, call.states, call.after, call.limit) = (prefix, states, after, limit)
    return Call(call)
  }

  package static func watch(
    name: String? = nil, prefix: String? = nil, tickUsec: Int64? = nil, after: Int64? = nil,
    ledger: String? = nil
  ) -> Call {
    var call = Wire.Watch()
    (call.name, call.prefix, call.tickUsec) = (name, prefix, tickUsec)
    (call.after, call.ledger) = (after, ledger)
    return Call(call)
  }

  package static func events(
    after: Int64? = nil, prefix: String? = nil, ledger: String? = nil
  ) -> Call {
    var call = Wire.Events()
    (call.after, call.prefix, call.ledger) = (after, prefix, ledger)
    return Call(call)
  }
}
