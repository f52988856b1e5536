public import Descant
public import Foundation
public import PlayerApp

/// Opens books for an app: reads their files, finds the place where each was left, and makes its reader.
public struct BookShelf: BookOpening {
    private let environment: AudioEnvironment
    private let output: OutputDestination
    private let positions: ReadingPositions
    private let player: @Sendable () -> DescantPlayer?

    /// Creates a shelf.
    ///
    /// - Parameters:
    ///   - environment: Which synthesizers there are.
    ///   - output: Where books are heard.
    ///   - positions: Where the place in each book is kept.
    ///   - player: The music player whose entry in the desktop's media controls a reader shares; returns `nil` for a reader that is not shown
    ///     there.
    public init(
        environment: AudioEnvironment, output: OutputDestination, positions: ReadingPositions,
        player: @escaping @Sendable () -> DescantPlayer?
    ) {
        self.environment = environment
        self.output = output
        self.positions = positions
        self.player = player
    }

    /// How long a book may take to be read and understood, in seconds.
    private static let patience = 120.0

    /// Reads a book, on a thread that nothing waits for, and gives up a disk that hangs.
    ///
    /// - Parameter urls: Files; several make one book.
    /// - Throws: ``InputError`` naming the file, or that there is no synthesizer.
    @concurrent public func open(_ urls: [URL]) async throws -> OpenedBook {
        let paths = urls.map(\.path)
        let loaded = try await InputExpander.inTime(paths.first ?? "", patience: Self.patience) { _ in
            try BookLoader(paths)
        }
        var notices = loaded.notices.map { Notice(.warning, $0) }
        var request = ReadRequest(
            book: loaded.book, source: loaded.source, settings: SpeechSettings(), output: output)
        request.positions = positions
        request.remote = player()?.makeReaderRemote()
        request.isRemoteControlled = request.remote != nil
        let (kept, problem) = positions.position(of: loaded.book, source: loaded.source)
        if let problem { notices.append(Notice(.warning, problem)) }
        if let kept {
            request.resume(
                kept, engines: environment.plugins.providers(of: .speech).map(\.provision.identifier))
        }
        return OpenedBook(
            book: loaded.book, reader: try ReaderPlayback(request, environment: environment), place: request.start,
            rate: request.settings.rate, notices: notices)
    }
}
