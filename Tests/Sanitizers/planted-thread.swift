import Glibc

/// A race on purpose: two threads count without a lock. `make tsan` begins with it.
@main struct PlantedRace {
  nonisolated(unsafe) static var count = 0

  static func main() {
    var threads = [pthread_t](repeating: pthread_t(), count: 2)
    for index in threads.indices {
      pthread_create(
        &threads[index], nil,
        { _ in
          for _ in 0..<1000 { PlantedRace.count += 1 }
          return nil
        }, nil)
    }
    for thread in threads { pthread_join(thread, nil) }
    print(count)
  }
}
