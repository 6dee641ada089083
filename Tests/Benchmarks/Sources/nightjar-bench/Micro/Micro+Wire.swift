internal import NightjarLedger
internal import NightjarService
internal import Varlink

/// Reading and writing JSON.
extension Micro {
  static let wire = [
    Micro(name: "scan", work: "scan a request", count: 20_000) { count in
      let request = Array(
        #"""
        {"method":"org.nightjar.Timers.Start","parameters":{"name":"kitchen/tea","duration_usec":\#
        240000000,"clock":"elapsed","labels":{"kind":"tea","note":"gr\u00fcn, 70 \u00b0C"},\#
        "replace":true}}
        """#.utf8)
      return {
        for _ in 0..<count { request.withUnsafeBytes { scan($0) } }
      }
    },
    Micro(name: "write", work: "write a reply", count: 20_000) { count in
      let core = MicroCore(timers: 1)
      var output: [UInt8] = []
      return {
        for _ in 0..<count {
          output.removeAll(keepingCapacity: true)
          JSONWriter.append(to: &output) { writer in
            writer.beginReply()
            writer.key("timer")
            writer.timer(0, of: core.core.engine, at: core.now)
            writer.endReply()
          }
        }
        guard output.count > 300 else { fail("a reply of \(output.count) bytes") }
      }
    },
  ]

  /// Reads a call of `Start` as its method does: members by their names, values by their types.
  private static func scan(_ frame: UnsafeRawBufferPointer) {
    do {
      let call = try VarlinkCall.parse(frame)
      guard call.method.equals("org.nightjar.Timers.Start"), let parameters = call.parameters else {
        fail("the parsed call is not the one that was written")
      }
      var scanner = JSONScanner(parameters)
      var members = try scanner.beginObject()
      var sum: Int64 = 0
      while let key = try scanner.nextMember(&members) {
        if key.equals("name") {
          sum &+= Int64(try scanner.readString().withUTF8 { $0.count })
        } else if key.equals("duration_usec") {
          sum &+= try scanner.readInteger()
        } else if key.equals("replace") {
          sum &+= try scanner.readBool() ? 1 : 0
        } else if key.equals("labels") {
          var labels = try scanner.beginObject()
          while let label = try scanner.nextMember(&labels) {
            sum &+= Int64(label.withUTF8 { $0.count })
            sum &+= Int64(try scanner.readString().withUTF8 { $0.count })
          }
        } else {
          try scanner.skipValue()
        }
      }
      try scanner.finish()
      guard sum == 240_000_036 else { fail("the sum of the scanned values is \(sum)") }
    } catch { fail("\(error)") }
  }
}
