import Descant
import Foundation
import MediaLibrary

/// A folder with short sound files for one test, removed afterwards.
final class MusicFolder {
    let url: URL
    private let home: URL

    init() throws {
        home = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "descant-library-\(UUID().uuidString)")
        url = home.appending(path: "music", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    /// The file of the library.
    var libraryFile: URL { home.appending(path: "data/library.sqlite") }

    /// A folder beside the music.
    var elsewhere: URL { home.appending(path: "elsewhere", directoryHint: .isDirectory) }

    func library() throws -> MediaLibrary { try MediaLibrary(at: libraryFile) }

    /// A library that has read the folder.
    func scannedLibrary() async throws -> MediaLibrary {
        let library = try library()
        try await library.add(url)
        try await library.scan(with: Self.reader)
        return library
    }

    static var reader: any TagReaderService & Sendable { AudioEnvironment.shared.makeTagReaderService() }

    /// Writes a WAVE file of 0.1 s with tags.
    @discardableResult
    func track(_ path: String, _ tags: TagBundle = TagBundle()) throws -> URL {
        let file = url.appending(path: path, directoryHint: .notDirectory)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Self.wave.write(to: file)
        if !tags.isEmpty { try AudioEnvironment.shared.makeTagWriter().write(url: file, change: TagChange(set: tags)) }
        return file
    }

    /// 800 frames of silence at 8 kHz.
    private static let wave: Data = {
        func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var data = Data("RIFF".utf8) + bytes(36 + 1_600) + Data("WAVEfmt ".utf8) + bytes(16)
        data += [1, 0, 1, 0] + bytes(8_000) + bytes(16_000) + [2, 0, 16, 0] + Data("data".utf8) + bytes(1_600)
        return data + Data(count: 1_600)
    }()

    func remove(_ path: String) throws { try FileManager.default.removeItem(at: url.appending(path: path)) }

    func move(_ path: String, to target: String) throws {
        let file = url.appending(path: target)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: url.appending(path: path), to: file)
    }
}

extension TagBundle {
    init(_ title: String, by artist: String, on album: String, number: Int = 1, year: Int? = nil, genre: String? = nil)
    {
        self.init(title: title, artist: artist, album: album, genre: genre, year: year, trackNumber: number)
    }
}
