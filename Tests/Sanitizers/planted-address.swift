import Glibc

/// A read behind the end of an allocation, on purpose. `make asan` begins with it.
@main struct PlantedOverread {
  static func main() {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    bytes.initialize(repeating: 1, count: 16)
    let end = 16 + Int(CommandLine.argc) - 1
    print(bytes[end])
    bytes.deallocate()
  }
}
