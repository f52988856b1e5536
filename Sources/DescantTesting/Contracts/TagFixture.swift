public import DescantCore
public import Foundation

/// A file of known tags for ``TagReaderContract``.
public struct TagFixture: Sendable {
    /// The file.
    public var url: URL
    /// The tags of the file; ``TagBundle/technical`` is compared unless it is `nil`.
    public var tags: TagBundle

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - tags: The tags of the file.
    public init(url: URL, tags: TagBundle) {
        self.url = url
        self.tags = tags
    }
}
