public import Foundation

/// A device that an output can play to.
public struct OutputDevice: Sendable, Hashable, Codable {
    /// The name that ``MixingEngine/selectOutput(_:)`` takes.
    public var identifier: String
    /// A name for people.
    public var name: String
    /// Whether the server sends new streams there.
    public var isDefault: Bool

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The name that selects the device.
    ///   - name: A name for people.
    ///   - isDefault: Whether the server sends new streams there.
    public init(identifier: String, name: String, isDefault: Bool) {
        self.identifier = identifier
        self.name = name
        self.isDefault = isDefault
    }
}

/// An engine with decks, layers and transitions on an audio clock: what `AudioPlayerService` needs.
///
/// A *deck* is one opened source. A *layer* is what a listener would call a separate sound; decks are started on
/// layers, follow each other there, and fade into each other sample by sample. All layers are summed into one output.
/// Commands take effect at the next frame that is rendered; offline engines render only inside
/// ``advance(frames:untilIdle:)``, so there a command takes effect exactly at the frame where the last call ended.
///
/// Rules that every engine keeps, checked by the contract suite in `DescantTesting`:
/// - a layer's samples do not depend on what other layers do, unless they duck it;
/// - nothing clicks: where a sound is cut, a ramp of 10 ms lies over the cut;
/// - a paused layer goes on at the very frame where its pause ramp began;
/// - every number is accepted: a time that is negative or not a number counts as 0 and an infinite one as 2^40 frames, except
///   where a method says otherwise. The ramps of ``pause(_:ramp:)``, ``resume(_:ramp:)`` and ``seek(_:to:fade:)`` last a
///   minute at most, and an overlap with a source of unknown length begins at most a minute before its end, because that
///   sound is kept in memory.
public protocol MixingEngine: MediaEngine {
    /// The shape of the mix.
    var mixFormat: PCMFormat { get }

    /// The events of the mix from now on.
    var mixEvents: EventStream<MixEvent> { get }

    /// Levels, up to 60 readings a second while the stream has a reader, each when it is heard; only the newest reading is kept.
    var levels: EventStream<LevelReading> { get }

    /// The final mix before the master volume, while the stream has a reader, each block when its last frame is heard; a slow
    /// reader loses the oldest blocks.
    var pcmTap: EventStream<PCMBlock> { get }

    // MARK: Decks

    /// Opens a source and reads ahead until its first frame is there.
    ///
    /// - Parameters:
    ///   - source: What to open.
    ///   - gain: A linear gain for this deck alone, such as its ReplayGain; 0 or more. More than 1,000 counts as 1,000, a
    ///     negative one and one that is not finite are refused.
    ///   - isClip: Whether the deck is short and will be looped or repeated: the engine may keep its sound in memory.
    /// - Returns: The deck and what is known of it.
    /// - Throws: ``CoreError`` naming the source; nothing is left open. A sample rate outside 1…1,536,000 Hz is
    ///   ``CoreError/unsupported(_:)``.
    func openDeck(_ source: AudioSource, gain: Double, isClip: Bool) async throws -> DeckInfo

    /// Opens another deck on a deck's source. For a clip that the engine keeps in memory this takes no longer than a
    /// call; the samples exist once. Otherwise the source is opened again.
    ///
    /// - Parameter deck: A deck that is not closed.
    /// - Returns: The new deck, at its beginning, with the gain that the other one was opened with.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an unknown deck, ``CoreError/unsupported(_:)`` for a source that one
    ///   deck reads at a time (``AudioSource/bytes(_:)``, ``AudioSource/pcm(_:)``) and that is not kept in memory, or what
    ///   ``openDeck(_:gain:isClip:)`` throws.
    func duplicateDeck(_ deck: DeckID) async throws -> DeckInfo

    /// Sets a deck's own gain, also while it sounds.
    ///
    /// - Parameters:
    ///   - gain: Linear, 0…1,000, clamped; one that is not finite changes nothing.
    ///   - deck: The deck; harmless for a closed one.
    ///   - ramp: Seconds of the deck's sound in which the new gain is reached; at least 10 ms are used when it has sounded,
    ///     otherwise it has the new gain from its first frame. On a paused layer 0 acts at once: the deck has the new gain from
    ///     the first frame of the resumption.
    func setTrackGain(_ gain: Double, of deck: DeckID, ramp: TimeInterval) async

