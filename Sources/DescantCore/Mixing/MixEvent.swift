public import Foundation

/// Something that happened in the mix.
///
/// Frames count on the output's timeline from the engine's creation; an event is
/// delivered when its frame is heard, or rendered when the engine is offline.
public struct MixEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A deck became the layer's present one and its first frame sounded.
        case deckStarted(DeckID)
        /// A deck will not sound on this layer any more: it ended, was replaced or stopped.
        case deckEnded(DeckID, DeckEnd)
        /// Two decks begin to overlap for a number of frames.
        case crossfadeStarted(from: DeckID, to: DeckID, frames: Int64)
        /// The overlap is over.
        case crossfadeEnded(to: DeckID)
        /// A deck followed another without a gap.
        case joined(from: DeckID, to: DeckID)
        /// The layer froze; the position is that of the last frame before the ramp.
        case paused(position: TimeInterval)
        /// The layer goes on.
        case resumed
        /// The layer's deck now sounds from another position.
        case didSeek(DeckID, position: TimeInterval)
        /// A pass of a loop ended; the number of passes played so far.
        case loopPassEnded(DeckID, passes: Int)
        /// The layer begins to stop as it was planned and fades out over a number of frames.
        case plannedStopBegan(frames: Int64)
        /// The layer has nothing to play any more.
        case idle
        /// A cue of a deck's ``PCMSource`` sounds at this frame.
        case cue(DeckID, number: UInt64)
        /// The layer's deck has nothing to give: silence is played from this frame on.
        case starved(DeckID)
        /// Data came too late and is there again: this many frames of silence were played instead.
        case underrun(frames: Int64)
        /// A network source fills its buffer, 0…100; playing goes on at 100.
        case buffering(DeckID, percent: Int)
        /// Tags or duration became known or changed.
        case trackInfoChanged(DeckID, TrackInfo)
        /// The device or server went away; every layer is frozen where the listener stopped hearing it.
        case outputLost(reason: String)
        /// Sound comes out again, from where it was lost.
        case outputRestored
        /// Sound now goes to another device.
        case outputChanged(device: String)
        /// A call into a plugin has exceeded its time limit and is still running.
        case pluginOverdue(plugin: String, operation: String, seconds: Double)
    }

    /// Why a deck ended.
    public enum DeckEnd: Sendable, Hashable {
        /// Every frame was rendered.
        case finished
        /// The source ended before its announced length, at this position in seconds.
        case truncated(at: TimeInterval, error: CoreError)
        /// Reading failed at this position in seconds.
        case failed(at: TimeInterval, error: CoreError)
        /// Another deck took its place, or the layer was stopped.
        case replaced
    }

    /// The output frame at which it happened.
    public var frame: Int64
    /// The layer it happened on; `nil` for the output as a whole.
    public var layer: LayerID?
    /// What happened.
    public var kind: Kind

    /// Creates an event; engines do this.
    ///
    /// - Parameters:
    ///   - frame: The output frame at which it happened.
    ///   - layer: The layer it happened on.
    ///   - kind: What happened.
    public init(frame: Int64, layer: LayerID?, kind: Kind) {
        self.frame = frame
        self.layer = layer
        self.kind = kind
    }
}
