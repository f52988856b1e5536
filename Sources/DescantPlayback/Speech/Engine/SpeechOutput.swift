internal import DescantCore

/// The layer that speaks, the stream on it, and the streams of earlier jumps that still sound.
struct SpeechOutput {
    /// The layer of the mixer; `nil` until there is one.
    var layer: LayerID?
    private(set) var stream: SpeechStream?
    private(set) var deck: DeckID?
    /// Every stream that can be heard: after a jump the old one sounds until the new one is there.
    private var streams: [DeckID: SpeechStream] = [:]
    /// Whether the deck is not on the layer yet, because speech was paused before it began.
    private(set) var isPrimed = false
    /// Whether a deck is being put on the layer.
    private(set) var isStarting = false
    /// Whether the deck was taken from the layer while it was being put there.
    var wasReplaced = false
    /// Whether the deck has begun to be heard.
    var hasSounded = false
    /// Whether the deck has nothing to play at the moment.
    var isStarved = false
    /// Reads the mixer's events.
    var listener: Task<Void, Never>?
    /// Whether the engine was shut down.
    var isShutDown = false

    /// The deck that was never put on the layer, if there is one.
    var unplayedDeck: DeckID? { isPrimed ? deck : nil }

    /// Makes a stream the present one. The deck is not on the layer yet.
    ///
    /// - Returns: An earlier deck that was never put on the layer.
    mutating func adopt(_ new: SpeechStream, on newDeck: DeckID) -> DeckID? {
        let unplayed = unplayedDeck
        stream?.abandon()
        if let unplayed { streams[unplayed] = nil }
        stream = new
        deck = newDeck
        streams[newDeck] = new
        isPrimed = true
        hasSounded = false
        isStarved = false
        return unplayed
    }

    /// Notes that the deck is being put on the layer.
    mutating func startBegan() {
        isPrimed = false
        isStarting = true
        wasReplaced = false
    }

    mutating func startEnded() { isStarting = false }

    /// Ends the stream.
    ///
    /// - Returns: A deck that was never put on the layer.
    mutating func abandon() -> DeckID? {
        let unplayed = unplayedDeck
        stream?.abandon()
        forgetStreams()
        isPrimed = false
        isStarved = false
        return unplayed
    }

    /// Ends the stream from before a jump; its last cues are still reported.
    mutating func abandonOldStream() {
        stream?.abandon()
        stream = nil
        deck = nil
    }

    /// Forgets every stream.
    mutating func forgetStreams() {
        stream = nil
        deck = nil
        streams = [:]
    }

    /// Forgets the stream of a deck that has ended.
    mutating func ended(_ deck: DeckID) { streams[deck] = nil }

    /// The meaning of a deck's cues up to a number, each once.
    func takeCues(of deck: DeckID, through number: UInt64) -> [SpeechCue] {
        streams[deck]?.takeSpeechCues(through: number) ?? []
    }
}
