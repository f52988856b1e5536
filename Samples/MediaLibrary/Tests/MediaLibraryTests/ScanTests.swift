import Descant
import Foundation
import GRDB
import MediaLibrary
import Synchronization
import Testing

/// Folders, scans and what they keep.
@Suite struct ScanTests {
    private let music: MusicFolder

    init() throws { music = try MusicFolder() }

    /// A reader of tags that notes which files it reads.
    private final class NotingReader: TagReaderService, Sendable {
        private let reader = MusicFolder.reader
        private let names = Mutex<[String]>([])
        /// Why files cannot be read, by name.
        private let failures = Mutex<[String: CoreError]>([:])

        func readMetadata(for url: URL) throws -> Track {
            names.withLock { $0.append(url.lastPathComponent) }
            if let failure = failures.withLock({ $0[url.lastPathComponent] }) { throw failure }
            return try reader.readMetadata(for: url)
        }

        func fail(_ reasons: [String: CoreError]) { failures.withLock { $0 = reasons } }

        func take() -> [String] {
            names.withLock { names in
                defer { names = [] }
                return names.sorted()
            }
        }
    }

    @Test func onlyNewAndChangedFilesAreRead() async throws {
        try music.track("a/1.wav", TagBundle("One", by: "Ann", on: "First"))
        try music.track("a/2.wav", TagBundle("Two", by: "Ann", on: "First", number: 2))
        try music.track(".hidden/3.wav")
        try Data("text".utf8).write(to: music.url.appending(path: "a/notes.txt"))
        let library = try music.library()
        try await library.add(music.url)
        let reader = NotingReader()
        let first = try await library.scan(with: reader)
        #expect(first.added == 2 && first.unchanged == 0 && first.problems.isEmpty)
        #expect(reader.take() == ["1.wav", "2.wav"])
        let second = try await library.scan(with: reader)
        #expect(second.unchanged == 2 && !second.hasChanges)
        #expect(reader.take().isEmpty)

        try music.track("a/2.wav", TagBundle("Another", by: "Ann", on: "First", number: 2))
        try music.track("b/4.wav")
        try music.remove("a/1.wav")
        let third = try await library.scan(with: reader)
        #expect(third.added == 1 && third.updated == 1 && third.removed == 1 && third.unchanged == 0)
        #expect(reader.take() == ["2.wav", "4.wav"])
        #expect(try await library.tracks().map(\.title).sorted() == ["4", "Another"])
        let other = try await MediaLibrary(at: music.libraryFile).tracks()
        #expect(other.count == 2, "the library is on the disk")
    }

