public import Foundation

/// The content that an engine can play.
public enum MediaContent: Sendable, Hashable {
    /// Sound at a URL: a file or a stream.
    case url(URL)
    /// Text to be spoken; the language is a BCP 47 tag, `nil` to follow the voice.
    case text(String, language: String?)
}

/// A position within content.
public enum MediaPosition: Sendable, Hashable {
    /// Seconds from the beginning.
    case time(TimeInterval)
    /// A share of the whole, 0…1.
    case fraction(Double)
    /// Characters from the beginning of a text, as Swift counts a string's.
    case characterOffset(Int)

    /// The position in seconds, for engines that play sound. It is not clamped to the content.
    ///
    /// - Parameters:
    ///   - duration: The duration of the content in seconds; `nil` when it is unknown.
    ///   - engine: The engine's identifier, for the error.
    /// - Throws: `CoreError.unsupported` for a character offset, and for a fraction of an unknown duration;
    ///   `CoreError.invalidArgument` for a position that is not a number.
    public func seconds(duration: TimeInterval?, engine: String) throws -> TimeInterval {
        let seconds: TimeInterval
        switch self {
        case .time(let time): seconds = time
        case .fraction(let share):
            guard let duration else { throw CoreError.unsupported("the duration is unknown; seek by time instead") }
            seconds = share * duration
        case .characterOffset:
            throw CoreError.unsupported("\(engine) plays sound, which has no characters; seek by time")
        }
        guard !seconds.isNaN else { throw CoreError.invalidArgument("a position that is not a number") }
        return seconds
    }
}

/// The capabilities of an engine; a host shows or hides controls accordingly.
public struct EngineCapabilities: OptionSet, Sendable, Hashable, Codable {
    /// The capabilities as bits.
    public let rawValue: UInt32
    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: The capabilities as bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Plays ``MediaContent/url(_:)``.
    public static let playsURLs = EngineCapabilities(rawValue: 1 << 0)
    /// Speaks ``MediaContent/text(_:language:)``.
    public static let speaksText = EngineCapabilities(rawValue: 1 << 1)
    /// Can be moved to another position.
    public static let seeks = EngineCapabilities(rawValue: 1 << 2)
    /// Has a variable rate.
    public static let changesRate = EngineCapabilities(rawValue: 1 << 3)
    /// Mixes layers: is a ``MixingEngine``.
    public static let mixes = EngineCapabilities(rawValue: 1 << 4)
    /// Renders faster than real time into a file or callback.
    public static let rendersOffline = EngineCapabilities(rawValue: 1 << 5)
    /// Controls a remote player; no sound is made in this process.
    public static let remote = EngineCapabilities(rawValue: 1 << 6)
}

/// The state of an engine.
public enum EngineState: Sendable, Equatable {
    /// Nothing is loaded, or it was stopped.
    case idle
    /// Content is being opened.
    case loading
    /// Content is loaded and waits for ``MediaEngine/play()``.
    case ready
    /// Sound comes out.
    case playing
    /// Frozen at a position.
    case paused
    /// Waiting for data.
    case buffering
    /// The content was heard to its end.
    case finished
    /// The last operation failed.
    case failed(CoreError)
}

/// Loads content and plays it.
///
/// The built-in engine on GStreamer, a speech engine and a remote player are engines. Methods may be called from
/// any thread and are serialised by the engine; none of them blocks its caller for longer than 100 ms, whatever
/// the sound server or the network does.
public protocol MediaEngine: AnyObject, Sendable {
    /// A short stable name: `gstreamer`, `espeak`, `music-assistant`.
    var identifier: String { get }

    /// The engine's capabilities.
    var capabilities: EngineCapabilities { get }

    /// Opens content and waits at its beginning; stops the previous content.
    ///
    /// - Parameter content: What to play.
    /// - Throws: ``CoreError``; the engine then keeps no content.
    func loadContent(_ content: MediaContent) async throws

    /// Plays from the present position; restarts content that had finished.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded, ``CoreError/ioError(underlying:)`` when there is
    ///   no device to play to.
    func play() async throws

    /// Freezes; harmless when not playing.
    func pause() async

    /// Stops and returns to the beginning; never fails. Content that has not been played may stay ready.
    func stop() async

    /// Moves to a position.
    ///
    /// - Parameter position: Where to go; clamped to the content.
    /// - Throws: ``CoreError/invalidState(_:)`` when nothing is loaded, ``CoreError/unsupported(_:)`` for a kind of
    ///   position that the engine does not know.
    func seek(to position: MediaPosition) async throws

    /// Sets the speed; pitch is kept.
    ///
    /// - Parameter rate: 1 is normal. Engines document their range; the built-in one takes 0.5…3.
    /// - Throws: ``CoreError/invalidArgument(_:)`` outside the range.
    func setRate(_ rate: Double) async throws

    /// The engine's state.
    var engineState: EngineState { get async }

    /// The present position in seconds, as heard; the duration when the content is ``EngineState/finished``.
    var currentTime: TimeInterval { get async }

    /// The content's length in seconds; `nil` while unknown.
    var duration: TimeInterval? { get async }

    /// The present state, then every change of state.
    var stateUpdates: EventStream<EngineState> { get }
}

extension MediaEngine {
    /// Whether sound comes out.
    public var isPlaying: Bool { get async { await engineState == .playing } }

    /// Whether the engine is frozen at a position.
    public var isPaused: Bool { get async { await engineState == .paused } }

    /// The share of the content that was heard, 0…1; 0 while the duration is unknown.
    public var progress: Double {
        get async {
            guard let duration = await duration, duration > 0 else { return 0 }
            return min(1, await currentTime / duration)
        }
    }
}
