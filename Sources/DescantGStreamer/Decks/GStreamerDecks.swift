package import DescantCore
package import DescantMixing

/// Opens files, streams and encoded bytes as decks on GStreamer.
package struct GStreamerDecks: DeckProvider {
    /// The longest that opening a local source may take, in seconds.
    package static let localTimeLimit = 10.0
    /// The longest that opening a network source may take, in seconds.
    package static let networkTimeLimit = 7.0

    private let access: @Sendable () -> NetworkAccess

    /// Creates a provider; any number can exist.
    ///
    /// - Parameter access: What is sent to servers, asked for at every opening.
    package init(access: @escaping @Sendable () -> NetworkAccess = { NetworkAccess() }) { self.access = access }

    /// Opens a source and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source and, where there is one, the remedy; `CancellationError`.
    package func open(
        _ source: AudioSource, mix: PCMFormat, news: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        guard (1...8).contains(mix.channels) else {
            throw CoreError.invalidArgument("\(mix.channels) channels; 1 to 8 are possible")
        }
        return try await DeckOpening(source, access: access, channels: mix.channels, news: news).run()
    }
}
