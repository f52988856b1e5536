import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantDesktop

@Suite("Metadata on the bus")
struct MPRISMetadataTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(label: "descant-covers") }

    @Test(
        "any identity has an object path of its own, and comes back from it",
        arguments: ["", "_", "a/b c", "№ 1", "17", "a\0b"])
    func paths(_ text: String) {
        let id = NowPlayingTrack.ID(rawValue: text)
        let path = MPRISPath.track(id)
        #expect(path.wholeMatch(of: #/(/[A-Za-z0-9_]+)+/#) != nil)
        #expect(MPRISPath.track(path) == id)
        #expect(MPRISPath.playlist(MPRISPath.playlist(.init(rawValue: text)))?.rawValue == text)
    }

    @Test(
        "paths that nobody gave out mean nothing",
        arguments: ["/", MPRISName.noTrack, "/org/descant/Track/_g0", "/org/descant/Track/_", "/org/descant/Track/a_1"])
    func foreignPaths(_ path: String) { #expect((MPRISPath.track(path)?.rawValue ?? "") == "") }

    /// Every program of the session reads the bus.
    @Test("addresses are published without names and passwords") func secrets() throws {
        let address = try #require(URL(string: "https://ann:s-ecret@radio.example/a.flac?x=1"))
        let entries = MPRISMetadata.of(NowPlayingTrack(id: .init(rawValue: "1"), url: address), cover: address)
        #expect(entries["xesam:url"] == .string("https://radio.example/a.flac?x=1"))
        #expect(entries["mpris:artUrl"] == .string("https://radio.example/a.flac?x=1"))
    }

    @Test("broken and forbidden characters are replaced") func brokenText() async throws {
        let broken = String(decoding: [0x48, 0xFF, 0xC3, 0x00, 0x21], as: UTF8.self)
        let track = NowPlayingTrack(
            id: .init(rawValue: broken), title: broken, artists: [broken, ""], album: "", trackNumber: 7, year: 987,
            duration: 1.5)
        let entries = MPRISMetadata.of(track)
        #expect(entries["xesam:title"] == .string("H\u{FFFD}\u{FFFD}\u{FFFD}!"))
        #expect(entries["xesam:artist"] == .strings(["H\u{FFFD}\u{FFFD}\u{FFFD}!"]))
        #expect(entries["xesam:album"] == nil)
        #expect(entries["mpris:length"] == .int64(1_500_000))
        #expect(entries["xesam:contentCreated"] == .string("0987-01-01T00:00:00"))
        // The text also passes GLib, which would close the connection for invalid UTF-8.
        let variant = try #require(BusValue.dictionary(entries).makeVariant())
        #expect(BusValue(variant) == .dictionary(entries))
    }

    @Test("invalid lengths are left out", arguments: [Double.infinity, .nan, -1, 1e300])
    func lengths(_ seconds: Double) {
        #expect(MPRISMetadata.of(NowPlayingTrack(id: .init(rawValue: "1"), duration: seconds))["mpris:length"] == nil)
    }

    @Test("a cover is a file that only its owner can read, removed with the track") func covers() throws {
        var covers = CoverFiles(in: folder.url)
        let png = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3])
        let jpeg = Data([0xFF, 0xD8, 0xFF, 4, 5])
        var track = NowPlayingTrack(id: .init(rawValue: "1"), artworkData: png)
        let first = try #require(try covers.show(track))
        #expect(first.pathExtension == "png")
        #expect(try Data(contentsOf: first) == png)
        let mode = try FileManager.default.attributesOfItem(atPath: first.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try covers.show(track) == first)
        track.artworkData = jpeg
        let second = try #require(try covers.show(track))
        #expect(second.pathExtension == "jpg" && second != first)
        #expect(!FileManager.default.fileExists(atPath: first.path))
        track.artworkData = Data("text".utf8)
        track.artworkURL = URL(string: "https://example.org/cover.jpg")
        #expect(try covers.show(track) == track.artworkURL)
        #expect(!FileManager.default.fileExists(atPath: second.path))
        track.artworkData = png
        _ = try covers.show(track)
        covers.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test("files of a killed program are removed") func leftovers() throws {
        func make(_ name: String, mode: Int) throws -> URL {
            let made = folder.file("descant-cover-\(name)")
            try FileManager.default.createDirectory(
                at: made, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
            return made
        }
        let left = try make("7-abc", mode: 0o700)
        // Whoever made the folder of the other one, it was not this library.
        let foreign = try make("2147483647-abc", mode: 0o755)
        let track = NowPlayingTrack(id: .init(rawValue: "1"), artworkData: Data([0xFF, 0xD8, 0xFF]))
        var running = CoverFiles(in: folder.url)
        let shown = try #require(try running.show(track))
        #expect(!FileManager.default.fileExists(atPath: left.path))
        // A program in a container may have a process identifier that no process has here.
        let moved = folder.file("descant-cover-2147483647-def")
        try FileManager.default.moveItem(at: shown.deletingLastPathComponent(), to: moved)
        var covers = CoverFiles(in: folder.url)
        _ = try covers.show(track)
        #expect(FileManager.default.fileExists(atPath: foreign.path))
        #expect(FileManager.default.fileExists(atPath: moved.appending(path: shown.lastPathComponent).path))
        covers.removeAll()
    }

    @Test(
        "names on the bus are made of what a bus name may have",
        arguments: [("descant", "descant"), ("9 lives!", "_9_lives_"), ("", "_"), ("tést", "t_st")])
    func busNames(_ name: String, _ wanted: String) {
        #expect(MPRISName.bus(name) == "org.mpris.MediaPlayer2.\(wanted)")
    }

    @Test("adding or removing one track is signalled as such") func listSignals() {
        let tracks = (1...4).map { NowPlayingTrack(id: .init(rawValue: "\($0)"), title: "Track \($0)") }
        let names = { (old: [NowPlayingTrack], new: [NowPlayingTrack]) in
            MPRISSignals.trackList(from: NowPlaying(tracks: old), to: NowPlaying(tracks: new)).map(\.name)
        }
        #expect(names(Array(tracks[..<3]), tracks) == ["TrackAdded"])
        #expect(names(tracks, Array(tracks[1...])) == ["TrackRemoved"])
        #expect(names(tracks, tracks.reversed()) == ["TrackListReplaced"])
        var renamed = tracks
        renamed[2].title = "Other"
        #expect(names(tracks, renamed) == ["TrackMetadataChanged"])
        renamed[2].title = "Track 3"
        renamed[2].artworkData = Data([1])
        #expect(names(tracks, renamed) == [])
    }
}
