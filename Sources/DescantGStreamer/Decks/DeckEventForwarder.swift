internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// Forwards changes of an open deck: tags, length, a network buffer that fills.
final class DeckEventForwarder: Sendable {
    private weak let deck: PlaybinDeck?
    private let resolved: ResolvedSource
    private let shape: PlaybinPipeline.SourceShape
    private let onEvent: @Sendable (DeckEvent) -> Void
    private let lastTrack: Mutex<TrackInfo>
    /// The percentage reported last while the listener waits; `nil` otherwise.
    private let lastPercent = Mutex<Int?>(nil)

    private init(
        deck: PlaybinDeck, resolved: ResolvedSource, shape: PlaybinPipeline.SourceShape, track: TrackInfo,
        onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) {
        self.deck = deck
        self.resolved = resolved
        self.shape = shape
        self.onEvent = onEvent
        lastTrack = Mutex(track)
    }

    /// Reports to `onEvent` from now on, for as long as the deck is open.
    static func attach(
        to deck: PlaybinDeck, resolved: ResolvedSource, shape: PlaybinPipeline.SourceShape, first: TrackDescription,
        onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) {
        let forwarder = DeckEventForwarder(
            deck: deck, resolved: resolved, shape: shape, track: first.track, onEvent: onEvent)
        deck.pipeline.monitor.observe { event, _ in forwarder.receive(event) }
        // Tags that have arrived since the first description were reported to nobody.
        forwarder.receive(.tagsChanged)
    }

    private func receive(_ event: PlaybinMonitor.Event) {
        switch event {
        case .tagsChanged, .durationChanged: deck?.pipeline.queue.async { [self] in review() }
        case .buffering(let percent): reportBuffering(percent)
        case .sample, .endOfStream, .prerolled, .failed: break
        }
    }

    /// Reports a buffer only while the listener waits for it, and only when it has grown.
    private func reportBuffering(_ percent: Int) {
        // Each attempt to connect again fills it with the beginning of the source, which is not played.
        let percent = deck?.isReconnecting == true ? 0 : percent
        let isWaiting = deck?.isRefilling == true && percent < 100
        let isNew = lastPercent.withLock { last in
            defer { last = isWaiting ? max(percent, last ?? 0) : nil }
            return isWaiting ? percent > last ?? -1 : last != nil
        }
        if isNew { onEvent(.buffering(percent: isWaiting ? percent : 100)) }
    }

    private func review() {
        guard let deck else { return }
        let description = TrackDescription(resolved: resolved, pipeline: deck.pipeline, shape: shape)
        if let frames = description.length.frames { deck.updateLength(frames: frames) }
        let isNew = lastTrack.withLock { last in
            defer { last = description.track }
            return last != description.track
        }
        if isNew { onEvent(.trackInfoChanged(description.track)) }
    }
}
