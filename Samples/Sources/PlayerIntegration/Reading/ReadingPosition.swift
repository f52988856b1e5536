public import Foundation
public import PlayerApp

/// How far a book was read, as it is kept between runs.
public struct ReadingPosition: Sendable, Hashable, Codable {
    /// The hash that identifies the text.
    public var identity: String
    /// The path of the book; a changed book is found by it.
    public var path: String?
    /// The book's title, for people who read the file.
    public var title: String
    /// The place, in UTF-8 bytes of the text.
    public var offset: Int
    /// The length of the text, in UTF-8 bytes.
    public var length: Int
    /// The text before the place.
    public var before: String
    /// The text after the place.
    public var after: String
    /// The engine that read; `nil` when unknown.
    public var engine: String?
    /// The engine's voice; `nil` for its own choice.
    public var voice: String?
    /// The speed.
    public var rate: Double
    /// The volume, 0…1; earlier versions stored none.
    public var volume: Double?
    /// When it was stored.
    public var date: Date

    /// The length of the text stored before and after a place, in characters.
    private static let context = 80

    /// Describes a place in a book.
    ///
    /// - Parameters:
    ///   - offset: The place, in UTF-8 bytes.
    ///   - book: The book.
    ///   - identity: The value of ``identity(of:)`` for the book.
    ///   - source: Where the book is.
    ///   - engine: The identifier of the engine.
    ///   - voice: The engine's voice.
    ///   - rate: The speed.
    ///   - volume: The volume, 0…1.
    ///   - date: Now.
    public init(
        offset: Int, in book: Book, identity: String, source: URL?, engine: String? = nil, voice: String? = nil,
        rate: Double = 1, volume: Double? = nil, date: Date = Date()
    ) {
        self.identity = identity
        path = source?.path
        title = book.title
        self.offset = offset
        length = book.length
        before = String(book.string(max(0, offset - 4 * Self.context)..<max(0, offset)).suffix(Self.context))
        after = String(
            book.string(offset..<max(offset, min(book.length, offset + 4 * Self.context))).prefix(Self.context))
        self.engine = engine
        self.voice = voice
        self.rate = rate
        self.volume = volume
        self.date = date
    }

    /// A hash of the text that does not depend on the file's path or encoding: FNV-1a of 64 bits over the text, and its
    /// length.
    ///
    /// - Parameter book: The book.
    public static func identity(of book: Book) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in book.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "-\(book.length)"
    }

    /// The place in a book that may have changed since: the occurrence of the stored text that is nearest to the old place.
    ///
    /// - Parameter book: The book.
    public func place(in book: Book) -> Int {
        if identity == Self.identity(of: book) { return min(max(0, offset), book.length) }
        // Shorter pieces are found in spite of changes near the place.
        return words(of: [Self.context, Self.context / 2, Self.context / 4], in: book) ?? scaled(to: book)
    }

    /// Whether a book is a later version of the same text: whether it contains enough of the stored text around the place.
    ///
    /// - Parameter book: The book.
    public func isFound(in book: Book) -> Bool {
        identity == Self.identity(of: book) || words(of: [Self.context, Self.context / 2], in: book) != nil
    }

    /// The place at the same fraction of the book's length.
    private func scaled(to book: Book) -> Int {
        guard length > 0 else { return 0 }
        return Int(min(1, max(0, Double(offset) / Double(length))) * Double(book.length))
    }

    /// Finds the stored text in a book, in pieces of a number of characters.
    private func words(of sizes: [Int], in book: Book) -> Int? {
        let near = scaled(to: book)
        for size in sizes {
            for piece in pieces(of: size) {
                guard let found = Self.nearest(piece.text, in: book, to: near + piece.distance) else { continue }
                return min(max(0, found - piece.distance), book.length)
            }
        }
        return nil
    }

    /// The stored text in pieces of a number of characters, the nearest to the place first, with their distance in bytes.
    private func pieces(of size: Int) -> [(text: String, distance: Int)] {
        var pieces: [(text: String, distance: Int)] = []
        for start in stride(from: 0, to: Self.context, by: size) {
            let behind = after.dropFirst(start).prefix(size)
            if behind.count > size / 2 { pieces.append((String(behind), after.prefix(start).utf8.count)) }
            let front = before.dropLast(start).suffix(size)
            if front.count > size / 2 {
                pieces.append((String(front), -before.suffix(start).utf8.count - front.utf8.count))
            }
        }
        return pieces
    }

    private static func nearest(_ piece: String, in book: Book, to wanted: Int) -> Int? {
        let (text, piece) = (Array(book.text.utf8), Array(piece.utf8))
        guard let first = piece.first, piece.count <= text.count else { return nil }
        var best: Int?
        for place in 0...text.count - piece.count where text[place] == first {
            guard text[place..<place + piece.count].elementsEqual(piece) else { continue }
            if let best, abs(best - wanted) <= abs(place - wanted) { break }
            best = place
        }
        return best
    }
}