    /// Closes a deck that is not on a layer (one that is, closes by itself when it ends). Harmless for a closed deck.
    ///
    /// - Parameter deck: The deck.
    func closeDeck(_ deck: DeckID) async

    // MARK: Layers

    /// Adds a layer; it costs nothing while it is idle.
    ///
    /// - Parameter role: What the layer is for.
    func addLayer(_ role: LayerRole) async -> LayerID

    /// Removes a layer and closes its decks; what sounds ends within a 10 ms ramp. The main layer, which every engine
    /// has from the start, cannot be removed.
    ///
    /// - Parameter layer: The layer.
    func removeLayer(_ layer: LayerID) async

    /// The layer that ``MediaEngine``'s own methods act on.
    var mainLayer: LayerID { get }

    /// Starts a deck on a layer. A paused layer stays paused and goes on with the new deck when resumed, with
    /// ``DeckEntry/crossfade(_:curve:)`` by the crossfade from what was heard last. What was to follow is forgotten: the layer's
    /// follow-up becomes ``FollowUp/undecided``, or ``FollowUp/nothing`` with a loop.
    ///
    /// - Parameters:
    ///   - deck: An opened deck that is on no layer.
    ///   - layer: Where to play it.
    ///   - entry: How it comes in.
    ///   - loop: How it repeats; `nil` plays it once.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an unknown deck or layer, ``CoreError/ioError(underlying:)`` when
    ///   there is no device to play to. What the loss of the device has frozen on the layer stays there.
    func play(_ deck: DeckID, on layer: LayerID, entry: DeckEntry, loop: LoopPlan?) async throws

    /// Decides what happens at the end of the layer's present deck. A deck decided on earlier and not yet sounding is
    /// taken back and stays open.
    ///
    /// - Parameters:
    ///   - followUp: What happens at the end.
    ///   - layer: The layer.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an unknown deck or layer.
    func setFollowUp(_ followUp: FollowUp, on layer: LayerID) async throws

    /// Changes how the present deck repeats; applies from the next pass.
    ///
    /// - Parameters:
    ///   - loop: How it repeats from the next pass on.
    ///   - layer: The layer.
    func setLoop(_ loop: LoopPlan, on layer: LayerID) async

    /// Freezes a layer with a ramp against clicks; everything in it freezes: decks, crossfades, loop delays.
    ///
    /// - Parameters:
    ///   - layer: The layer; harmless when it is not playing.
    ///   - ramp: Length of the ramp in seconds; 0 freezes between two frames. 10 ms is usual.
    func pause(_ layer: LayerID, ramp: TimeInterval) async

    /// Goes on at the very frame where the pause's ramp began.
    ///
    /// - Parameters:
    ///   - layer: The layer; harmless when it is not paused.
    ///   - ramp: Length of the ramp in seconds; 0 begins at full gain.
    /// - Throws: ``CoreError/ioError(underlying:)`` when there is no device to play to.
    func resume(_ layer: LayerID, ramp: TimeInterval) async throws

    /// Fades everything on a layer out together and makes it idle.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - fade: Length of the fade in seconds; at least the 10 ms ramp is used. A paused layer becomes idle at once.
    ///   - curve: The curve of the fade.
    func stop(_ layer: LayerID, fade: TimeInterval, curve: FadeCurve) async

    /// Plans a stop, or takes the plan back. The plan is kept while the layer is idle and forgotten when the layer is stopped.
    ///
    /// - Parameters:
    ///   - plan: When to stop, and how; `nil` for no stop.
    ///   - layer: The layer.
    func planStop(_ plan: PlannedStop?, of layer: LayerID) async

    /// Moves the layer's present deck to another position: out over `fade` seconds, then in from the new position over as
    /// long (linear). A paused layer moves silently and stays paused. A running crossfade is ended: the incoming deck is
    /// the one that moves.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - position: Seconds from the beginning; clamped to the deck, and to 1,000,000,000 where its length is unknown or only
    ///     estimated. At the very end the deck ends naturally.
    ///   - fade: Length of each fade in seconds; at least 5 ms, so that 10 ms lie over the cut.
    /// - Throws: ``CoreError/invalidState(_:)`` when the layer is idle, ``CoreError/invalidArgument(_:)`` for a position that
    ///   is not a number, ``CoreError/unsupported(_:)`` for a source that cannot be repositioned.
    func seek(_ layer: LayerID, to position: TimeInterval, fade: TimeInterval) async throws

