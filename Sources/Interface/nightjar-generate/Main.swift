import Foundation

/// Writes the generated files that only Nightjar has. `make generate` runs it in the folder of the
/// repository.
@main
struct NightjarGenerate {
  static func main() throws {
    let root = URL(filePath: FileManager.default.currentDirectoryPath)
    for (file, text) in try Outputs(root: root).texts() {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }
}
