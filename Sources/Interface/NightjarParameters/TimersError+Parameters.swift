package import NightjarInterface
package import NightjarModel
internal import Varlink

extension TimersError {
  /// The error for a parameter that is missing, unknown, of the wrong type or out of range.
  package static func invalid(_ parameter: String) -> TimersError {
    .varlink(.invalidParameter(parameter: parameter))
  }

  package init(_ problem: SpecProblem) {
    if let limit = problem.limit {
      self = .limitExceeded(limit: limit.name, value: limit.most)
    } else if problem.part == .wake || problem.part == .durationUsec {
      self = .invalid(problem.part.rawValue)
    } else {
      self = .invalidValue(parameter: problem.part.rawValue, reason: problem.reason)
    }
  }
}
