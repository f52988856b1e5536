import Descant
import DescantTesting
import DiskCalls
import Foundation
import Testing

/// What a power failure leaves of a file whose tags are written: the new file is on the disk before it takes the name, and the name behind it.
@Suite struct TagSynchronisationTests {
    private let directory: TemporaryDirectory
    private let file: URL
    private let old: Data

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("noise.wav")
        try WAVFile(TestSignal.noise(seconds: 0.5).samples(), encoding: .int16).write(to: file)
        old = try Data(contentsOf: file)
    }

    /// Writes a title.
    ///
    /// - Returns: The calls that were made, and the error.
    private func write(
        fileSyncError: Int32 = 0, folderSyncError: Int32 = 0
    ) -> (calls: [descant_disk_call_record], error: (any Error)?) {
        let writer = AudioEnvironment.shared.makeTagWriter()
        descant_begin_recording_disk_calls(fileSyncError, folderSyncError)
        let result = Result { try writer.write(url: file, tags: TagBundle(title: "Rain")) }
        let count = descant_end_recording_disk_calls()
        let calls = (0..<count).map { descant_recorded_disk_call($0) }
        if case .failure(let error) = result { return (calls, error) }
        return (calls, nil)
    }

    private func title() throws -> String? { try AudioEnvironment.shared.makeTagReader().read(url: file).title }

    private func status(of url: URL) throws -> stat {
        var status = stat()
        try #require(stat(url.path, &status) == 0)
        return status
    }

    @Test func theWholeFileIsOnTheDiskBeforeItTakesTheName() throws {
        let (calls, error) = write()
        #expect(error == nil)
        #expect(calls.map(\.kind) == [DESCANT_FILE_SYNC, DESCANT_RENAME, DESCANT_FOLDER_SYNC])
        try #require(calls.count == 3)
        let (new, folder) = (try status(of: file), try status(of: directory.url))
        #expect(try Data(contentsOf: file) != old)
        #expect(try title() == "Rain")
        #expect(calls[0].inode == new.st_ino && calls[1].inode == new.st_ino && calls[2].inode == folder.st_ino)
        // Nothing was written behind the synchronisation, not even the mode.
        #expect(calls[0].size == new.st_size && calls[0].mode == new.st_mode)
    }

    @Test func aFileThatCannotBeSynchronisedDoesNotTakeTheName() throws {
        let (calls, error) = write(fileSyncError: EIO)
        let failure = try #require(error as? CoreError)
        #expect(failure.code == "ioError" && failure.message.contains(file.path))
        #expect(calls.map(\.kind) == [DESCANT_FILE_SYNC])
        #expect(try Data(contentsOf: file) == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["noise.wav"])
    }

    /// The file is replaced by then, and some file systems do not synchronise folders.
    @Test func aFolderThatCannotBeSynchronisedIsNoError() throws {
        let (calls, error) = write(folderSyncError: EINVAL)
        #expect(error == nil)
        #expect(calls.map(\.kind) == [DESCANT_FILE_SYNC, DESCANT_RENAME, DESCANT_FOLDER_SYNC])
        #expect(try title() == "Rain")
    }
}
