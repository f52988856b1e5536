public import Foundation

/// Opens books to be read aloud. The integration layer implements it; tests on a fake.
public protocol BookOpening: Sendable {
    /// Reads a book and prepares a reader at the place where the book was left. Nothing is heard before
    /// ``ReaderControlling/start()``.
    ///
    /// - Parameter urls: Files; several make one book.
    /// - Throws: An error that names the file and the reason; also when there is no synthesizer.
    func open(_ urls: [URL]) async throws -> OpenedBook
}

/// A book that was opened, and its reader.
public struct OpenedBook: Sendable {
    /// The book.
    public let book: Book
    /// The reader, which has not begun.
    public let reader: any ReaderControlling
    /// Where it will begin, in UTF-8 bytes of the text.
    public let place: Int
    /// The speed; 1 is normal.
    public let rate: Double
    /// Messages about the files and the place.
    public let notices: [Notice]

    /// Creates an opened book.
    ///
    /// - Parameters:
    ///   - book: The book.
    ///   - reader: Its reader.
    ///   - place: Where the reader will begin.
    ///   - rate: The speed.
    ///   - notices: Messages about the files and the place.
    public init(
        book: Book, reader: any ReaderControlling, place: Int = 0, rate: Double = 1, notices: [Notice] = []
    ) {
        self.book = book
        self.reader = reader
        self.place = place
        self.rate = rate
        self.notices = notices
    }
}

/// Which files are books rather than music.
public enum BookFile {
    /// The extensions of the files that are read as books, in lower case.
    public static let endings: Set<String> = [
        "txt", "text", "md", "markdown", "html", "htm", "xhtml", "epub",
    ]

    /// Whether a file is a book by its name. Addresses of other computers and folders are music.
    ///
    /// - Parameter url: The file.
    public static func isBook(_ url: URL) -> Bool {
        url.isFileURL && endings.contains(url.pathExtension.lowercased())
    }

    /// The books among files that are opened at once. A text beside sound files, such as the notes of an album, belongs to the music.
    ///
    /// - Parameter urls: What is opened.
    static func books(among urls: [URL]) -> [URL] {
        let books = urls.filter(isBook)
        let hasSound = urls.contains { $0.isFileURL && SoundFile.endings.contains($0.pathExtension.lowercased()) }
        return hasSound ? books.filter { $0.pathExtension.lowercased() == "epub" } : books
    }
}
