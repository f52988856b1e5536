package import DescantCore
internal import Dispatch

/// Opens PCM of the host as decks.
package struct PCMSourceDeck: Sendable {
    private let converters: any SampleConverterFactory
    private let tempo: any TempoChangerFactory
    private let limits: CallLimits

    /// How long the first frame is waited for, in nanoseconds.
    private static let patience: UInt64 = 5_000_000_000

    package init(
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, limits: CallLimits = CallLimits()
    ) {
        self.converters = converters
        self.tempo = tempo
        self.limits = limits
    }

    /// Opens a source and waits for its first frame; a source that takes longer than 5 s begins in silence.
    ///
    /// - Throws: As ``begin(_:channels:news:)``.
    package func open(
        _ source: any PCMSource, channels: Int, news: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        let opened = try begin(source, channels: channels, news: news)
        let deck = opened.deck
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DedicatedQueue.run("descant.deck.pcm.opening") {
                _ = deck.waitUntilReadable(deadline: MonotonicClock().now() + Self.patience)
                continuation.resume()
            }
        }
        return opened
    }

    /// Begins to read a source.
    ///
    /// - Throws: `CoreError.invalidArgument` for an impossible format, `CoreError.unsupported` when its channels cannot be
    ///   brought to those of the mix.
    private func begin(
        _ source: any PCMSource, channels: Int, news: @escaping @Sendable (DeckEvent) -> Void
    ) throws -> OpenedDeck {
        let format = source.format
        let rates = PCMFormat.supportedSampleRates
        guard rates.contains(format.sampleRate), (1...8).contains(format.channels) else {
            throw CoreError.invalidArgument(
                "\(source.name): \(format.channels) channels at \(format.sampleRate) Hz; 1 to 8 channels at \(rates.lowerBound) to \(rates.upperBound) Hz are possible"
            )
        }
        // A length that no source can have is none.
        let frames = source.frameCount.flatMap(FrameCount.init(exactly:)).flatMap { $0.value < 0 ? nil : $0.value }
        let deck = try BufferedDeck(
            PCMSourceReader(source), name: source.name, plugin: source.name, channels: channels,
            length: StreamLength(frames: frames, isExact: frames != nil), converters: converters, tempo: tempo,
            limits: limits, queue: DispatchQueue(label: "descant.deck.pcm", qos: .userInitiated), news: news)
        let track = TrackInfo(
            title: source.name, duration: frames.map(format.seconds(of:)) ?? 0,
            format: AudioFormat(sampleRate: Double(format.sampleRate), channelCount: format.channels, codec: "PCM"))
        return OpenedDeck(
            deck: deck, name: source.name, sourceFormat: format, track: track, decoder: "pcm",
            decoderReason: "PCM of the host needs no decoder")
    }
}
