internal import DemoMusic
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

    /// Removes the files.
    public func remove() {
        // They lie in the system's temporary folder: what cannot be removed now goes with it.
        try? FileManager.default.removeItem(at: folder)
    }
}
