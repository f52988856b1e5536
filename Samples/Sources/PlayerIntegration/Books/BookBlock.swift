/// A paragraph of a book before it is put together.
struct BookBlock: Sendable, Hashable {
    /// Its text; line breaks are kept, other white space is not counted.
    var text: String
    /// Whether it is a heading.
    var isHeading = false
    /// The title of the chapter that begins here.
    var chapter: String?
}
