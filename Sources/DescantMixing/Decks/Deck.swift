package import DescantCore

/// The result of a read from a deck.
package struct DeckRead: Sendable {
    /// Why a read gave fewer frames than asked for.
    package enum Condition: Sendable {
        /// All frames were there.
        case complete
        /// The other frames are not there yet.
        case starved
        /// The stream is over.
        case ended
        /// The stream ended before its announced length; the error names the source and the position.
        case truncated(CoreError)
        /// Reading failed; nothing more will come.
        case failed(CoreError)

        /// Whether nothing more will come.
        package var isFinal: Bool {
            switch self {
            case .complete, .starved: false
            case .ended, .truncated, .failed: true
            }
        }
    }

    /// Frames written.
    package var frames: Int
    /// The source position of the first frame written (of the next one, when none was), in source frames.
    package var position: Int64
    /// Why fewer frames than asked for were written.
    package var condition: Condition
    /// The source's cues within the frames written, in order.
    package var cues: [PCMCue]

    package init(frames: Int, position: Int64, condition: Condition, cues: [PCMCue] = []) {
        self.frames = frames
        self.position = position
        self.condition = condition
        self.cues = cues
    }
}

/// An opened source: PCM at the source's own sample rate, with the channels of the mix.
///
/// `read` is called by one thread at a time, usually the rendering thread, and never blocks. Everything else may be
/// called from any thread, returns at once and works on a queue of the deck's own.
package protocol Deck: AnyObject, Sendable {
    /// Frames per second that `read` delivers, in Hz.
    var sampleRate: Int { get }

    /// Length in source frames; `nil` while unknown.
    var frameCount: Int64? { get }

    /// Whether `frameCount` is exact to the frame. Otherwise a layer keeps the last frames back in memory to place a
    /// crossfade.
    var isFrameCountExact: Bool { get }

    /// Whether `frameCount` is a guess, behind which there may be sound: a seek there is carried out. False unless a deck says so.
    var isFrameCountEstimated: Bool { get }

    /// Whether a seek to the start costs nothing, so that a loop needs no second deck.
    var rewindsInstantly: Bool { get }

    /// The speed that frames read from now on have, relative to the source.
    var rate: Double { get }

    /// Reads the next frames into interleaved memory. Never blocks.
    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead

    /// Blocks until `read` would give at least one frame or a final condition, or until the deadline; for offline
    /// rendering. Returns whether it would.
    ///
    /// - Parameter deadline: Nanoseconds on the monotonic clock.
    func waitUntilReadable(deadline: UInt64) -> Bool

    /// Moves to a source frame; `read` is starved until the seek is complete. The last of several seeks wins.
    func seek(toFrame frame: Int64)

    /// Sets the speed, pitch kept; like a seek to the present position.
    func setRate(_ rate: Double, fromFrame frame: Int64)

    /// Releases everything in the background. The deck may be dropped right after.
    func close()
}

extension Deck {
    package var isFrameCountEstimated: Bool { false }
}

/// An open deck with its description.
package struct OpenedDeck: Sendable {
    package var deck: any Deck
    /// What the mixer tells about the deck. It sets `id`, which is 0 until then, and `frameCount`.
    package var info: DeckInfo

    package init(
        deck: any Deck, name: String, sourceFormat: PCMFormat, track: TrackInfo, decoder: String, decoderReason: String
    ) {
        self.deck = deck
        info = DeckInfo(
            id: DeckID(rawValue: 0), name: name, frameCount: deck.frameCount, sourceFormat: sourceFormat, track: track,
            decoder: decoder, decoderReason: decoderReason)
    }
}

/// An event of an open deck.
///
/// Posted from any thread.
package enum DeckEvent: Sendable {
    case trackInfoChanged(TrackInfo)
    case buffering(percent: Int)
    case overdue(plugin: String, operation: String, seconds: Double)
}

/// Opens sources as decks.
package protocol DeckProvider: Sendable {
    /// Opens a source and waits for its first frame.
    ///
    /// - Parameters:
    ///   - source: What to open.
    ///   - mix: The shape of the mix; the deck delivers its channels.
    ///   - onEvent: Receives later changes, such as new tags; called on any thread, must not block.
    /// - Throws: `CoreError` naming the source.
    func open(_ source: AudioSource, mix: PCMFormat, onEvent: @escaping @Sendable (DeckEvent) -> Void) async throws
        -> OpenedDeck
}
