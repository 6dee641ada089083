import Foundation
import Glibc
import NightjarTestSupport
import NightjarTrust
import Testing

struct FolderListingTests {
  @Test func `A folder that takes several reads, and the longest name, are read whole`() throws {
    let folder = try TestFolder()
    // The C library reads 32 KiB at a time: 1,365 of the shortest entries.
    var expected = Set((1...3_000).map { "\($0)" })
    expected.formUnion([String(repeating: "n", count: 255), "ä☕", ".hidden"])
    for name in expected {
      try #require(close(creat(folder.path + "/" + name, 0o600)) == 0)
    }
    let names = try #require(FolderListing.names(in: folder.path))
    #expect(names.count == expected.count)
    #expect(Set(names) == expected)
  }

  @Test func `A missing folder, and a file, have no names`() throws {
    let folder = try TestFolder()
    #expect(FolderListing.names(in: folder.path + "/none") == nil)
    try #require(close(creat(folder.path + "/file", 0o600)) == 0)
    #expect(FolderListing.names(in: folder.path + "/file") == nil)
    #expect(FolderListing.names(in: folder.path)?.sorted() == ["file"])
  }
}
