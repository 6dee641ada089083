package import NightjarEngine
package import NightjarModel

extension EventSamples {
  package struct Clocks {
    package var now = EventSamples.moment

    package init() {}

    package mutating func run(_ usec: Int64) {
      now.realtimeUsec += usec
      now.boottimeUsec += usec
      now.monotonicUsec += usec
    }
  }
}

extension Engine {
  /// An engine with a bus of its own, at the moment of the samples.
  package convenience init(
    calendar: any NightjarModel.Calendar = NoCalendar(), maximumTimers: Int = 10,
    loading: Bool = false
  ) {
    let bus = NotificationBus()
    self.init(
      background: Background(at: EventSamples.moment, bus: bus), bus: bus, calendar: calendar,
      maximumTimers: maximumTimers, loading: loading)
  }
}