    /// Ends a running crossfade within a time; harmless when there is none.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - duration: What is left of the crossfade is played within this time, in seconds.
    func shortenCrossfade(_ layer: LayerID, within duration: TimeInterval) async

    /// Sets a layer's gain.
    ///
    /// - Parameters:
    ///   - gain: Linear, 0…1,000, clamped; one that is not finite changes nothing.
    ///   - layer: The layer.
    ///   - ramp: Seconds in which the new gain is reached; at least 10 ms are used while the layer sounds.
    func setGain(_ gain: Double, of layer: LayerID, ramp: TimeInterval) async

    /// Makes a layer quieter while others sound; layers affect each other in no other way.
    ///
    /// The level begins to fall at the first frame of a key's sound and begins to return when the hold after its last
    /// frame is over. A change of plan goes on from the present level; without a plan it returns over the last plan's
    /// release.
    ///
    /// - Parameters:
    ///   - plan: For which layers it makes way, and how; keys that do not exist never sound. `nil` for none.
    ///   - layer: The layer to duck.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an unknown layer, or a layer among its own keys.
    func setDucking(_ plan: DuckingPlan?, of layer: LayerID) async throws

    /// Sets a layer's speed; pitch is kept.
    ///
    /// - Parameters:
    ///   - rate: 0.5…3, 1 is normal.
    ///   - layer: The layer.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside the range.
    func setRate(_ rate: Double, of layer: LayerID) async throws

    /// Returns the state of a layer.
    ///
    /// - Parameter layer: The layer; an unknown one is idle.
    func status(of layer: LayerID) async -> LayerStatus

    // MARK: Output

    /// Sets the gain of the whole mix; reached within a ramp of 10 ms.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    func setMasterVolume(_ volume: Double) async

    /// Sets the equaliser of the whole mix, which lies before the limiter. Changes fade over 20 ms; switched off or flat it
    /// leaves every bit as it is. Bands whose centre is not below the mix's Nyquist frequency are left out.
    ///
    /// - Parameter settings: What it does.
    func setEqualizer(_ settings: EqualizerSettings) async

    /// What the equaliser of the mix was set to.
    var equalizer: EqualizerSettings { get async }

    /// Turns the limiter at the end of the mix on or off. It leaves every sample untouched until the sum passes
    /// -0.1 dBFS. On by default.
    ///
    /// - Parameter enabled: Whether it works.
    func setLimiter(enabled: Bool) async

    /// The devices that sound can go to; empty for an output without a device.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when the sound server does not answer.
    func outputDevices() async throws -> [OutputDevice]

    /// Sends sound to another device while playing, without losing a sample of what was rendered.
    ///
    /// What the old device plays until it is closed, some milliseconds, is heard on both. When the server moves the stream by
    /// itself, as a mixer program has it do, the server decides what is lost: PulseAudio drops up to 16 ms.
    ///
    /// - Parameter identifier: An ``OutputDevice/identifier``; `nil` follows the server's default.
    /// - Throws: ``CoreError/notFound(_:)`` for an unknown device, ``CoreError/unsupported(_:)`` for an output without one.
    func selectOutput(_ identifier: String?) async throws

    /// Releases device, threads and decks; the engine cannot be used afterwards. A second call has no effect.
    func shutdown() async

    // MARK: Offline rendering

    /// Renders the next frames of an offline engine.
    ///
    /// - Parameters:
    ///   - frames: How many frames to render.
    ///   - layer: A layer at whose end rendering stops early; `nil` renders all frames.
    /// - Returns: How many frames were rendered: fewer than asked for only because the layer became idle.
    /// - Throws: ``CoreError/unsupported(_:)`` for an engine that plays in real time, ``CoreError/ioError(underlying:)`` when
    ///   the output cannot be written or a source gave nothing for 30 s (a later call tries it again),
    ///   ``CoreError/invalidState(_:)`` while another call is rendering, and after a shutdown, which ends a render that waits.
    func advance(frames: Int64, untilIdle layer: LayerID?) async throws -> Int64

    /// Completes the file or stream that an offline engine writes.
    ///
    /// - Throws: ``CoreError/ioError(underlying:)`` when the output cannot be written.
    func finishOutput() async throws
}
