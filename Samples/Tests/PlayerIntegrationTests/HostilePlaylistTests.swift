import DescantTestSupport
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// Playlists that somebody has damaged or made to do harm. `DESCANT_PLAYLIST_MUTANTS` gives the number of damaged files, 300 by default, and
/// makes the longest lines as long as a file may be.
@Suite struct HostilePlaylistTests {
    private let shelf: Shelf

    private static let mutants = ProcessInfo.processInfo.environment["DESCANT_PLAYLIST_MUTANTS"].flatMap(Int.init)

    init() throws { shelf = try Shelf() }

    /// One playlist of each format that names files above its folder, files with zero bytes and escapes, devices, other hosts, and every
    /// playlist of the folder.
    private func seeds(lists: [String]) -> [(ending: String, data: Data)] {
        let places =
            [
                "../../../../../../etc/passwd", "/dev/zero", "/proc/self/mem", "file:///etc/shadow%00.m3u",
                "file://host/share/a.flac",
                "http://user:pass@127.0.0.1:1/x.pls", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "C:\\music\\a.mp3",
                "a\u{0}b.cue", "//a//../..//b.ogg",
                "🎵.flac", "smb://x/y", ".", "..", "",
            ] + lists
        let m3u = "\u{FEFF}#EXTM3U\r\n" + places.map { "#EXTINF:1e999,A - B\n\($0)\n" }.joined()
        let pls =
            "[playlist]\n"
            + places.enumerated().map { "File\($0 * 1_000_000_007)=\($1)\nTitle\($0)=T\nLength\($0)=-9e99\n" }.joined()
            + "File99999999999999999999=a\n"
        let tracks = places.map { "<track><location>\($0)</location><duration>1e400</duration></track>" }.joined()
        let xspf = """
            <?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
            <!ENTITY x SYSTEM "file:///etc/passwd">]><playlist version="1"><trackList>\(tracks)
            <track><location>&b;&x;</location></track></trackList></playlist>
            """
        let cue =
            "PERFORMER \"X\"\n"
            + places.map {
                "FILE \"\($0)\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 99999:59:74\n  TRACK 02 AUDIO\n    INDEX 01 00:00:00\n"
            }
            .joined()
        return [("m3u", m3u), ("pls", pls), ("xspf", xspf), ("cue", cue)].map { ($0.0, Data($0.1.utf8)) }
    }

    @Test(.timeLimit(.minutes(30))) func damagedPlaylistsThatNameEachOtherEnd() throws {
        let count = Self.mutants ?? 300
        var random = SeededGenerator(seed: 26)
        var mutator = FileMutator(SeededGenerator(seed: 2026))
        let endings = ["m3u", "m3u8", "pls", "xspf", "cue"]
        let names = (0..<20).map { "list\($0).\(endings[$0 % endings.count])" }
        var (read, refused) = (0, 0)
        let before = try ProcessUsage().residentBytes
        for number in 0..<count {
            let seeds = seeds(lists: (0..<3).map { _ in names.randomElement(using: &random) ?? names[0] })
            let name = names[number % names.count]
            let ending = name.split(separator: ".").last ?? ""
            let seed = seeds.first { ending.hasPrefix($0.ending) } ?? seeds[0]
            let file = try shelf.put(number % 7 == 0 ? seed.data : mutator.mutate(seed.data), as: name)
            do {
                let entries = try PlaylistFile.entries(of: file)
                read += 1
                #expect(entries.count <= PlaylistFile.trackLimit)
                // What a playlist names is a place to play from, and never a file that was read as a playlist of another name.
                #expect(entries.allSatisfy { !$0.title.contains("root:") && !$0.url.absoluteString.contains("root:") })
            } catch is InputError {
                refused += 1
            }
        }
        #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
        let growth = try ProcessUsage().residentBytes - before
        // Other tests of the process use memory meanwhile.
        #expect(growth < 500 << 20, "\(growth >> 20) MiB")
    }

