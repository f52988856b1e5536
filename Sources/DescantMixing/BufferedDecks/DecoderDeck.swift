internal import DescantCore
internal import Dispatch
internal import Foundation

/// Opens streams of a plugin's decoder as decks.
struct DecoderDeck: Sendable {
    let choice: DecoderChoice
    let converters: any SampleConverterFactory
    let tempo: any TempoChangerFactory
    let limits: CallLimits

    /// Opens a URL and waits for its first frame.
    ///
    /// - Throws: `CoreError` naming the source; `CancellationError`.
    func open(_ url: URL, channels: Int, news: @escaping @Sendable (DeckNews) -> Void) async throws -> OpenedDeck {
        let name = AudioSource.url(url).name
        let call = OpenCall<OpenedDeck>()
        let queue = DispatchQueue(label: "descant.deck.decoder", qos: .userInitiated)
        let (limits, plugin, identifier) = (limits, choice.plugin, choice.identifier)
        return try await call.run(limit: limits.open) {
            news(.overdue(plugin: plugin, operation: "open", seconds: limits.open))
            return CoreError.ioError("\(name): the decoder \(identifier) did not open it within \(limits.open) s")
        } start: {
            queue.async {
                do {
                    let opened = try openNow(url, name: name, channels: channels, queue: queue, news: news)
                    if !call.resolve(.success(opened)) { opened.deck.close() }
                } catch {
                    _ = call.resolve(.failure(error))
                }
            }
        }
    }

    /// On the queue, which the deck then takes over.
    private func openNow(
        _ url: URL, name: String, channels: Int, queue: DispatchQueue, news: @escaping @Sendable (DeckNews) -> Void
    ) throws -> OpenedDeck {
        let decoder = try choice.make()
        let handle = try decoder.open(url: url)
        do {
            let info = try decoder.info(handle)
            try info.validate()
            let reader = DecoderReader(decoder, handle: handle, info: info)
            let length = StreamLength(info)
            let deck = try BufferedDeck(
                reader, name: name, plugin: choice.plugin, channels: channels, length: length, converters: converters,
                tempo: tempo, limits: limits, queue: queue, news: news)
            let track = TrackInfo(
                title: url.deletingPathExtension().lastPathComponent,
                duration: info.duration.isFinite ? info.duration : 0,
                format: AudioFormat(
                    sampleRate: info.sampleRate, channelCount: info.channels,
                    bitDepth: info.bitDepth < 32 ? info.bitDepth : nil))
            return OpenedDeck(
                deck: deck, name: name, sourceFormat: reader.format, track: track, decoder: choice.identifier,
                decoderReason: choice.reason)
        } catch {
            decoder.close(handle)
            throw error
        }
    }
}
