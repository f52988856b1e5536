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
    func open(_ url: URL, channels: Int, news: @escaping @Sendable (DeckEvent) -> Void) async throws -> OpenedDeck {
        let name = AudioSource.url(url).name
        let call = OpenCall<OpenedDeck>()
        let queue = DispatchQueue(label: "descant.deck.decoder", qos: .userInitiated)
        let watch = CallWatch { [choice] operation, seconds in
            choice.retire(operation, seconds)
            news(.overdue(plugin: choice.plugin, operation: operation, seconds: seconds))
            _ = call.resolve(.failure(choice.hanging(name, operation, after: seconds)))
        }
        return try await call.run {
            queue.async {
                do {
                    let opened = try openNow(
                        url, name: name, channels: channels, queue: queue, watch: watch, news: news)
                    if !call.resolve(.success(opened)) { opened.deck.close() }
                } catch {
                    if case .overdue(let plugin, let operation, let seconds)? = error as? PluginError {
                        news(.overdue(plugin: plugin, operation: operation, seconds: seconds))
                    }
                    _ = call.resolve(.failure(error))
                }
            }
        }
    }

    /// On the queue, which the deck then takes over.
    private func openNow(
        _ url: URL, name: String, channels: Int, queue: DispatchQueue, watch: CallWatch,
        news: @escaping @Sendable (DeckEvent) -> Void
    ) throws -> OpenedDeck {
        let decoder = try choice.make()
        let (handle, info) = try watch.during("open", limit: limits.open) {
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
            let reader = DecoderReader(
                decoder, handle: handle, info: info, length: length, plugin: choice.plugin,
                unannouncedDuration: limits.unannouncedDuration)
            let deck = try BufferedDeck(
                reader, name: name, plugin: choice.plugin, channels: channels, length: length, converters: converters,
                tempo: tempo, limits: limits, queue: queue, giveUp: giveUp(name), news: news)
            let track = TrackInfo(
                title: url.deletingPathExtension().lastPathComponent,
                duration: length.frames == nil ? 0 : info.duration,
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

    /// What becomes of a call that hangs once the deck is open: the decoder is not asked again, and the deck fails with the error.
    private func giveUp(_ name: String) -> BufferedDeck.GivingUp {
        { [choice] operation, seconds in
            choice.retire(operation, seconds)
            return choice.hanging(name, operation, after: seconds)
        }
    }
}

extension DecoderChoice {
    fileprivate func hanging(_ name: String, _ operation: String, after seconds: Double) -> CoreError {
        let limit = (seconds * 10).rounded() / 10
        return .ioError(
            "\(name): \(identifier) of \(plugin) did not come back from its \(operation) within \(limit) s; it is not asked again until the program is started anew"
        )
    }
}
