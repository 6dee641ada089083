import Foundation
import NightjarTestSupport
import Testing

/// What befalls three machines and a real mosquitto, while they change each other's timers and
/// answer each other's rings: no change is lost, none is made twice, each machine has the others'
/// timers as their owners have them, and each answer takes effect.
@Suite(.longInFours) struct BridgeRunTests {
  /// The same random choices each time, or those of `NIGHTJAR_SEED`.
  private static let firstSeed =
    ProcessInfo.processInfo.environment["NIGHTJAR_SEED"] == nil ? 1 : Seed.ofThisRun

  @Test(arguments: BridgeRun.Step.allCases)
  func `A kill at any step of a call loses and repeats nothing`(step: BridgeRun.Step) throws {
    let run = try BridgeRun(seed: Self.firstSeed)
    for victim in BridgeRun.Victim.allCases {
      do {
        try run.kill(victim, when: step)
      } catch {
        throw Unmet(
          description: "\(victim) at \(step), NIGHTJAR_SEED=\(Self.firstSeed): \(error)")
      }
    }
  }

  @Test(arguments: 0..<3)
  func `Stops and cuts beyond the keepalive lose and repeat nothing`(part: Int) throws {
    let run = try BridgeRun(seed: Self.firstSeed &+ UInt64(part))
    for (index, trouble) in BridgeRun.Trouble.allCases.enumerated() where index % 3 == part {
      do {
        try run.endure(trouble)
      } catch {
        throw Unmet(description: "\(trouble), NIGHTJAR_SEED=\(Self.firstSeed): \(error)")
      }
    }
  }

  @Test(arguments: 0..<3)
  func `Each answer to an absent machine's ring takes effect when all are back`(part: Int) throws {
    let run = try AnswerRun(seed: Self.firstSeed &+ UInt64(part))
    for (index, trouble) in AnswerRun.Trouble.allCases.enumerated() where index % 3 == part {
      do {
        try run.step(trouble)
      } catch {
        throw Unmet(description: "NIGHTJAR_SEED=\(Self.firstSeed): \(error)")
      }
    }
  }
}
