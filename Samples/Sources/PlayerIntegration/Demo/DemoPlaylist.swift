internal import DemoMusic
internal import Descant
public import Foundation
public import PlayerApp

/// The demo's files and how the player shows them.
public struct DemoPlaylist: Sendable {
    /// The two tracks.
    public let entries: [PlaylistEntry]
    /// The ambience beneath them.
    public let ambience: URL
    /// The folder that holds the files.
    public let folder: URL

    /// Plays the demo's music into files of a new temporary folder.
    ///
    /// - Throws: An error naming what could not be written.
    public init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let set = try DemoSet(writingTo: folder)
        entries = set.tracks.map { PlaylistEntry(url: $0) }
        ambience = set.ambience
    }

    /// The options of the demo: the ambience plays under the tracks, and both are ducked while the line is spoken.
    ///
    /// - Parameters:
    ///   - options: How the tracks sound.
    ///   - line: The spoken line; `nil` for none.
    /// - Returns: The options with everything that the demo adds.
    public func options(_ options: PlayOptions, line: SpokenLine?) -> PlayOptions {
        var options = options
        options.overlays = [OverlayRequest(url: ambience, volume: 0.3, passes: nil, fade: 2)]
        guard let line else { return options }
        options.trackSources = line.tracks
        options.steps.append(TimelineStep(at: Self.lineStart, .effect(line.url)))
        options.ducking = options.ducking ?? Ducking()
        options.overlaysAreMusic = true
        return options
    }

    /// When the voice begins, in seconds: early enough to end before the tracks change.
    private static let lineStart = 1.5

    /// The words.
    public var announcement: String { DemoSet.announcement }

    /// Removes the files.
    public func remove() {
        // The system cleans its temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }
}
