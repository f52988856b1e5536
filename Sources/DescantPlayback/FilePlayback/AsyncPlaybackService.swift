public import DescantCore
internal import Dispatch
public import Foundation

/// A ``PlaybackService`` that reports its states and may be called from any thread.
public protocol ObservablePlaybackService: PlaybackService, Sendable {
    /// Every change of `state` from now on; begins with the present one.
    var stateUpdates: EventStream<PlaybackState> { get }
}

/// Makes the calls of a ``PlaybackService`` for callers that must not wait, such as the main actor.
///
/// The calls of a service block: on the disk, on a decoder, on the sound server. Here they run on a thread of their own, one at a time and
/// in the order in which they were made, and the caller is suspended until its call has returned. A call is made even when
/// the caller's task is cancelled meanwhile.
public final class AsyncPlaybackService: Sendable {
    private let service: any ObservablePlaybackService
    private let queue = DispatchQueue(label: "descant.playback.commands", qos: .userInitiated)

    /// Creates the caller of a service.
    ///
    /// - Parameter service: The service; it is not an error to call it directly as well.
    public init(_ service: any ObservablePlaybackService) { self.service = service }

    /// Every change of the service's state from now on; begins with the present one.
    public var stateUpdates: EventStream<PlaybackState> { service.stateUpdates }

    /// Opens a file; what was loaded before is closed. Afterwards the state is paused at 0.
    ///
    /// - Parameter url: A file URL, or whatever the decoder opens.
    /// - Throws: `CoreError`, as ``PlaybackService/load(url:)``.
    public nonisolated(nonsending) func load(url: URL) async throws { try await call { try $0.load(url: url) } }

    /// Starts or goes on; after the natural end, from the start of the same file.
    ///
    /// - Throws: `CoreError`, as ``PlaybackService/play()``.
    public nonisolated(nonsending) func play() async throws { try await call { try $0.play() } }

    /// Freezes position and sound; harmless when nothing plays.
    public nonisolated(nonsending) func pause() async { await call { $0.pause() } }

    /// Ends playing and closes the file.
    public nonisolated(nonsending) func stop() async { await call { $0.stop() } }

    /// Moves to a position, exact to the frame.
    ///
    /// - Parameter seconds: 0…duration in seconds.
    /// - Throws: `CoreError`, as ``PlaybackService/seek(to:)``.
    public nonisolated(nonsending) func seek(to seconds: Double) async throws {
        try await call { try $0.seek(to: seconds) }
    }

    /// Sets the gain of everything that is played from now on.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    public nonisolated(nonsending) func setVolume(_ volume: Float) async { await call { $0.setVolume(volume) } }

    /// Where the service is: its state, position and duration at one moment.
    public nonisolated(nonsending) func progress() async -> PlaybackProgress {
        await call {
            PlaybackProgress(state: $0.state, position: $0.currentTime(), duration: $0.duration())
        }
    }

    private nonisolated(nonsending) func call<Result: Sendable>(
        _ body: @escaping @Sendable (any ObservablePlaybackService) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { [service] in continuation.resume(returning: body(service)) }
        }
    }

    private nonisolated(nonsending) func call<Result: Sendable>(
        _ body: @escaping @Sendable (any ObservablePlaybackService) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [service] in
                continuation.resume(with: Swift.Result { try body(service) })
            }
        }
    }
}

/// Where a service is.
public struct PlaybackProgress: Sendable, Equatable {
    /// What the service is doing.
    public var state: PlaybackState
    /// The position that is heard, in seconds; 0 when stopped or after an error.
    public var position: Double
    /// The file's length in seconds; 0 when nothing is loaded, infinite for an endless stream.
    public var duration: Double

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - state: What the service is doing.
    ///   - position: The position that is heard, in seconds.
    ///   - duration: The file's length in seconds.
    public init(state: PlaybackState, position: Double, duration: Double) {
        self.state = state
        self.position = position
        self.duration = duration
    }
}
