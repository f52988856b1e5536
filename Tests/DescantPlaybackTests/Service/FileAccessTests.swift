import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantPlayback

/// The file access of a service decides on every URL, and the decoder reads the file that it has opened.
struct FileAccessTests {
    private let directory: TemporaryDirectory
    private let song: URL

    init() throws {
        directory = try TemporaryDirectory(label: "descant-access")
        song = try directory.write(Data("the song".utf8), to: "song.raw")
    }

    private func service(_ decoder: any DecoderPort, _ files: any FileAccessPort) -> DefaultPlaybackService {
        DefaultPlaybackService(
            audio: MemoryOutput(), decoder: decoder, clock: ManualClock(), logger: NoopLogger(), fileAccess: files,
            session: nil, limits: .patient)
    }

    @Test func addressesOfNetworksAreRefused() throws {
        let decoder = ByteDecoder()
        let service = service(decoder, LocalFileAccess())
        let address = try #require(URL(string: "https://example.org/song.raw"))
        #expect { try service.load(url: address) } throws: { ($0 as? CoreError)?.code == "unsupported" }
        #expect(decoder.opened.isEmpty)
    }

    @Test func exchangedFileIsNotRead() throws {
        let other = try directory.write(Data("another one".utf8), to: "other.raw")
        let song = song
        let decoder = ByteDecoder {
            // Between the decision and the decoder's opening.
            try FileManager.default.removeItem(at: song)
            try FileManager.default.moveItem(at: other, to: song)
        }
        let service = service(decoder, LocalFileAccess(roots: [directory.url]))
        try service.load(url: song)
        #expect(decoder.opened == [Data("the song".utf8)])
        #expect(try Data(contentsOf: song) == Data("another one".utf8))
    }

    @Test func fileIsOpenAsLongAsItIsLoaded() throws {
        let files = CountedFiles()
        let service = service(ByteDecoder(), files)
        try service.load(url: song)
        #expect(files.openFiles == 1)
        try service.load(url: song)
        #expect(files.openFiles == 1)
        service.stop()
        #expect(files.openFiles == 0)
        #expect(throws: CoreError.self) { try service.load(url: directory.file("missing.raw")) }
        let refusing = ByteDecoder { throw CoreError.unsupported("no sound") }
        let failing = self.service(refusing, files)
        #expect(throws: CoreError.unsupported("no sound")) { try failing.load(url: song) }
        #expect(files.openFiles == 0)
    }

    @Test func errorsOfTheDecoderNameTheFile() throws {
        let decoder = ByteDecoder { throw CoreError.decodeError("damaged at 0 s") }
        let service = service(decoder, LocalFileAccess())
        #expect(throws: CoreError.decodeError("\(song.path): damaged at 0 s")) { try service.load(url: song) }
    }
}

/// Reads whole files; a test acts before each opening.
private final class ByteDecoder: DecoderPort, Sendable {
    private let files = Mutex<[Data]>([])
    private let beforeOpening: @Sendable () throws -> Void

    init(beforeOpening: @escaping @Sendable () throws -> Void = {}) { self.beforeOpening = beforeOpening }

    /// The bytes of the files that were opened.
    var opened: [Data] { files.withLock { $0 } }

    func open(url: URL) throws -> DecodeHandle {
        do {
            try beforeOpening()
        } catch CoreError.decodeError(let reason) {
            throw CoreError.decodeError("\(url.path): \(reason)")
        }
        let bytes = try Data(contentsOf: url)
        files.withLock { $0.append(bytes) }
        return DecodeHandle()
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        StreamInfo(duration: 1, sampleRate: 44_100, channels: 1, bitDepth: 16)
    }
    func close(_ handle: DecodeHandle) {}
}

/// Counts the files that are open.
private final class CountedFiles: ReopenableFileAccess, Sendable {
    private let files = LocalFileAccess()
    private let tokens = Mutex<Set<FileHandleToken>>([])

    var openFiles: Int { tokens.withLock { $0.count } }

    func open(url: URL) throws -> FileHandleToken {
        let token = try files.open(url: url)
        tokens.withLock { _ = $0.insert(token) }
        return token
    }
    func read(_ token: FileHandleToken, into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int {
        try files.read(token, into: buffer, count: count)
    }
    func seek(_ token: FileHandleToken, offset: Int64, origin: FileSeekOrigin) throws {
        try files.seek(token, offset: offset, origin: origin)
    }
    func size(_ token: FileHandleToken) throws -> Int64 { try files.size(token) }
    func reopeningURL(of token: FileHandleToken) throws -> URL { try files.reopeningURL(of: token) }
    func close(_ token: FileHandleToken) {
        files.close(token)
        tokens.withLock { _ = $0.remove(token) }
    }
}