    @Test func filesOfPluginsAreFound() async throws {
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("hum", extensions: ["hum"]) { throw CoreError.unsupported("never made") })
        let reader = AudioEnvironment(plugins: registry).makeTagReaderService()
        try Data("440".utf8).write(to: music.url.appending(path: "tone.hum"))
        let library = try music.library()
        try await library.add(music.url)
        let report = try await library.scan(with: reader)
        #expect(report.added == 1 && report.failed == 1)
        #expect(try await library.tracks().map(\.title) == ["tone"])
    }

    @Test func aFileThatMovesKeepsItsPlays() async throws {
        let file = try music.track("a/1.wav", TagBundle("One", by: "Ann", on: "First"))
        try music.track("a/2.wav", TagBundle("Second", by: "Ann", on: "First"))
        let library = try await music.scannedLibrary()
        #expect(try await library.notePlayed(file))
        #expect(try await library.notePlayed(file))
        #expect(try await library.notePlayed(music.elsewhere) == false)
        let before = try #require(try await library.track(at: file))
        #expect(before.playCount == 2 && before.lastPlayed != nil)
        try music.move("a/1.wav", to: "b/c/one.wav")
        let reader = NotingReader()
        let report = try await library.scan(with: reader)
        #expect(report.moved == 1 && report.removed == 0 && report.added == 0)
        #expect(reader.take().isEmpty)
        let moved = music.url.appending(path: "b/c/one.wav")
        let after = try #require(try await library.track(at: moved))
        #expect(after.id == before.id && after.playCount == 2)
        // Also when its tags change.
        try music.track("b/c/one.wav", TagBundle("Uno", by: "Ann", on: "First"))
        try await library.scan(with: reader)
        let changed = try #require(try await library.track(at: moved))
        #expect(changed.title == "Uno" && changed.playCount == 2)
        var query = LibraryQuery()
        query.order = .mostPlayed
        #expect(try await library.tracks(query).map(\.title) == ["Uno"])
    }

    @Test func anInterruptedScanGoesOnWhereItWas() async throws {
        for number in 0..<450 { try music.track("\(number / 50)/\(number).wav") }
        let library = try music.library()
        try await library.add(music.url)
        let reader = NotingReader()
        let progresses = Mutex<[LibraryScanProgress]>([])
        let scan = Task {
            try await library.scan(with: reader) { progress in
                // Called in the task of the scan.
                progresses.withLock { $0.append(progress) }
                if progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { _ = try await scan.value }
        let stored = try await library.statistics().trackCount
        // On a slow disk fewer files than a whole batch are stored.
        #expect((1..<450).contains(stored), "\(stored)")
        let told = progresses.withLock { $0 }
        #expect(told.first?.phase == .searching && told.last?.phase == .finished)
        #expect(told.dropLast().allSatisfy { $0.folder == music.url.path })
        #expect(told.contains { $0.phase == .reading && $0.done == stored && $0.total == 450 })
        _ = reader.take()
        let report = try await library.scan(with: reader)
        #expect(report.unchanged == stored && report.added == 450 - stored)
        #expect(reader.take().count == 450 - stored)
    }

    @Test func aFileCanBeScannedByItself() async throws {
        let file = try music.track("a/1.wav", TagBundle("One", by: "Ann", on: "First"))
        try music.track("a/2.wav")
        let library = try await music.scannedLibrary()
        try await library.notePlayed(file)
        let reader = NotingReader()
        let same = try await library.scan([file], with: reader)
        #expect(same.unchanged == 1 && !same.hasChanges && same.problems.isEmpty)
        try music.track("a/1.wav", TagBundle("Another", by: "Ann", on: "First"))
        let changed = try await library.scan([file], with: reader)
        #expect(changed.updated == 1 && changed.removed == 0)
        let new = try music.track("a/3.wav")
        #expect(try await library.scan([new], with: reader).added == 1)
        #expect(reader.take() == ["1.wav", "3.wav"])
        #expect(try await library.track(at: file)?.playCount == 1)
        try music.remove("a/3.wav")
        #expect(try await library.scan([new], with: reader).removed == 1)
        #expect(try await library.statistics().trackCount == 2)
    }

    @Test func aFileThatIsScannedByItselfAndCannotBeAskedForIsKept() async throws {
        let file = try music.track("a/1.wav")
        let library = try await music.scannedLibrary()
        try music.remove("a/1.wav")
        // What this link leads to cannot be asked for, by anybody.
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: String(repeating: "a", count: 300))
        let report = try await library.scan([file], with: MusicFolder.reader)
        #expect(report.removed == 0 && report.problems.map(\.path) == [file.path])
        #expect(try await library.statistics().trackCount == 1)
    }

    @Test func placesWithinEachOtherAreScannedOnce() async throws {
        let file = try music.track("a/1.wav", TagBundle("One", by: "Ann", on: "First"))
        let library = try await music.scannedLibrary()
        try await library.notePlayed(file)
        try music.move("a/1.wav", to: "a/one.wav")
        let new = try music.track("a/2.wav")
        let inner = music.url.appending(path: "a", directoryHint: .isDirectory)
        let report = try await library.scan([new, inner, music.url, inner, music.url], with: MusicFolder.reader)
        #expect(report.moved == 1 && report.added == 1 && report.removed == 0)
        #expect(try await library.track(at: inner.appending(path: "one.wav"))?.playCount == 1)
    }

    @Test func aFolderThatIsNotThereKeepsItsTracks() async throws {
        try music.track("a/1.wav")
        try music.track("b/2.wav")
        let library = try await music.scannedLibrary()
        try FileManager.default.moveItem(at: music.url, to: music.elsewhere)
        let report = try await library.scan(with: MusicFolder.reader)
        #expect(report.problems.map(\.path) == [music.url.path] && report.removed == 0)
        #expect(try await library.statistics().trackCount == 2)
        try FileManager.default.moveItem(at: music.elsewhere, to: music.url)
        try music.remove("b")
        let again = try await library.scan([music.url.appending(path: "b")], with: MusicFolder.reader)
        #expect(again.removed == 1 && again.problems.isEmpty, "a folder below is gone for good")
    }

    @Test func aMountPointWithoutItsDiskKeepsItsTracks() async throws {
        let file = try music.track("a/1.wav")
        let library = try await music.scannedLibrary()
        try await library.notePlayed(file)
        try FileManager.default.moveItem(at: music.url, to: music.elsewhere)
        let below = music.url.appending(path: "a", directoryHint: .isDirectory)
        let gone = try await library.scan([below], with: MusicFolder.reader)
        #expect(gone.removed == 0 && gone.problems.map(\.path) == [music.url.path])
        try FileManager.default.createDirectory(at: music.url, withIntermediateDirectories: false)
        for places in [nil, [below]] {
            let empty = try await library.scan(places, with: MusicFolder.reader)
            #expect(empty.removed == 0 && empty.problems.map(\.path) == [music.url.path])
        }
        try music.remove("")
        try FileManager.default.moveItem(at: music.elsewhere, to: music.url)
        let back = try await library.scan(with: MusicFolder.reader)
        #expect(back.unchanged == 1 && back.problems.isEmpty)
        #expect(try await library.track(at: file)?.playCount == 1)
    }

    /// A disk that answers with an error does not say that its files are gone.
    @Test func filesOfWhichNothingCanBeLearntAreKept() async throws {
        let file = try music.track("a/1.wav")
        try music.track("a/2.wav")
        try music.track("a/c/3.wav")
        try music.track("b/4.wav")
        let library = try await music.scannedLibrary()
        try await library.notePlayed(file)
        // Beside it, what is gone is gone.
        try music.remove("a/c/3.wav")
        try music.remove("a/1.wav")
        try music.remove("b/4.wav")
        // What these links lead to cannot be asked for, by anybody. The second one may be a folder, which is not followed.
        for link in [file, music.url.appending(path: "b/shared")] {
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: String(repeating: "a", count: 300))
        }
        let report = try await library.scan(with: MusicFolder.reader)
        #expect(report.removed == 2 && report.problems.map(\.path) == [music.url.appending(path: "a").path])
        #expect(report.problems.first?.reason == "File name too long")
        try music.remove("a/1.wav")
        try music.track("a/1.wav")
        #expect(try await library.scan(with: MusicFolder.reader).problems.isEmpty)
        #expect(try await library.track(at: file)?.playCount == 1)
        #expect(try await library.statistics().trackCount == 2)
    }

    @Test func namesAreComparedByteByByte() async throws {
        let old = try music.track("caf\u{65}\u{301}.wav").path
        let library = try await music.scannedLibrary()
        let new = music.url.path + "/caf\u{e9}.wav"
        #expect(rename(old, new) == 0)
        let report = try await library.scan(with: MusicFolder.reader)
        #expect(report.moved == 1 && report.unchanged == 0)
        let track = try #require(try await library.tracks().first)
        #expect(Array(track.url.path.utf8) == Array(new.utf8))
    }

    @Test func aFileIsKnownByLinks() async throws {
        try music.track("a/1.wav")
        try FileManager.default.createSymbolicLink(at: music.elsewhere, withDestinationURL: music.url)
        let alias = music.url.appending(path: "2.wav")
        try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: music.url.appending(path: "a/1.wav"))
        let library = try music.library()
        try await library.add(music.elsewhere)
        try await library.scan(with: MusicFolder.reader)
        let linked = music.elsewhere.appending(path: "a/1.wav")
        #expect(try await library.notePlayed(linked))
        #expect(try await library.track(at: linked)?.playCount == 1)
        #expect(try await library.track(at: alias)?.playCount == 0, "a link in the library is a track of its own")
    }

    @Test func foldersWithinEachOtherAreOne() async throws {
        try music.track("a/1.wav")
        try music.track("2.wav")
        let library = try music.library()
        let inner = music.url.appending(path: "a", directoryHint: .isDirectory)
        try await library.add(inner)
        try await library.add(inner)
        try await library.scan(with: MusicFolder.reader)
        try await library.notePlayed(inner.appending(path: "1.wav"))
        try await library.add(music.url)
        #expect(try await library.folders().map(\.path) == [music.url.path])
        await #expect(throws: LibraryError.self) { try await library.add(inner) }
        let report = try await library.scan(with: MusicFolder.reader)
        #expect(report.added == 1 && report.unchanged == 1)
        #expect(try await library.statistics().playCount == 1)
        await #expect(throws: LibraryError.self) { try await library.remove(inner) }
        await #expect(throws: LibraryError.self) { try await library.scan([music.elsewhere], with: MusicFolder.reader) }
        await #expect(throws: LibraryError.self) { try await library.add(music.elsewhere) }
        try await library.remove(music.url)
        let counts = try await library.statistics()
        #expect(counts.trackCount == 0 && counts.genreCount == 0)
    }

    @Test func filesWithoutReadableTagsAreKept() async throws {
        try Data("no sound".utf8).write(to: music.url.appending(path: "broken.flac"))
        try music.track("good.wav")
        let library = try music.library()
        try await library.add(music.url)
        let report = try await library.scan(with: MusicFolder.reader)
        #expect(report.added == 2 && report.failed == 1)
        let broken = try #require(try await library.tracks().first { $0.title == "broken" })
        #expect(broken.failure?.isEmpty == false)
        #expect(try await library.statistics().failureCount == 1)
        #expect(try await library.scan(with: MusicFolder.reader).unchanged == 2)
    }

    /// Permissions and plugins change without the file.
    @Test func filesThatCouldNotBeReadAreReadAgain() async throws {
        for (number, name) in ["damaged", "denied", "foreign", "good"].enumerated() {
            try music.track("a/\(name).wav", TagBundle("title of \(name)", by: "Ann", on: "First", number: number + 1))
        }
        let library = try music.library()
        try await library.add(music.url)
        let reader = NotingReader()
        let damaged = ["damaged.wav": CoreError.decodeError("damaged.wav: cut off")]
        let failures = [
            "denied.wav": CoreError.ioError("denied.wav: Permission denied"),
            "foreign.wav": CoreError.unsupported("foreign.wav: no reader"),
        ]
        reader.fail(failures.merging(damaged) { $1 })
        let first = try await library.scan(with: reader)
        #expect(first.added == 4 && first.failed == 3)
        _ = reader.take()
        let again = try await library.scan(with: reader)
        #expect(again.unchanged == 4 && again.failed == 0 && !again.hasChanges)
        #expect(reader.take() == ["denied.wav", "foreign.wav"], "damaged data stay damaged")
        reader.fail(damaged)
        #expect(try await library.scan([music.url], with: reader).unchanged == 4)
        #expect(reader.take().isEmpty, "a scan of places that have changed")
        let third = try await library.scan(with: reader)
        #expect(third.updated == 2 && third.unchanged == 2 && third.failed == 0)
        #expect(reader.take() == ["denied.wav", "foreign.wav"])
        let titles = try await library.tracks().map(\.title).sorted()
        #expect(titles == ["damaged", "title of denied", "title of foreign", "title of good"])
        #expect(try await library.statistics().failureCount == 1)
        _ = try await library.scan(with: reader)
        #expect(reader.take().isEmpty)
    }

    @Test(.timeLimit(.minutes(3))) func changesInTheFoldersAreFollowed() async throws {
        try music.track("a/1.wav")
        let library = try music.library()
        try await library.add(music.url)
        var reports = library.updates(with: MusicFolder.reader, quiet: 0.05).makeAsyncIterator()
        let first = try #require(try await reports.next())
        #expect(first.added == 1)
        /// Waits until the library has a number of tracks.
        func wait(for count: Int) async throws {
            while try await library.statistics().trackCount != count {
                _ = try #require(try await reports.next())
            }
        }
        try music.track("a/2.wav")
        try await wait(for: 2)
        // A folder that comes is watched, with what came before it was.
        try music.track("new/deep/3.wav")
        try await wait(for: 3)
        try music.track("new/deep/4.wav")
        try await wait(for: 4)
        try music.remove("a/1.wav")
        try await wait(for: 3)
        try await library.notePlayed(music.url.appending(path: "new/deep/3.wav"))
        try music.move("new/deep", to: "old")
        while try await library.track(at: music.url.appending(path: "old/3.wav")) == nil {
            _ = try #require(try await reports.next())
        }
        #expect(try await library.statistics().playCount == 1)
        try music.track("old/5.wav")
        try await wait(for: 4)
        try music.remove("old")
        try await wait(for: 1)
        // Other names of files, which nobody writes to.
        try FileManager.default.linkItem(
            at: music.url.appending(path: "a/2.wav"), to: music.url.appending(path: "a/hard.wav"))
        try await wait(for: 2)
        try FileManager.default.createSymbolicLink(
            at: music.url.appending(path: "a/symbolic.wav"), withDestinationURL: music.url.appending(path: "a/2.wav"))
        try await wait(for: 3)
    }

    /// Cameras and archives write any date.
    @Test func filesOfAnyDateAreFound() async throws {
        let file = try music.track("a/1.wav")
        let library = try music.library()
        var times = [timespec(tv_sec: 10_413_792_000, tv_nsec: 0), timespec(tv_sec: 10_413_792_000, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
        try await library.add(music.url)
        let first = try await library.scan(with: MusicFolder.reader)
        #expect(first.added == 1)
        let second = try await library.scan(with: MusicFolder.reader)
        #expect(second.added == 0 && second.unchanged == 1)
    }

    /// Another program may be writing to the library for a while.
    @Test(.timeLimit(.minutes(3))) func aFirstScanThatCannotBeStoredDoesNotEndTheWatch() async throws {
        try music.track("a/1.wav")
        try music.track("b/2.wav")
        let library = try music.library()
        try await library.add(music.url)
        let other = try DatabaseQueue(path: music.libraryFile.path)
        try await other.write {
            try $0.execute(
                sql: "CREATE TRIGGER refusal BEFORE INSERT ON track BEGIN SELECT RAISE(ABORT, 'not now'); END")
        }
        let progresses = Mutex<[LibraryScanProgress]>([])
        let updates = library.updates(with: MusicFolder.reader, quiet: 0.05) { progress in
            progresses.withLock { $0.append(progress) }
        }
        var reports = updates.makeAsyncIterator()
        let first = try #require(try await reports.next())
        #expect(!first.hasChanges && first.problems.map(\.path) == [music.libraryFile.path])
        let last = progresses.withLock { $0.last }
        #expect(last?.phase == .finished)
        try await other.write { try $0.execute(sql: "DROP TRIGGER refusal") }
        // With the new file comes what the first scan could not store.
        try music.track("b/3.wav")
        while try await library.statistics().trackCount != 3 { _ = try #require(try await reports.next()) }
    }

    @Test(.timeLimit(.minutes(3))) func foldersThatLeaveTheLibraryDoNotEndTheWatch() async throws {
        try music.track("one/1.wav")
        try music.track("two/album/2.wav")
        let library = try music.library()
        let folders = ["one", "two"].map { music.url.appending(path: $0, directoryHint: .isDirectory) }
        for folder in folders { try await library.add(folder) }
        var reports = library.updates(with: MusicFolder.reader, quiet: 0.05).makeAsyncIterator()
        #expect(try await reports.next()?.added == 2)
        try await library.remove(folders[0])
        try music.track("one/3.wav")
        try music.track("two/4.wav")
        #expect(try await reports.next()?.added == 1)
        // An album that lies on another disk now, with a link in its place.
        try music.move("two/album", to: "other/album")
        try FileManager.default.createSymbolicLink(
            at: folders[1].appending(path: "album"), withDestinationURL: music.url.appending(path: "other/album"))
        #expect(try await reports.next()?.removed == 1)
        try music.track("other/album/5.wav")
        try music.track("two/6.wav")
        #expect(try await reports.next()?.added == 1)
    }

    @Test(.timeLimit(.minutes(3))) func foldersThatAreAddedMeanwhileAreFollowed() async throws {
        try music.track("one/1.wav")
        try music.track("two/2.wav")
        let library = try music.library()
        let folders = ["one", "two"].map { music.url.appending(path: $0, directoryHint: .isDirectory) }
        try await library.add(folders[0])
        var reports = library.updates(with: MusicFolder.reader, quiet: 0.05).makeAsyncIterator()
        #expect(try await reports.next()?.added == 1)
        // Another program adds it.
        try await music.library().add(folders[1])
        #expect(try await reports.next()?.added == 1)
        try music.track("two/album/3.wav")
        #expect(try await reports.next()?.added == 1)
        #expect(try await library.statistics().trackCount == 3)
    }

    /// Its mount point is left, empty.
    @Test func aDiskThatGoesAwayDuringAScanKeepsItsTracks() async throws {
        for name in ["a/1.wav", "b/2.wav", "c/3.wav"] { try music.track(name) }
        let library = try music.library()
        try await library.add(music.url)
        _ = try await library.scan(with: MusicFolder.reader)
        let (root, elsewhere) = (music.url, music.elsewhere)
        let isGone = Mutex(false)
        let report = try await library.scan(with: MusicFolder.reader) { progress in
            guard progress.total > 0, !isGone.withLock({ gone in (gone, gone = true).0 }) else { return }
            try? FileManager.default.moveItem(at: root, to: elsewhere)
            try? FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        }
        #expect(isGone.withLock { $0 } && report.removed == 0)
        #expect(report.problems.map(\.path) == [music.url.path])
        #expect(try await library.tracks().count == 3)
    }
}
