import Testing
import VarlinkGenerator

@testable import nightjar_generate

/// Text that manual pages share is written on one of them, and copied to the others.
@Suite struct SharedTextTests {
  private static let page = """
    .Sh OPTIONS
    .\\" Shared: data
    .It Fl -data
    Data.
    .\\" End
    .\\" Shared: ring
    .It Fl -sound
    .\\" End
    .Sh NOTES

    """

  @Test func `Each copy is replaced by the source page's text; the rest stays`() throws {
    let copy = """
      .Sh OTHER
      .\\" Shared: ring
      .\\" End
      .It Fl -own
      .\\" Shared: data
      .It Fl -date
      .\\" End
      .Sh SEE ALSO

      """
    let expected = """
      .Sh OTHER
      .\\" Shared: ring
      .It Fl -sound
      .\\" End
      .It Fl -own
      .\\" Shared: data
      .It Fl -data
      Data.
      .\\" End
      .Sh SEE ALSO

      """
    #expect(try SharedText(of: Self.page).copied(to: copy) == expected)
    #expect(try SharedText(of: Self.page).copied(to: expected) == expected)
  }

  @Test(arguments: [
    (".Sh OTHER\n", "the page has no line '.\\\" Shared: NAME'"),
    (".\\\" Shared: dato\n.\\\" End\n", "there is no shared text 'dato'"),
  ])
  func `A page without copies, or with a copy of nothing, is refused`(
    page: String, sentence: String
  ) {
    let error = #expect(throws: GeneratorError.self) {
      try SharedText(of: Self.page).copied(to: page)
    }
    #expect(error?.description == sentence)
  }
}
