internal import DescantCore
internal import DescantMixing

/// Opens the links of a chained Ogg file.
struct ChainOpening: Sendable {
    private let bytes: ChainBytes
    private let links: [ExactLength.Link]
    /// The channels of the deck; `nil` for those of the first link.
    private let channels: Int?

    init(_ bytes: ChainBytes, _ links: [ExactLength.Link], channels: Int?) {
        self.bytes = bytes
        self.links = links
        self.channels = channels
    }

    /// The opening of one link, which was not begun.
    ///
    /// - Parameters:
    ///   - index: The number of the link, from 0 on.
    ///   - format: The format of the chain; `nil` for the first link, which determines it.
    func open(_ index: Int, as format: PCMFormat?) -> PipelineOpening {
        PipelineOpening(
            bytes.part(links[index].bytes), access: { NetworkAccess() }, channels: channels,
            link: PipelineOpening.Link(length: links[index].length, format: format)
        ) { _ in }
    }

    /// Makes the deck of the whole chain.
    ///
    /// - Parameters:
    ///   - first: The result of opening the first link.
    ///   - onEvent: Receives the description of each link that is read after another one.
    func join(
        first: Result<OpenedDeck, any Error>, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) -> Result<OpenedDeck, any Error> {
        first.map { opened in
            guard let deck = opened.deck as? PlaybinDeck else { return opened }
            let format = opened.info.sourceFormat
            let table = ChainTable(links, sampleRate: deck.sampleRate)
            var track = opened.info.track
            track.duration = Double(table.frames) / Double(deck.sampleRate)
            let chain = ChainedDeck(
                deck, track: track, table: table, channels: channels ?? format.channels,
                opener: { open($0, as: format) }, onTrack: { onEvent(.trackInfoChanged($0)) })
            return OpenedDeck(
                deck: chain, name: opened.info.name, sourceFormat: format, track: track,
                decoder: opened.info.decoder, decoderReason: opened.info.decoderReason)
        }
    }
}
