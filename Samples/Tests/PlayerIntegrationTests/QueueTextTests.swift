import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// The queue as it is stored.
@Suite struct QueueTextTests {
    private let entries = [
        PlaylistEntry(
            url: URL(fileURLWithPath: "/music/Ä b.flac"), title: "Tab\tand\nline \\ end", artist: "Å", duration: 0.1),
        PlaylistEntry(url: URL(fileURLWithPath: "/music/b.flac"), title: "", album: "A"),
        PlaylistEntry(
            url: URL(fileURLWithPath: "/music/c.flac"), title: "C", artist: "X", album: "Y", duration: .infinity),
    ]

    private func texts(_ entries: [PlaylistEntry]?) -> [[String?]]? {
        entries?.map { [$0.url.absoluteString, $0.title, $0.artist, $0.album, $0.duration.map { "\($0)" }] }
    }

    @Test func whatIsWrittenIsRead() {
        var expected = entries
        // A length that is none is not kept.
        expected[2].duration = nil
        #expect(texts(QueueText.decode(QueueText.encode(entries))) == texts(expected))
        #expect(QueueText.decode(QueueText.encode([]))?.isEmpty == true)
    }

    @Test(arguments: [1, 2, 3, 1_000, 12_345]) func eachLineIsReadOnceWhateverTheirNumber(count: Int) {
        let entries = (0..<count).map { number in
            PlaylistEntry(
                url: URL(fileURLWithPath: "/music/\(number).flac"), title: String(repeating: "x", count: number % 97))
        }
        #expect(texts(QueueText.decode(QueueText.encode(entries))) == texts(entries))
    }

    @Test func damagedTextIsRefused() {
        let whole = QueueText.encode(entries)
        for length in 0..<whole.count { #expect(QueueText.decode(whole.prefix(length)) == nil, "\(length) bytes") }
        let damages: [(String, String)] = [
            ("tracks: 3", "tracks: 4"), ("tracks: 3", "tracks: -3"), ("tracks: 3", "tracks: 99999999999999999999"),
            ("queue 1", "queue 2"), ("file:///music/b.flac", ""), ("\\n", "\\x"), ("0.1\n", "long\n"),
            ("\tA\t", "\tA"),
        ]
        for (text, damage) in damages {
            let damaged = String(decoding: whole, as: UTF8.self).replacingOccurrences(of: text, with: damage)
            #expect(QueueText.decode(Data(damaged.utf8)) == nil, "\(damage) for \(text)")
        }
        #expect(QueueText.decode(whole + Data("more".utf8)) == nil)
        var bytes = whole
        bytes[bytes.count - 5] = 0xFF
        #expect(QueueText.decode(bytes) == nil)
    }
}
