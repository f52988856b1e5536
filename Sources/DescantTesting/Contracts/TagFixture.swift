public import DescantCore
public import Foundation

/// A file of known tags for ``TagReaderContract``.
public struct TagFixture: Sendable {
    /// The file.
    public var url: URL
    /// What it holds; ``TagBundle/technical`` is compared where it is not `nil`.
    public var tags: TagBundle

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - tags: What it holds.
    public init(url: URL, tags: TagBundle) {
        self.url = url
        self.tags = tags
    }
}
