public import Descant
public import Foundation
public import PlayerApp

/// The inputs and options of reading aloud.
public struct ReadRequest: Sendable {
    /// The book.
    public var book: Book
    /// Where the book is; `nil` for standard input.
    public var source: URL?
    /// Where to begin, in UTF-8 bytes of the text.
    public var start = 0
    /// The engine; `nil` for the first synthesizer there is.
    public var engine: String?
    /// How it is spoken.
    public var settings: SpeechSettings
    /// The volume, 0…1.
    public var volume = 1.0
    /// Where it is heard; a destination that plays in real time.
    public var output: OutputDestination
    /// Whether the desktop's media controls reach the reader.
    public var isRemoteControlled = true
    /// Where the reader appears in the desktop's media controls; `nil` for a place of its own.
    var remote: (any RemoteControlPort)?
    /// Where the place is kept; `nil` to forget it.
    public var positions: ReadingPositions?
    /// The voice that was taken from the stored position. It may have been removed since.
    private(set) var keptVoice: String?

    /// Creates a request that begins at the beginning.
    ///
    /// - Parameters:
    ///   - book: The book.
    ///   - source: Where the book is.
    ///   - settings: How it is spoken.
    ///   - output: Where it is heard.
    public init(book: Book, source: URL?, settings: SpeechSettings, output: OutputDestination) {
        self.book = book
        self.source = source
        self.settings = settings
        self.output = output
    }

    /// Continues a book at the sentence of the stored position, with its engine, voice, speed and volume. A book that was
    /// read to its end starts at the beginning.
    ///
    /// - Parameters:
    ///   - kept: Where it was left.
    ///   - engines: The available synthesizers; the stored one is ignored if it is not available.
    public mutating func resume(_ kept: ReadingPosition, engines: [String]) {
        let place = kept.place(in: book)
        start = book.sentenceIndex(at: place).map { book.sentences[$0].lowerBound } ?? 0
        settings.rate = min(SpeechSettings.rateRange.upperBound, max(SpeechSettings.rateRange.lowerBound, kept.rate))
        if let volume = kept.volume { self.volume = min(1, max(0, volume)) }
        guard let before = kept.engine, engines.contains(before), engine == nil || engine == before else { return }
        engine = before
        guard settings.voice == nil else { return }
        settings.voice = kept.voice
        keptVoice = kept.voice
    }
}
