internal import NightjarInterface
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
          let timer = Wire.Timer(0, of: core.core.engine, at: core.now)
          JSONWriter.append(to: &output) { $0.reply(Wire.Get.Reply(timer: timer)) }
        }
        guard output.count > 300 else { fail("a reply of \(output.count) bytes") }
      }
    },
  ]

  /// Reads a call of `Start` as its method does.
  private static func scan(_ frame: UnsafeRawBufferPointer) {
    do {
      let call = try VarlinkCall.parse(frame)
      guard call.method.equals("org.nightjar.Timers.Start"), let parameters = call.parameters else {
        fail("the parsed call is not the one that was written")
      }
      let start = try Wire.Start(parameters, isStrict: true)
      guard start.durationUsec == 240_000_000, start.labels.members.count == 2 else {
        fail("the call is read as \(start)")
      }
    } catch { fail("\(error)") }
  }
}
