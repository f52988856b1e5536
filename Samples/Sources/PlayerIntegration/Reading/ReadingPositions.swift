public import Foundation
public import PlayerApp

/// Stores reading positions, one small JSON file per book, below `$XDG_STATE_HOME/descant/reading`.
///
/// A file is replaced as a whole, so that a crash leaves the old place or the new one. A book is found by its text, wherever it
/// was moved to, and a book whose text has changed by its path.
public struct ReadingPositions: Sendable {
    /// The folder; it need not exist.
    public let folder: URL

    /// The maximum number of files that are searched for a book that has changed.
    private static let searchLimit = 2_000

    /// Keeps positions in a folder of the host's choice.
    ///
    /// - Parameter folder: The folder.
    public init(folder: URL) { self.folder = folder }

    /// Stores positions in the desktop's folder for program state: below `$XDG_STATE_HOME`, or `~/.local/state`.
    ///
    /// - Parameter environment: The variables of the process.
    public init(environment: [String: String]) {
        folder = DesktopFolder.state.url(environment).appendingPathComponent("descant/reading")
    }

    /// How far a book was read.
    ///
    /// - Parameters:
    ///   - book: The book.
    ///   - source: Where it is.
    /// - Returns: The position, `nil` when there is none, and a message when a file is damaged or cannot be read.
    public func position(of book: Book, source: URL?) -> (position: ReadingPosition?, problem: String?) {
        let file = file(for: ReadingPosition.identity(of: book))
        if FileManager.default.fileExists(atPath: file.path) {
            if let position = Self.read(file) { return (position, nil) }
            return (nil, "\(file.path) is damaged and ignored; the book begins at its beginning")
        }
        guard let source else { return (nil, nil) }
        return (newest(at: source.path), nil)
    }

    /// Keeps a position and removes that of an earlier text of the same file.
    ///
    /// - Parameter position: The position.
    /// - Throws: ``InputError`` naming the file, when it cannot be written.
    public func save(_ position: ReadingPosition) throws {
        let file = file(for: position.identity)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(position).write(to: file, options: .atomic)
        } catch {
            throw InputError(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Removes the positions of earlier versions of a file; the position of another book at the same path is kept.
    ///
    /// - Parameters:
    ///   - position: The position to keep.
    ///   - book: The file's text.
    public func forgetOthers(than position: ReadingPosition, in book: Book) {
        guard let path = position.path else { return }
        for other in all where other.path == path && other.identity != position.identity && other.isFound(in: book) {
            // A file that cannot be removed stays, and is older than the files that are kept.
            try? FileManager.default.removeItem(at: file(for: other.identity))
        }
    }

    private func file(for identity: String) -> URL { folder.appendingPathComponent(identity + ".json") }

    private func newest(at path: String) -> ReadingPosition? {
        all.filter { $0.path == path }.max { $0.date < $1.date }
    }

    private var all: [ReadingPosition] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.prefix(Self.searchLimit)
            .compactMap { Self.read(folder.appendingPathComponent($0)) }
    }

    private static func read(_ file: URL) -> ReadingPosition? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let data = try? Data(contentsOf: file),
            let position = try? decoder.decode(ReadingPosition.self, from: data), position.offset >= 0,
            position.offset <= position.length, position.rate.isFinite
        else { return nil }
        return position
    }
}
