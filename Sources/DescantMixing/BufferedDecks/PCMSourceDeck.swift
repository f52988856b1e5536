internal import DescantCore
internal import Dispatch

/// Opens PCM of the host as decks.
struct PCMSourceDeck: Sendable {
    let converters: any SampleConverterFactory
    let tempo: any TempoChangerFactory
    let limits: CallLimits

    /// Begins to read a source.
    ///
    /// - Throws: `CoreError.invalidArgument` for an impossible format, `CoreError.unsupported` when its channels cannot be
    ///   brought to those of the mix.
    func open(_ source: any PCMSource, channels: Int, news: @escaping @Sendable (DeckNews) -> Void) throws -> OpenedDeck
    {
        let format = source.format
        guard format.sampleRate > 0, (1...8).contains(format.channels) else {
            throw CoreError.invalidArgument(
                "\(source.name): \(format.channels) channels at \(format.sampleRate) Hz; 1 to 8 channels are possible")
        }
        let frames = source.frameCount
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
