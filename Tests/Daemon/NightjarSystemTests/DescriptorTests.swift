import Glibc
import NightjarSystem
import NightjarTestSupport
import Testing

@Suite(.blocking) struct DescriptorTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = "\(folder.path)/file"
  }

  private func openFile() -> Int32 { open(path, O_CREAT | O_RDONLY | O_CLOEXEC, 0o600) }

  @Test func `The leak detector detects a leak`() {
    #expect(descriptors(openOn: path) == [])
    let leaked = openFile()
    #expect(descriptors(openOn: path) == [leaked])
    close(leaked)
    #expect(descriptors(openOn: path) == [])
  }

  @Test func `A descriptor is closed when its owner ends, and not before`() {
    do {
      let owned = Descriptor(owning: openFile())
      #expect(descriptors(openOn: path) == [owned.raw])
    }
    #expect(descriptors(openOn: path) == [])
  }

  @Test func `A descriptor that was taken stays open`() {
    let owned = Descriptor(owning: openFile())
    let raw = owned.take()
    #expect(descriptors(openOn: path) == [raw])
    #expect(close(raw) == 0)
  }

  @Test func `A descriptor closed behind its owner's back ends the process`() throws {
    try Role.trapping("descriptor closed behind its owner's back") {
      let owned = Descriptor(owning: dup(STDERR_FILENO))
      close(owned.raw)
    }
  }

  @Test func `An error names the operation and the system's reason`() {
    let error = SystemError(operation: "bind /run/x", code: EADDRINUSE)
    #expect("\(error)" == "bind /run/x: Address already in use")
  }
}
