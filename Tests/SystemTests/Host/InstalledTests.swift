import Foundation
import NightjarTestSupport
import Testing

/// The result of `make install` by itself.
@Suite(.blocking, .enabled(if: Host.isWanted)) struct InstalledTests {
  @Test(arguments: ["nightjar", "nightjar-rehearse", "nightjard", "nightjar-mqtt"])
  func `The programs contain the Swift runtime, so that no machine needs one`(program: String)
    throws
  {
    let path = "\(try Host.installed())/usr/local/bin/\(program)"
    let binary = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    #expect(binary.range(of: Data("libc.so.6\0".utf8)) != nil, "the search finds what is there")
    #expect(binary.range(of: Data("libswiftCore.so\0".utf8)) == nil)
  }
}
