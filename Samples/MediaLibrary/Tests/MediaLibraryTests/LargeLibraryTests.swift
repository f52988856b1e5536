import Descant
import Foundation
import Glibc
import MediaLibrary
import Testing

/// A library of many tracks. The variable `DESCANT_LIBRARY_TRACKS` gives their number, 2,000 by default; the figures are printed.
@Suite struct LargeLibraryTests {
    private let music: MusicFolder

    init() throws { music = try MusicFolder() }

    /// Makes up tags from the numbers in a path, so that no large files are needed.
    private final class MadeUpTags: TagReaderPort {
        static let words = [
            "river", "stone", "amber", "night", "cello", "winter", "harbour", "signal", "orchard", "meadow", "ember",
            "lantern", "shadow", "canyon", "violet", "thunder",
        ]

        func read(url: URL) throws -> TagBundle {
            let number = Int(url.deletingPathExtension().lastPathComponent) ?? 0
            let album = number / 10
            func word(_ value: Int) -> String { Self.words[value % 16] }
            return TagBundle(
                "\(word(number)) \(word(number / 16)) \(number)", by: "\(word(album / 160)) band \(album / 10)",
                on: "\(word(album)) \(word(album / 16)) \(album)", number: number % 10 + 1, year: 1950 + album % 70,
                genre: word(album))
        }
    }

    private func seconds(_ work: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await work()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    @Test(.timeLimit(.minutes(30))) func manyTracksAreScannedAndFound() async throws {
        let count = ProcessInfo.processInfo.environment["DESCANT_LIBRARY_TRACKS"].flatMap(Int.init) ?? 2_000
        for number in 0..<count {
            let folder = "\(music.url.path)/\(number / 1_000)/\(number / 10)"
            if number % 10 == 0 {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            close(creat("\(folder)/\(number).flac", 0o600))
        }
        let library = try music.library()
        try await library.add(music.url)
        var figures: [(String, Double)] = []
        let service = DefaultTagReaderService(tagReaderPort: MadeUpTags())
        figures.append(("first scan", await seconds { _ = try? await library.scan(with: service) }))
        figures.append(("second scan", await seconds { _ = try? await library.scan(with: service) }))
        #expect(try await library.statistics().trackCount == count)
        #expect(try await library.artists().count == (count + 99) / 100)
        let reopened = try await {
            let start = ContinuousClock.now
            let library = try music.library()
            _ = try await library.artists()
            figures.append(("open and list artists", (ContinuousClock.now - start) / .seconds(1)))
            return library
        }()
        for text in ["r", "ri", "river", "river st", "w e c", "ember 19", "nothing at all"] {
            let times = try await (0..<20).asyncMap { _ in
                try await seconds { _ = try await reopened.search(text) }
            }.sorted()
            figures.append(("search \(text)", times[10]))
            let found = try await reopened.search(text, limit: 5)
            #expect(text == "nothing at all" ? found.isEmpty : !found.isEmpty, "\(text)")
        }
        figures.append(("all albums", try await seconds { _ = try await reopened.albums() }))
        figures.append(
            ("an artist's albums", try await seconds { _ = try await reopened.albums(by: "river band 0") }))
        for (name, time) in figures {
            print("library of \(count): \(name): \(String(format: "%.1f", time * 1_000)) ms")
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ work: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await work(element)) }
        return values
    }
}
