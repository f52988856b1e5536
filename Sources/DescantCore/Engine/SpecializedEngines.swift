public import Foundation

/// An engine whose calls all return within limits of its own, whatever hangs below it.
///
/// A controller calls it directly. Every other engine may be that of a bundle, and is called within the controller's limits.
package protocol SelfLimitingEngine: MediaEngine {}

/// An engine that reads a text sentence by sentence: one that speaks.
///
/// A controller asks for it by a cast, `engine as? any ReadingEngine`, and gives remote controls its sentences: the present one as
/// title, the others as next and previous. Threads are as for ``MediaEngine``.
public protocol ReadingEngine: MediaEngine {
    /// Tells where each sentence begins, in UTF-8 bytes of the text, when it begins to be heard.
    var sentenceUpdates: EventStream<Int> { get }

    /// The sentence that is heard, or is to be heard next; `nil` without a text and behind its last sentence.
    var currentSentence: String? { get async }

    /// Moves to the next sentence; behind the last one the text is finished.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded, or what goes wrong in the voice.
    func nextSentence() async throws

    /// Moves to the beginning of the sentence, or to the one before when it has only just begun.
    ///
    /// - Throws: As ``nextSentence()``.
    func previousSentence() async throws
}

/// An engine that reports its progress in more than seconds, such as one that speaks.
///
/// A controller asks for it by a cast, `engine as? any EngineProgressReporting`.
public protocol EngineProgressReporting: MediaEngine {
    /// The engine's progress.
    var engineProgress: EngineProgress { get async }
}

/// An engine whose sound goes to a sound server in a stream with a role.
///
/// A controller asks for it by a cast, `engine as? any StreamRoleEngine`, and sets the role of its session's configuration before
/// each start.
public protocol StreamRoleEngine: MediaEngine {
    /// Sets the role (`media.role`) of the stream. It applies to a stream that exists and to every later one.
    ///
    /// A mixer has one stream for all of its layers: the last role that was set is that of the whole mix.
    ///
    /// - Parameter role: What the stream is for; an empty role sends none.
    func setStreamRole(_ role: AudioRole) async
}

/// The sound device that a ``DeviceEngine`` plays to.
public enum EngineOutput: Sendable, Hashable {
    /// A PulseAudio server, or PipeWire's.
    ///
    /// - `device`: a sink's name; `nil` follows the server's default.
    /// - `latency`: the sound that the server has queued, in seconds, 0.03…2; an engine may use another value.
    /// - `server`: the server's address; `nil` takes the environment's (`PULSE_SERVER`) or the user's own.
    case pulse(device: String? = nil, latency: TimeInterval = 0.2, server: String? = nil)
    /// An ALSA device such as `hw:0`; `nil` is ALSA's default.
    case alsa(device: String? = nil)
    /// No device: silent, in real time.
    case null
}

/// An engine that opens a sound device itself instead of playing through the host's mixer.
///
/// An engine catalog asks for it by a cast, `engine as? any DeviceEngine`, and sets the output before the first content is loaded;
/// a controller sets the gain that the audio session allows. Threads are as for ``MediaEngine``.
public protocol DeviceEngine: MediaEngine {
    /// Sets the device of the next start. What plays is not moved.
    ///
    /// - Parameter output: The device. It is opened by ``MediaEngine/play()``.
    /// - Throws: ``CoreError/unsupported(_:)`` for a kind of device that the engine cannot play to.
    func setOutput(_ output: EngineOutput) async throws

    /// Sets the gain of everything that the engine plays, now and later.
    ///
    /// - Parameter gain: Linear, 0…1, clamped; one that is not finite changes nothing.
    func setGain(_ gain: Double) async
}

/// An engine that knows the track that plays, such as a remote player with a queue of its own.
///
/// A controller asks for it by a cast, `engine as? any EngineTrackReporting`. The engine posts its state again, unchanged, when the
/// track, its length or the volume has changed.
public protocol EngineTrackReporting: MediaEngine {
    /// What plays, or what is loaded and has not begun; `nil` when nothing is loaded. Another item of the queue has another
    /// identity.
    var currentTrack: NowPlayingTrack? { get async }
}

/// An engine's progress beyond the time in seconds.
public struct EngineProgress: Sendable, Hashable, Codable {
    /// The preparation before sound can start.
    ///
    /// The library's speech engine reports ``loadingModel`` and ``generating``. It keeps sound in memory, where looking for it and
    /// keeping it take no time; the other phases are for engines that keep it in files.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// Looking for sound that was made before.
        case checkingCache
        /// Loading a voice or model.
        case loadingModel
        /// Making sound.
        case generating
        /// Keeping the sound for the next time.
        case writing
    }

    /// Characters from the beginning of a text; `nil` for content without characters.
    public var characterOffset: Int?
    /// The word that is heard, in UTF-8 bytes from the beginning; `nil` when unknown.
    public var currentWord: Range<Int>?
    /// What is done before sound can come out; `nil` when nothing is.
    public var phase: Phase?
    /// Whether the duration is an estimate that may still change.
    public var isEstimated: Bool

    /// Creates a description; engines do this.
    ///
    /// - Parameters:
    ///   - characterOffset: Characters from the beginning of a text.
    ///   - currentWord: The word that is heard, in UTF-8 bytes.
    ///   - phase: What is done before sound can come out.
    ///   - isEstimated: Whether the duration is an estimate.
    public init(
        characterOffset: Int? = nil, currentWord: Range<Int>? = nil, phase: Phase? = nil, isEstimated: Bool = false
    ) {
        self.characterOffset = characterOffset
        self.currentWord = currentWord
        self.phase = phase
        self.isEstimated = isEstimated
    }
}

/// An engine that controls a remote player with a volume and a queue of its own.
///
/// Such an engine makes no sound in this process, so no mixer gives it a volume; what follows in its queue is known to the
/// player alone. Threads are as for ``MediaEngine``.
public protocol RemotePlayerEngine: MediaEngine {
    /// The player's volume, 0…1, as far as it is known; `nil` before anything was loaded, and for a player without one.
    var volume: Double? { get async }

    /// Sets the player's volume.
    ///
    /// - Parameter volume: 0 is silent, 1 the loudest; the player defines the scale in between.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside 0…1, ``CoreError/invalidState(_:)`` when nothing is loaded,
    ///   ``CoreError/unsupported(_:)`` for a player without a volume, ``CoreError/ioError(underlying:)`` when it cannot be reached.
    func setVolume(_ volume: Double) async throws

    /// Plays the next item of the player's queue.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded or nothing follows, ``CoreError/ioError(underlying:)``
    ///   when the player cannot be reached.
    func next() async throws

    /// Plays the previous item of the player's queue, or restarts the present one, depending on the player.
    ///
    /// - Throws: As ``next()``.
    func previous() async throws
}
