public import Foundation

/// The media library as the application sees it. The integration layer implements it; tests use a fake.
///
/// Methods may be called from any thread, and may take as long as a disk does.
public protocol LibraryBrowsing: Sendable {
    /// News of the library, for one reader.
    var news: AsyncStream<LibraryNews> { get }

    /// The artists, by name.
    ///
    /// - Parameter genre: A genre of which they have tracks; `nil` for all artists.
    /// - Throws: An error with its reason; also when there is no library.
    func artists(in genre: String?) async throws -> [LibraryItem]

    /// The genres, by name.
    ///
    /// - Throws: An error with its reason.
    func genres() async throws -> [LibraryItem]

    /// The albums of an artist.
    ///
    /// - Parameters:
    ///   - artist: The name; empty for files without an artist.
    ///   - genre: A genre of which they have tracks; `nil` for all albums.
    /// - Throws: An error with its reason.
    func albums(by artist: String, in genre: String?) async throws -> [LibraryItem]

    /// Tracks in the order of their albums.
    ///
    /// - Parameters:
    ///   - artist: Whose tracks.
    ///   - album: Which album; `nil` for all.
    ///   - genre: Which genre; `nil` for all.
    /// - Throws: An error with its reason.
    func tracks(by artist: String, on album: String?, in genre: String?) async throws -> [LibraryItem]

    /// The tracks of a genre.
    ///
    /// - Parameter genre: The genre.
    /// - Throws: An error with its reason.
    func tracks(in genre: String) async throws -> [LibraryItem]

    /// The first tracks in an order other than that of albums.
    ///
    /// - Parameter order: The order.
    /// - Throws: An error with its reason.
    func tracks(ordered order: LibraryOrder) async throws -> [LibraryItem]

    /// Tracks that contain the beginnings of words: ``LibraryState/foundLimit`` of them at most, and one more when there are others.
    ///
    /// - Parameter text: The words.
    /// - Throws: An error with its reason.
    func tracks(containing text: String) async throws -> [LibraryItem]

    /// Counts that a file was played. Files that the library does not have are ignored.
    ///
    /// - Parameter url: The file.
    func notePlayed(_ url: URL) async

    /// Adds a folder, whose files are then read; the news tell how far that has come.
    ///
    /// - Parameter path: A path as a person types it; it may begin with `~`.
    /// - Returns: The folder as it is shown.
    /// - Throws: An error with its reason, such as that there is no such folder.
    func addFolder(_ path: String) async throws -> String

    /// The folders of the library, by path, with the number of their tracks and what is wrong with them.
    ///
    /// - Throws: An error with its reason.
    func folders() async throws -> [LibraryItem]

    /// Takes a folder with its tracks and their play counts out of the library; its files stay.
    ///
    /// - Parameter path: The folder.
    /// - Returns: The folder as it is shown.
    /// - Throws: An error with its reason.
    func removeFolder(_ path: String) async throws -> String
}

/// An order of the library's tracks.
public enum LibraryOrder: String, Sendable {
    /// The most played first, without those that were never played.
    case mostPlayed
    /// The last found first.
    case newest
}

/// News of a library.
public enum LibraryNews: Sendable, Equatable {
    /// Files have come, changed or gone.
    case changed
    /// Folders are being read; `nil` when that has ended.
    case scan(LibraryScan?)
    /// Something is wrong with a folder or with the library.
    case problem(String)
}

/// How far the library has come with reading its folders.
public struct LibraryScan: Sendable, Equatable {
    /// The folder that is read, as it is shown.
    public var folder: String
    /// The number of files that were found or, with a total, read.
    public var files: Int
    /// The number of all files; `nil` while they are looked for.
    public var total: Int?

    /// Creates a state of a scan.
    ///
    /// - Parameters:
    ///   - folder: The folder that is read, as it is shown.
    ///   - files: The number of files that were found or, with a total, read.
    ///   - total: The number of all files; `nil` while they are looked for.
    public init(folder: String, files: Int, total: Int? = nil) {
        self.folder = folder
        self.files = files
        self.total = total
    }

    /// One line: `Scanning ~/Music: 400 of 1,234 files…`.
    public var text: String {
        let noun = (total ?? files) == 1 ? "file" : "files"
        return "Scanning \(folder): \(CountText.text(files)) \(total.map { "of \(CountText.text($0)) " } ?? "")\(noun)…"
    }
}

/// Numbers of things as people read them.
enum CountText {
    /// A number of at least 0, with a comma before each three digits: "1,234".
    static func text(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(text(number / 1_000)),\(String(number % 1_000 + 1_000).dropFirst())"
    }
}

/// A line of the library.
public struct LibraryItem: Sendable, Hashable {
    /// What a line stands for.
    public enum Content: Sendable, Hashable {
        /// An artist.
        case artist(String)
        /// A genre.
        case genre(String)
        /// An album of an artist.
        case album(String, by: String)
        /// A file.
        case track(PlaylistEntry)
        /// A folder of the library, by its path.
        case folder(String)
    }

    /// What the line stands for.
    public var content: Content
    /// Its name.
    public var title: String
    /// A number of albums or tracks, or a length.
    public var detail: String
    /// The genre of which an artist or an album is meant; `nil` for all of it.
    var genre: String?

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

    /// Whether the line is a track.
    var isTrack: Bool { if case .track = content { true } else { false } }

    /// What a person is asked before the line is removed from the library.
    public var removalQuestion: String {
        "Remove \(title) from the library, with its play counts? The files stay."
    }
}
