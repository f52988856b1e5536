public import DescantCore

/// A named place in content: a chapter of a book, a heading of an article.
public struct MediaSection: Sendable, Hashable {
    /// What a person sees.
    public var title: String
    /// Where it begins.
    public var start: MediaPosition

    /// Creates a section.
    ///
    /// - Parameters:
    ///   - title: What a person sees.
    ///   - start: Where it begins.
    public init(title: String, start: MediaPosition) {
        self.title = title
        self.start = start
    }
}
