// Made from org.example.Lamp.varlink by varlink-swift. Do not edit.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Varlink

/// The types of `org.example.Lamp`.
enum Lamp {}

extension Lamp {
  /// on: whether it gives light. brightness: how much, in percent.
  struct State: WireStructure {
    var on: Bool
    var brightness: Int64

    /// The optional fields are absent.
    init(on: Bool, brightness: Int64) {
      self.on = on
      self.brightness = brightness
    }

    static var blank: Self { Self(on: .blank, brightness: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("on", &on)
      try reader.field("brightness", &brightness)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("on", on)
      writer.field("brightness", brightness)
    }
  }
}

extension Lamp {
  /// Switches the lamp. Without brightness, it is as bright as before.
  struct Set: WireMethod {
    var on: Bool
    var brightness: Int64?

    /// The optional fields are absent.
    init(on: Bool) {
      self.on = on
    }

    static var blank: Self { Self(on: .blank) }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("on", &on)
      try reader.field("brightness", &brightness)
    }

    func writeMembers(to writer: inout JSONWriter) {
      writer.field("on", on)
      writer.field("brightness", brightness)
    }

    static let method: StaticString = "org.example.Lamp.Set"

    /// The reply of Set.
    struct Reply: WireStructure {
      var state: Lamp.State

      /// The optional fields are absent.
      init(state: Lamp.State) {
        self.state = state
      }

      static var blank: Self { Self(state: .blank) }

      mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("state", &state)
      }

      func writeMembers(to writer: inout JSONWriter) {
        writer.field("state", state)
      }
    }
  }
}

extension Lamp {
  /// The present state; with more, also each later one.
  struct Watch: WireMethod {
    /// All fields are absent.
    init() {}

    static var blank: Self { Self() }

    mutating func read(_ reader: inout WireReader) throws(WireError) {
    }

    func writeMembers(to writer: inout JSONWriter) {
    }

    static let method: StaticString = "org.example.Lamp.Watch"
    typealias Reply = Lamp.Set.Reply
  }
}
