import DescantCore
import DescantTagLib
import DescantTesting
import Foundation
import Glibc
import Testing

/// Folders in which a file can be replaced, but which cannot be synchronised with the disk.
@Suite struct UnusualFolderTests {
    private let directory: TemporaryDirectory
    private let folder: URL
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.file("music")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        file = folder.appendingPathComponent("v24.mp3")
        try TaggedFiles.data("v24.mp3").write(to: file)
    }

    /// Root can open the folder nevertheless.
    @Test func fileInAFolderWithoutReadPermissionIsReplaced() throws {
        #expect(chmod(folder.path, 0o300) == 0)
        defer { chmod(folder.path, 0o700) }
        try TagLibWriter().write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: file).title == "New")
    }

    @Test func folderThatCannotBeOpenedAfterTheReplacementIsNoError() throws {
        let old = try Data(contentsOf: file)
        let moved = directory.file("moved")
        let writer = TagLibWriter(step: 1 << 20) { [file, folder] in
            // The folder gets another name between the replacement and the synchronisation.
            if let now = try? Data(contentsOf: file), now != old {
                try? FileManager.default.moveItem(at: folder, to: moved)
            }
            return true
        }
        try writer.write(url: file, tags: TagBundle(title: "New"))
        #expect(try TagLibReader().read(url: moved.appendingPathComponent("v24.mp3")).title == "New")
    }
}
