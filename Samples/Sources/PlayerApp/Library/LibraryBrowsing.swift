public import Foundation

/// The media library as the application sees it. The integration layer implements it; tests use a fake.
///
/// Methods may be called from any thread, and may take as long as a disk does.
public protocol LibraryBrowsing: Sendable {
    /// News of the library, for one reader.
    var news: AsyncStream<LibraryNews> { get }

    /// The artists, by name.
    ///
    /// - Throws: An error with its reason; also when there is no library.
    func artists() async throws -> [LibraryItem]

    /// The albums of an artist.
    ///
    /// - Parameter artist: The name; empty for files without an artist.
    /// - Throws: An error with its reason.
    func albums(by artist: String) async throws -> [LibraryItem]

    /// Tracks in the order of their albums.
    ///
    /// - Parameters:
    ///   - artist: Whose tracks.
    ///   - album: Which album; `nil` for all.
    /// - Throws: An error with its reason.
    func tracks(by artist: String, on album: String?) async throws -> [LibraryItem]

    /// Tracks that contain the beginnings of words.
    ///
    /// - Parameter text: The words.
    /// - Throws: An error with its reason.
    func tracks(containing text: String) async throws -> [LibraryItem]

    /// Counts that a file was played. Files that the library does not have are ignored.
    ///
    /// - Parameter url: The file.
    func notePlayed(_ url: URL) async
}

/// News of a library.
public enum LibraryNews: Sendable, Equatable {
    /// Files have come, changed or gone.
    case changed
    /// Something is wrong with a folder or with the library.
    case problem(String)
}

/// A line of the library.
public struct LibraryItem: Sendable, Hashable {
    /// What a line stands for.
    public enum Content: Sendable, Hashable {
        /// An artist.
        case artist(String)
        /// An album of an artist.
        case album(String, by: String)
        /// A file.
        case track(PlaylistEntry)
    }

    /// What the line stands for.
    public var content: Content
    /// Its name.
    public var title: String
    /// A number of albums or tracks, or a length.
    public var detail: String

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - content: What it stands for.
    ///   - title: Its name.
    ///   - detail: A number or a length.
    public init(_ content: Content, title: String, detail: String) {
        self.content = content
        self.title = title
        self.detail = detail
    }
}
