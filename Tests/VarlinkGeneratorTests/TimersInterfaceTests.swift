import Foundation
import NightjarWire
import Testing
import VarlinkGenerator

@Suite struct TimersInterfaceTests {
  private static let file = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/NightjarInterface/org.nightjar.Timers.varlink")

  @Test func `The interface that clients read is the file, without the line feed at its end`()
    throws
  {
    let file = try Data(contentsOf: Self.file)
    #expect(Data((TimersInterface.description + "\n").utf8) == file)
    #expect(!TimersInterface.description.hasSuffix("\n"))
  }

  @Test func `The file is named after the interface in it`() throws {
    let interface = try Interface(parsing: TimersInterface.description)
    #expect(TimersInterface.name == interface.name)
    #expect(Self.file.lastPathComponent == "\(interface.name).varlink")
  }

  @Test func `The interface of every service is read, too`() throws {
    #expect(try Interface(parsing: ServiceInterface.description).name == ServiceInterface.name)
  }
}
