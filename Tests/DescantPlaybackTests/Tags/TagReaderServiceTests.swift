import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Synchronization
import Testing

/// The service on fakes: bulk reading, its progress, its bounds and its end.
@Suite struct TagReaderServiceTests {
    /// A mock of an app: a plain class with one method.
    private final class Mock: TagReaderPort {
        var read: [URL] = []

        func read(url: URL) throws -> TagBundle {
            read.append(url)
            if url.lastPathComponent.hasPrefix("bad") { throw CoreError.decodeError("\(url.path) is damaged") }
            return TagBundle(title: "title of \(url.lastPathComponent)")
        }
    }

    /// Counts the concurrent calls, and blocks each until it is released.
    private final class Gate: TagReaderPort, Sendable {
        private struct State {
            var running = 0
            var most = 0
            var total = 0
        }
        private let state = Mutex(State())
        var most: Int { state.withLock { $0.most } }
        var total: Int { state.withLock { $0.total } }

        func read(url: URL) throws -> TagBundle {
            state.withLock {
                $0.running += 1
                $0.total += 1
                $0.most = max($0.most, $0.running)
            }
            defer { state.withLock { $0.running -= 1 } }
            return TagBundle(title: url.lastPathComponent)
        }
    }

    private func folder(_ files: [String]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for file in files {
            let url = directory.file(file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        return directory
    }

    @Test func titleIsTheTagOrTheFileName() throws {
        let service = DefaultTagReaderService(tagReaderPort: Mock())
        let url = URL(fileURLWithPath: "/music/one.flac")
        #expect(try service.readMetadata(for: url).title == "title of one.flac")
        #expect(Track(url: url).title == "one")
        #expect(Track(url: url, tags: TagBundle(title: "")).title == "one")
        #expect(Track(url: url) != Track(url: url))
        #expect(throws: CoreError.self) { try service.readMetadata(for: URL(fileURLWithPath: "/music/bad.mp3")) }
    }

    @Test func folderIsReadRecursively() async throws {
        let names = ["a.mp3", "b.FLAC", "sub/c.ogg", "sub/deep/d.opus", "Live.flac/e.mp3", "bad.wav"]
        let directory = try folder(names + ["cover.jpg", "sub/notes.txt", "mp3"])
        // A link to the parent folder must not cause an endless scan.
        try FileManager.default.createSymbolicLink(
            at: directory.file("sub/circle"), withDestinationURL: directory.url)
        let service = DefaultTagReaderService(tagReaderPort: Mock())
        var (read, failed, last): (Set<String>, [String], TagReadingProgress?) = ([], [], nil)
        for await result in service.readMetadata(in: directory.url) {
            let name = String(result.url.path.dropFirst(directory.url.path.count + 1))
            switch result.outcome {
            case .success: read.insert(name)
            case .failure(let error): failed.append("\(name): \(error.code)")
            }
            if let last { #expect(result.progress.filesRead == last.filesRead + 1) }
            last = result.progress
        }
        #expect(read == Set(names.dropLast()) && failed == ["bad.wav: decodeError"])
        #expect(last == TagReadingProgress(filesRead: 6, filesFound: 6, isComplete: true) && last?.fraction == 1)
    }

    @Test func furtherFileExtensionsAreReadInFolders() async throws {
        let directory = try folder(["a.mp3", "b.hum", "sub/c.HUM"])
        let service = DefaultTagReaderService(tagReaderPort: Gate()) { ["hum"] }
        var names: [String] = []
        for await result in service.readMetadata(in: directory.url) { names.append(result.url.lastPathComponent) }
        #expect(names.sorted() == ["b.hum", "c.HUM"])
    }

    @Test func missingFolderFails() async throws {
        let missing = try TemporaryDirectory().file("missing")
        var results: [TagReadingResult] = []
        for await result in DefaultTagReaderService(tagReaderPort: Mock()).readMetadata(in: missing) {
            results.append(result)
        }
        #expect(results.count == 1 && results.first?.track == nil)
        guard case .failure(.notFound)? = results.first?.outcome else {
            Issue.record("\(results)")
            return
        }
    }

    @Test(arguments: [1, 2, 7]) func everyFileIsReadOnce(_ parallelism: Int) async {
        let urls = (0..<2_000).map { URL(fileURLWithPath: "/music/\($0).flac") }
        let gate = Gate()
        let service = DefaultTagReaderService(tagReaderPort: gate, parallelism: parallelism)
        var seen: [URL] = []
        for await result in service.readMetadata(of: urls) { seen.append(result.url) }
        #expect(seen == urls)
        #expect(gate.most <= parallelism)
    }

    /// Waits with the first file until one is read that another thread has taken.
    private final class SlowFirstFile: TagReaderPort, Sendable {
        private let other = DispatchSemaphore(value: 0)

        func read(url: URL) throws -> TagBundle {
            switch url.lastPathComponent {
            case "0.flac": other.wait()
            case "15.flac": other.signal()
            default: break
            }
            return TagBundle(title: url.lastPathComponent)
        }
    }

    @Test func resultsAndProgressGoOnInTheOrderOfTheFilesWhateverIsReadFirst() async {
        let urls = (0..<16).map { URL(fileURLWithPath: "/music/\($0).flac") }
        let service = DefaultTagReaderService(tagReaderPort: SlowFirstFile(), parallelism: 2)
        var (seen, counts): ([URL], [Int]) = ([], [])
        for await result in service.readMetadata(of: urls) {
            seen.append(result.url)
            counts.append(result.progress.filesRead)
        }
        #expect(seen == urls && counts == Array(1...16))
    }

    @Test func readAheadIsBounded() async {
        let urls = (0..<5_000).map { URL(fileURLWithPath: "/music/\($0).flac") }
        let gate = Gate()
        let iterator = DefaultTagReaderService(tagReaderPort: gate, parallelism: 2).readMetadata(of: urls)
        var reading = iterator.makeAsyncIterator()
        for count in 1...300 {
            _ = await reading.next()
            // Delivered files, the batch being delivered, the queue, and one file per thread.
            #expect(gate.total <= count + 3 * 32 + 2 * 8)
        }
    }

    @Test func cancellingEndsTheScan() async {
        let urls = (0..<100_000).map { URL(fileURLWithPath: "/music/\($0).flac") }
        let gate = Gate()
        let service = DefaultTagReaderService(tagReaderPort: gate, parallelism: 2)
        let task = Task {
            var count = 0
            for await _ in service.readMetadata(of: urls) {
                count += 1
                if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        // The results of the same batch may still arrive.
        #expect(await task.value < 200)
        #expect(gate.total < 500)
    }

    /// A service of another program with only the method for a single file.
    private final class OtherService: TagReaderService {
        func readMetadata(for url: URL) throws -> Track { Track(url: url, tags: TagBundle(title: "other")) }
    }

    @Test func singleFileServiceReadsManyFiles() async throws {
        let directory = try folder(["a.mp3", "b.mp3"])
        var titles: [String] = []
        for await result in OtherService().readMetadata(in: directory.url) {
            titles.append(try result.outcome.get().title)
        }
        #expect(titles == ["other", "other"])
    }
}
