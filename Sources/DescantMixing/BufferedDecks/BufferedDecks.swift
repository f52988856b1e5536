package import DescantCore
internal import Dispatch
internal import Foundation

/// Opens PCM of the host and files of plugins' decoders as decks that are filled ahead of time.
package struct BufferedDecks: Sendable {
    private let converters: any SampleConverterFactory
    private let tempo: any TempoChangerFactory
    private let limits: CallLimits

    /// How long opening waits for the first frame, in nanoseconds.
    private static let firstFrameLimit: UInt64 = 5_000_000_000

    /// - Parameters:
    ///   - converters: Convert the source's channels to those of the mix.
    ///   - tempo: Change the speed.
    ///   - limits: How long calls into decoders and sources may take.
    package init(
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, limits: CallLimits = CallLimits()
    ) {
        self.converters = converters
        self.tempo = tempo
        self.limits = limits
    }

    // MARK: PCM of the host

    /// Opens a source and waits for its first frame; a source that takes longer than 5 s begins in silence.
    ///
    /// - Throws: `CoreError.invalidArgument` for a format outside the ranges, `CoreError.unsupported` when its channels
    ///   cannot be converted to those of the mix.
    package func open(
        _ source: any PCMSource, channels: Int, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        let format = source.format
        let rates = PCMFormat.supportedSampleRates
        guard rates.contains(format.sampleRate), (1...8).contains(format.channels) else {
            throw CoreError.invalidArgument(
                "\(source.name): \(format.channels) channels at \(format.sampleRate) Hz; 1 to 8 channels at \(rates.lowerBound) to \(rates.upperBound) Hz are possible"
            )
        }
        // A length outside the possible range counts as unknown.
        let frames = source.frameCount.flatMap(FrameCount.init(exactly:)).flatMap { $0.value < 0 ? nil : $0.value }
        let deck = try BufferedDeck(
            PCMSourceReader(source), name: source.name, plugin: source.name, channels: channels,
            length: StreamLength(frames: frames, isExact: frames != nil), converters: converters, tempo: tempo,
            limits: limits, queue: DispatchQueue(label: "descant.deck.pcm", qos: .userInitiated),
            abandon: source is any LivePCMSource ? nil : Self.abandonment(of: source.name), onEvent: onEvent)
        await withCheckedContinuation { continuation in Self.awaitFirstFrame(of: deck) { continuation.resume() } }
        let track = TrackInfo(
            title: source.name, duration: frames.map(format.seconds(of:)) ?? 0,
            format: AudioFormat(sampleRate: Double(format.sampleRate), channelCount: format.channels, codec: "PCM"))
        return OpenedDeck(
            deck: deck, name: source.name, sourceFormat: format, track: track, decoder: "pcm",
            decoderReason: "PCM of the host needs no decoder")
    }

    /// Makes the error of a deck whose source hangs.
    private static func abandonment(of name: String) -> @Sendable (_ operation: String, _ seconds: Double) -> CoreError
    {
        { operation, seconds in
            .ioError("\(name): its \(operation) did not come back within \(seconds.roundedToTenths) s")
        }
    }

    /// Waits for the first frame, or the end, on a queue of its own.
    private static func awaitFirstFrame(of deck: BufferedDeck, then receive: @escaping @Sendable () -> Void) {
        DedicatedQueue.run("descant.deck.first-frame") {
            _ = deck.waitUntilReadable(deadline: MonotonicClock().now() + firstFrameLimit)
            receive()
        }
    }

    // MARK: Decoders of plugins

    /// Opens a URL with a decoder and waits for its first frame; a decoder that takes longer than 5 s begins in silence.
    ///
    /// The decoder runs on a queue of its own. A call that exceeds its limit is reported and the decoder's bundle is
    /// retired; the caller gets an error while the call still runs.
    ///
    /// - Throws: `CoreError` naming the source, also for one without a frame; `CancellationError`.
    func open(
        _ url: URL, with candidate: DecoderCandidate, channels: Int, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) async throws -> OpenedDeck {
        try Task.checkCancellation()
        let name = AudioSource.url(url).name
        let outcome = Promise<Result<OpenedDeck, any Error>>()
        let queue = DispatchQueue(label: "descant.deck.decoder", qos: .userInitiated)
        let watch = CallWatch { operation, seconds in
            candidate.retire(operation: operation, seconds: seconds)
            onEvent(.overdue(plugin: candidate.providerName, operation: operation, seconds: seconds))
            outcome.resolve(.failure(candidate.overdue(name, operation, after: seconds)))
        }
        queue.async {
            do {
                let (deck, opened) = try openBlocking(
                    url, name: name, with: candidate, channels: channels, queue: queue, watch: watch, onEvent: onEvent)
                Self.awaitFirstFrame(of: deck) {
                    let isEmpty = deck.isEmpty
                    let isTaken = outcome.resolve(isEmpty ? .failure(CoreError.withoutSound(name)) : .success(opened))
                    if isEmpty || !isTaken { deck.close() }
                }
            } catch {
                if case .overdue(let plugin, let operation, let seconds)? = error as? PluginError {
                    onEvent(.overdue(plugin: plugin, operation: operation, seconds: seconds))
                }
                outcome.resolve(.failure(error))
            }
        }
        return try await withTaskCancellationHandler {
            try await outcome.value.get()
        } onCancel: {
            outcome.resolve(.failure(CancellationError()))
        }
    }

    /// Runs on the decoder's queue, which then belongs to the deck.
    private func openBlocking(
        _ url: URL, name: String, with candidate: DecoderCandidate, channels: Int, queue: DispatchQueue,
        watch: CallWatch, onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) throws -> (BufferedDeck, OpenedDeck) {
        let decoder = try candidate.makeDecoder()
        let (handle, info) = try watch.during("open", limit: candidate.limits.open) {
            let handle = try decoder.open(url: url)
            do {
                let info = try decoder.info(handle)
                try info.validate()
                return (handle, info)
            } catch {
                decoder.close(handle)
                throw error
            }
        }
        do {
            let length = StreamLength(info)
            let reader = DecoderFrameReader(
                decoder, handle: handle, info: info, length: length, plugin: candidate.providerName,
                unannouncedDuration: limits.unannouncedDuration)
            let deck = try BufferedDeck(
                reader, name: name, plugin: candidate.providerName, channels: channels, length: length,
                converters: converters, tempo: tempo, limits: candidate.limits, queue: queue,
                abandon: { operation, seconds in
                    candidate.retire(operation: operation, seconds: seconds)
                    return candidate.overdue(name, operation, after: seconds)
                }, onEvent: onEvent)
            let track = TrackInfo(
                title: url.deletingPathExtension().lastPathComponent,
                duration: length.frames == nil ? 0 : info.duration,
                format: AudioFormat(
                    sampleRate: info.sampleRate, channelCount: info.channels,
                    bitDepth: info.bitDepth < 32 ? info.bitDepth : nil))
            let opened = OpenedDeck(
                deck: deck, name: name, sourceFormat: reader.format, track: track, decoder: candidate.identifier,
                decoderReason: candidate.summary)
            return (deck, opened)
        } catch {
            decoder.close(handle)
            throw error
        }
    }
}

extension DecoderCandidate {
    fileprivate func overdue(_ name: String, _ operation: String, after seconds: Double) -> CoreError {
        .ioError(
            "\(name): \(identifier) of \(providerName) did not come back from its \(operation) within \(seconds.roundedToTenths) s; it is not asked again until the program is restarted"
        )
    }
}

extension Double {
    fileprivate var roundedToTenths: Double { (self * 10).rounded() / 10 }
}
