public import ArgumentParser
import NightjarClient
public import NightjarWire

/// Words of the interface as values of options.
extension TimersInterface.Clock: ExpressibleByArgument {
  var clock: NightjarTimer.Clock { NightjarTimer.Clock(rawValue: rawValue) }
}

extension TimersInterface.State: ExpressibleByArgument {
  var state: NightjarTimer.State { NightjarTimer.State(rawValue: rawValue) }
}

extension TimersInterface.Kind: ExpressibleByArgument {
  var kind: NightjarTimer.Kind { NightjarTimer.Kind(rawValue: rawValue) }
}

extension TimersInterface.Missed: ExpressibleByArgument {
  var policy: MissedPolicy { MissedPolicy(rawValue: rawValue) }
}

extension TimersInterface.AfterSleep: ExpressibleByArgument {
  var policy: AfterSleep { AfterSleep(rawValue: rawValue) }
}
