import Foundation
import GRDB
import MediaLibrary
import Testing

/// Library files that are damaged, foreign or out of reach.
@Suite struct DamageTests {
    private let music: MusicFolder

    init() throws { music = try MusicFolder() }

    private func overwrite(_ range: Range<Int>, with byte: UInt8 = 0xAA) throws {
        let handle = try FileHandle(forWritingTo: music.libraryFile)
        try handle.seek(toOffset: UInt64(range.lowerBound))
        try handle.write(contentsOf: Data(repeating: byte, count: range.count))
        try handle.close()
    }

    private var size: Int {
        get throws { try Data(contentsOf: music.libraryFile).count }
    }

    private var aside: String { music.libraryFile.path + ".damaged" }

    @Test func aFileThatIsNoLibraryIsSetAside() async throws {
        try FileManager.default.createDirectory(
            at: music.libraryFile.deletingLastPathComponent(), withIntermediateDirectories: true)
        for number in 1...2 {
            try Data("this is no database, whatever its name says".utf8).write(to: music.libraryFile)
            let library = try music.library()
            #expect(library.openingNotice?.contains("was set aside as library.sqlite.damaged") == true)
            #expect(library.openingNotice?.contains("add its folders again") == true)
            #expect(FileManager.default.fileExists(atPath: number == 1 ? aside : aside + "-2"))
            #expect(try await library.statistics().trackCount == 0)
        }
        #expect(try music.library().openingNotice == nil)
    }

    @Test func damageThatIsMetLaterIsSetAsideToo() async throws {
        for number in 0..<300 { try music.track("\(number).wav") }
        _ = try await music.scannedLibrary()
        // Opening reads the first pages only, which are sound.
        try overwrite(16 * 4_096..<(try size))
        let library = try music.library()
        #expect(library.openingNotice == nil)
        await #expect {
            _ = try await library.statistics()
            _ = try await library.tracks()
            _ = try await library.search("1")
        } throws: { error in
            guard case LibraryError.damaged(_, let reason) = error else { return false }
            return reason.contains("set aside as library.sqlite.damaged; scan its folders again")
        }
        #expect(FileManager.default.fileExists(atPath: aside))
        // The folders could still be read, and the library goes on.
        #expect(try await library.folders().map(\.path) == [music.url.path])
        #expect(try await library.scan(with: MusicFolder.reader).added == 300)
        #expect(try await library.search("299").count == 1)
    }

    /// The statements that made the tables are text in the file, and so is the list of migrations.
    @Test(arguments: ["CREATE TABLE grdb_migrations (identifier", "1 folders and tracks", "CREATE TABLE \"folder\""])
    func damageOfTheSchemaIsFoundAtOpening(_ text: String) async throws {
        try music.track("1.wav")
        _ = try await music.scannedLibrary()
        var bytes = try Data(contentsOf: music.libraryFile)
        let place = try #require(bytes.firstRange(of: Data(text.utf8)))
        bytes[place.upperBound - 2] ^= 0xFF
        try bytes.write(to: music.libraryFile)
        let notice = try #require(try music.library().openingNotice)
        #expect(notice.contains("was damaged and was set aside as library.sqlite.damaged"))
    }

    @Test func aLibraryOfANewerVersionIsLeftAlone() async throws {
        _ = try music.library()
        let queue = try DatabaseQueue(path: music.libraryFile.path)
        try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 of the future')") }
        try queue.close()
        #expect(throws: LibraryError.newer(music.libraryFile.path)) { try music.library() }
        #expect(!FileManager.default.fileExists(atPath: aside))
    }

    /// Only one of them makes the tables.
    @Test func aLibraryThatSeveralCreateAtOnceIsNotDamaged() async throws {
        let folder = music.libraryFile.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for round in 0..<8 {
            let file = folder.appending(path: "\(round).sqlite")
            // With an empty list of migrations nobody waits for anybody before the list is read.
            let pool = try DatabasePool(path: file.path)
            try await pool.write {
                try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try pool.close()
            await withTaskGroup(of: Void.self) { group in
                // SQLite may be busy, which is no damage.
                for _ in 0..<4 { group.addTask { _ = try? MediaLibrary(at: file) } }
            }
            #expect(try MediaLibrary(at: file).openingNotice == nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("damaged") }, "\(names)")
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() async throws {
        let blocked = music.url.appending(path: "file")
        try Data().write(to: blocked)
        #expect {
            try MediaLibrary(at: blocked.appending(path: "library.sqlite"))
        } throws: { "\($0)".contains("the library's folder cannot be made") }
        try FileManager.default.createDirectory(at: music.libraryFile, withIntermediateDirectories: true)
        #expect { try music.library() } throws: { "\($0)".contains("cannot be opened for writing") }
    }

    @Test func everyTruncationIsSurvived() async throws {
        for number in 0..<40 { try music.track("\(number).wav") }
        _ = try await music.scannedLibrary()
        let whole = try Data(contentsOf: music.libraryFile)
        var random = SystemRandomNumberGenerator()
        for length in [0, 1, 15, 16, 99, 100, 101, 4_095, 4_096, 4_097, whole.count / 2, whole.count - 1] {
            for flips in [0, 20] {
                var bytes = whole.prefix(length)
                for _ in 0..<(bytes.isEmpty ? 0 : flips) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0xFF
                }
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: music.libraryFile.path + suffix)
                }
                try bytes.write(to: music.libraryFile)
                let library = try music.library()
                // Damage may show in the first call, which sets the file aside; the second one works then.
                _ = try? await library.add(music.url)
                _ = try? await library.scan(with: MusicFolder.reader)
                _ = try? await library.search("1")
                _ = try? await library.add(music.url)
                _ = try? await library.scan(with: MusicFolder.reader)
                #expect(throws: Never.self, "\(length) bytes, \(flips) wrong") { _ = try music.library() }
            }
        }
    }
}
