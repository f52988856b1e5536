import DescantTesting
import Foundation
import Testing

@testable import DescantCore

@Suite struct CheckedFilesTests {
    enum Change: CaseIterable, Sendable { case replaced, linked, lengthened, removed }

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// What is loaded has to be what was checked.
    @Test(arguments: Change.allCases)
    func changeAfterTheReadIsFound(_ change: Change) throws {
        let content = Data("checked".utf8)
        let file = try folder.write(content, to: "libx.so")
        // The same content, so that only the file is another.
        let other = try folder.write(content, to: "other.so")
        var files = CheckedFiles()
        let data = try files.read("libx.so", in: folder.url.path, limit: 100)
        #expect(data == content)
        try files.requireUnchanged()

        switch change {
        case .replaced: try #require(rename(other.path, file.path) == 0)
        case .linked:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
        case .lengthened:
            let handle = try FileHandle(forWritingTo: file)
            _ = try handle.seekToEnd()
            try handle.write(contentsOf: Data(" and more".utf8))
            try handle.close()
        case .removed: try FileManager.default.removeItem(at: file)
        }
        let checked = files
        let error = #expect(throws: PluginError.self) { try checked.requireUnchanged() }
        #expect(error?.subject == file.path)
    }

    /// Of a file that is no library only the first piece stays in memory; of one that looks like a library, all of it.
    @Test(arguments: [false, true])
    func filesAreDigestedInPieces(_ isELF: Bool) throws {
        let piece = CheckedFiles.pieceLength
        var data = Data((0..<2 * piece + 100).map { UInt8(truncatingIfNeeded: $0 / 7) })
        if isELF { data.replaceSubrange(0..<4, with: [0x7F] + Array("ELF".utf8)) }
        try folder.write(data, to: "model.bin")
        var files = CheckedFiles()
        let (digest, content) = try files.digest("model.bin", in: folder.url.path, limit: data.count)
        #expect(digest == SHA256.hexadecimal(data))
        #expect(content == (isELF ? data : data.prefix(piece)))
        try files.requireUnchanged()
        let error = #expect(throws: PluginError.self) {
            var others = CheckedFiles()
            _ = try others.digest("model.bin", in: folder.url.path, limit: data.count - 1)
        }
        #expect(error?.cause.contains("it is longer than 2 MiB") == true)
    }

    /// What lies behind the link is in a folder that was not checked.
    @Test func folderBehindALinkIsRefused() throws {
        let (link, other) = (folder.file("data"), folder.file("other"))
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        try Data("model".utf8).write(to: other.appendingPathComponent("model.bin"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
        let error = #expect(throws: PluginError.self) {
            var files = CheckedFiles()
            _ = try files.read("data/model.bin", in: folder.url.path, limit: 100)
        }
        #expect(error == .unsafePermissions(path: link.path, reason: "it is a symbolic link and not a folder"))
    }

    /// One of several files is enough.
    @Test func everyFileIsCompared() throws {
        var files = CheckedFiles()
        for name in ["liba.so", "data/model.bin", "libz.so"] {
            let file = folder.file(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(name.utf8).write(to: file)
            _ = try files.read(name, in: folder.url.path, limit: 100)
        }
        try files.requireUnchanged()
        let model = folder.file("data/model.bin")
        try FileManager.default.removeItem(at: model)
        try Data("another".utf8).write(to: model)
        let checked = files
        let error = #expect(throws: PluginError.self) { try checked.requireUnchanged() }
        #expect(error?.subject == model.path)
    }
}
