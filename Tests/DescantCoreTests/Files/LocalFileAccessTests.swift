import DescantCore
import DescantTesting
import Foundation
import Testing

struct LocalFileAccessTests {
    private let directory: TemporaryDirectory
    private let root: URL
    private let song: URL

    init() throws {
        directory = try TemporaryDirectory(label: "descant-access")
        root = directory.file("music")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        song = root.appendingPathComponent("song.raw")
        try Data(0..<100).write(to: song)
    }

    private func read(_ files: LocalFileAccess, _ token: FileHandleToken, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { buffer in
            try buffer.baseAddress.map { try files.read(token, into: $0, count: count) } ?? 0
        }
        return Array(bytes.prefix(read))
    }

    @Test func readsSeeksAndReturnsTheSize() throws {
        let files = LocalFileAccess()
        let token = try files.open(url: song)
        #expect(try files.size(token) == 100)
        #expect(try read(files, token, 3) == [0, 1, 2])
        try files.seek(token, offset: 2, origin: .current)
        #expect(try read(files, token, 1) == [5])
        try files.seek(token, offset: -1, origin: .end)
        #expect(try read(files, token, 9) == [99])
        #expect(try read(files, token, 9) == [])
        try files.seek(token, offset: 50, origin: .start)
        #expect(try read(files, token, 1) == [50])
        for (offset, origin) in [
            (-1, FileSeekOrigin.start), (101, .start), (1, .end), (.max, .current), (-52, .current),
        ] {
            #expect { try files.seek(token, offset: Int64(offset), origin: origin) } throws: {
                ($0 as? CoreError)?.code == "invalidArgument"
            }
        }
        #expect(try read(files, token, 1) == [51], "a refused seek moves nothing")
        files.close(token)
        files.close(token)
        #expect { try files.size(token) } throws: { ($0 as? CoreError)?.code == "invalidState" }
    }

    @Test func openErrorNamesTheFile() throws {
        let files = LocalFileAccess(roots: [root])
        #expect { try files.open(url: root.appendingPathComponent("no.raw")) } throws: {
            ($0 as? CoreError)?.code == "notFound" && "\($0)".contains("no.raw")
        }
        // A folder that is gone is no reason to name the roots.
        #expect { try files.open(url: root.appendingPathComponent("gone/deep/no.raw")) } throws: {
            ($0 as? CoreError)?.code == "notFound"
        }
        let aside = URL(fileURLWithPath: root.path + "/gone/../../secret")
        #expect { try files.open(url: aside) } throws: { ($0 as? CoreError)?.code == "ioError" }
        #expect { try files.open(url: root) } throws: { ($0 as? CoreError)?.code == "ioError" }
        #expect { try files.open(url: try #require(URL(string: "http://localhost/a"))) } throws: {
            ($0 as? CoreError)?.code == "unsupported"
        }
    }

    @Test func filesOutsideTheRootsAreRefused() throws {
        let files = LocalFileAccess(roots: [root])
        let secret = try directory.write(Data("secret".utf8), to: "secret")
        let manager = FileManager.default
        let link = root.appendingPathComponent("link")
        try manager.createSymbolicLink(at: link, withDestinationURL: secret)
        let folderLink = root.appendingPathComponent("folder")
        try manager.createSymbolicLink(at: folderLink, withDestinationURL: directory.url)
        let neighbour = directory.file("music2")
        try manager.createDirectory(at: neighbour, withIntermediateDirectories: false)
        let near = neighbour.appendingPathComponent("near")
        try Data([1]).write(to: near)
        let outside = [
            secret, link, folderLink.appendingPathComponent("secret"), near,
            URL(fileURLWithPath: root.path + "/../secret"), directory.file("missing"),
            folderLink.appendingPathComponent("missing"),
        ]
        for url in outside {
            #expect { try files.open(url: url) } throws: { ($0 as? CoreError)?.code == "ioError" }
        }
        #expect(throws: CoreError.self) { try LocalFileAccess(roots: []).open(url: song) }
        files.close(try files.open(url: song))
    }

    @Test func linksWithinARootAndRootsThatAreLinksWork() throws {
        let manager = FileManager.default
        let alias = root.appendingPathComponent("alias.raw")
        try manager.createSymbolicLink(at: alias, withDestinationURL: song)
        let rootAlias = directory.file("music-link")
        try manager.createSymbolicLink(at: rootAlias, withDestinationURL: root)
        let files = LocalFileAccess(roots: [rootAlias])
        for url in [alias, song, rootAlias.appendingPathComponent("song.raw")] { files.close(try files.open(url: url)) }
    }

    @Test func namedPipeDoesNotBlock() throws {
        let pipe = root.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect { try LocalFileAccess().open(url: pipe) } throws: { ($0 as? CoreError)?.code == "ioError" }
    }
}