    /// What a damaged playlist on the web names is on the web, too.
    @Test func damagedPlaylistsOnTheWebNameNoFiles() throws {
        let address = try #require(URL(string: "https://example.org/lists/a.m3u?x=1"))
        var mutator = FileMutator(SeededGenerator(seed: 11))
        var count = 0
        for seed in seeds(lists: ["b.m3u"]) where seed.ending != "cue" {
            for _ in 0..<(Self.mutants ?? 300) {
                let text = String(decoding: mutator.mutate(seed.data), as: UTF8.self)
                let entries = try? PlaylistFile.entries(
                    in: text, format: seed.ending, relativeTo: address, name: "a.\(seed.ending)")
                count += entries?.count ?? 0
                for url in (entries ?? []).map(\.url) {
                    #expect(!url.isFileURL && url.host()?.isEmpty == false && url.scheme != "smb", "\(url)")
                }
            }
        }
        #expect(count > 1_000)
    }

    @Test(arguments: ["m3u", "m3u8", "pls", "xspf", "cue"]) func aLineOfAGibibyteIsRefused(_ ending: String) throws {
        let file = try shelf.put(Data("File1=".utf8) + Data(repeating: 0x61, count: 1 << 16), as: "line.\(ending)")
        // The rest is a hole: it takes no space, and would be read as zero bytes.
        try #require(truncate(file.path, 1 << 30) == 0)
        let before = try ProcessUsage().residentBytes
        let error = #expect(throws: InputError.self) { try PlaylistFile.entries(of: file) }
        #expect(error?.description.hasSuffix("more than 16 MiB; split it into several") == true)
        let after = try ProcessUsage().residentBytes
        #expect(after - before < 300 << 20)
    }

    /// A line of a mebibyte, or as long as a file may be.
    @Test(arguments: [
        ("m3u", "", ""), ("pls", "File1=", ""), ("xspf", "<track><location>", "</location></track>"),
        ("cue", "TITLE ", ""),
    ])
    func aLineOfMebibytesEnds(ending: String, before: String, after: String) throws {
        let length = Self.mutants == nil ? 1 << 20 : PlaylistFile.sizeLimit - 100
        for letter in ["a", "%", "&"] {
            let text = before + String(repeating: letter, count: length) + after
            let file = try shelf.put(Data(text.utf8), as: "line.\(ending)")
            do {
                #expect(try PlaylistFile.entries(of: file).count <= 1, "\(ending) \(letter)")
            } catch is InputError {
                // Refused with the reason.
            }
        }
    }

    @Test func aPipeIsNoPlaylist() throws {
        let path = shelf.folder.appendingPathComponent("pipe.m3u").path
        try #require(mkfifo(path, 0o600) == 0)
        for url in [
            URL(fileURLWithPath: path), try link("zero.pls", to: "/dev/zero"), try link("folder.cue", to: "/tmp"),
        ] {
            let error = #expect(throws: InputError.self) { try PlaylistFile.entries(of: url) }
            #expect(error?.description.hasSuffix("this is not a file, so it is not a playlist") == true)
        }
        // Within another playlist they are named.
        let outer = try shelf.put(Data("pipe.m3u\nzero.pls\na.wav\n".utf8), as: "outer.m3u")
        let error = #expect(throws: InputError.self) { try PlaylistFile.entries(of: outer) }
        #expect(error?.description.contains("pipe.m3u: this is not a file") == true)
    }

    private func link(_ name: String, to target: String) throws -> URL {
        let url = shelf.folder.appendingPathComponent(name)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
        return url
    }

    @Test func aZeroByteOpensNoOtherFile() throws {
        let secret = try shelf.put(Data("secret.wav\n".utf8), as: "secret")
        let address = secret.absoluteString + "%00.m3u"
        let list = try shelf.put(Data("\(address)\n".utf8), as: "list.m3u")
        let entries = try PlaylistFile.entries(of: list)
        #expect(entries.count == 1 && !entries[0].url.lastPathComponent.hasPrefix("secret.wav"))
    }
}
