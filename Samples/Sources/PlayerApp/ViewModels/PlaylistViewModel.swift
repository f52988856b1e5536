internal import DescantPlayback
public import Foundation

/// What a list of the tracks shows, and its commands. It is computed from the state and observed through it.
@MainActor
public struct PlaylistViewModel {
    /// One line of the list.
    public struct Row: Sendable, Equatable, Identifiable {
        /// The track's identity, which stays when the track is moved.
        public let id: UUID
        /// The tagged title, or the file's name.
        public let title: String
        /// The tagged artist; empty without one.
        public let artist: String
        /// Length in seconds; `nil` while unknown.
        public let duration: TimeInterval?
        /// Whether it is the present track.
        public let isCurrent: Bool
        /// Why it cannot be played; `nil` when it can, or was not tried.
        public let failure: String?
    }

    private let state: AppState

    /// Creates a model.
    ///
    /// - Parameter state: The state that is shown.
    public init(_ state: AppState) { self.state = state }

    /// The lines, from the top.
    public var rows: [Row] {
        zip(state.playlist.tracks, state.entries).map { track, entry in
            Row(
                id: track.id, title: entry.title, artist: entry.artist ?? "", duration: entry.duration,
                isCurrent: track.id == state.currentTrack?.id, failure: entry.failure)
        }
    }

    /// The length of all tracks whose length is known, in seconds.
    public var duration: TimeInterval { rows.compactMap(\.duration).reduce(0, +) }

    /// Plays a track; harmless for one that is gone.
    ///
    /// - Parameter id: The track.
    /// - Throws: An error with its reason.
    public func play(_ id: UUID) async throws {
        guard let index = index(of: id) else { return }
        try await state.player.jump(to: index)
    }

    /// Removes tracks.
    ///
    /// - Parameter ids: The tracks; those that are gone already are left out.
    /// - Throws: An error with its reason.
    public func remove(_ ids: Set<UUID>) async throws {
        let places = state.playlist.tracks.indices.filter { ids.contains(state.playlist.tracks[$0].id) }
        if !places.isEmpty { try await state.player.remove(at: Set(places)) }
    }

    /// Moves a track.
    ///
    /// - Parameters:
    ///   - id: The track.
    ///   - target: Its place afterwards, clamped to the list.
    /// - Throws: An error with its reason.
    public func move(_ id: UUID, to target: Int) async throws {
        guard let index = index(of: id) else { return }
        try await state.player.move([index: min(max(0, target), state.playlist.tracks.count - 1)])
    }

    private func index(of id: UUID) -> Int? { state.playlist.index(of: id) }
}
