/// Measures how long each hot path takes on its own, in several rounds.
struct MicroTimes {
  let setting: Setting

  func run() -> [Finding] {
    Micro.all.map { micro in
      setting.say("alone: \(micro.work)")
      let nsec = (0..<setting.rounds).map { _ in
        let body = micro.prepare(micro.count)
        let begin = Clock.nsec()
        body()
        return Double(Clock.nsec() - begin) / Double(micro.count)
      }
      return Finding(
        id: "micro-\(micro.name)", work: "microbenchmark: \(micro.work)", unit: .nanoseconds,
        ours: nsec)
    }
  }
}
