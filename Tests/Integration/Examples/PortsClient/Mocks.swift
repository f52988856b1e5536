import Descant
import Foundation

// Ports as a program of another platform has them in its tests: plain classes with the requirements of the first form alone.

final class MockDecoder: DecoderPort {
    var frames = 88_200
    private(set) var position = 0
    private(set) var isOpen = false

    func open(url: URL) throws -> DecodeHandle {
        guard url.pathExtension == "mock" else { throw CoreError.unsupported(url.lastPathComponent) }
        isOpen = true
        return DecodeHandle(id: UUID())
    }
    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let count = min(maxFrames, frames - position)
        for index in 0..<count * 2 { buffer[index] = 0.25 }
        position += count
        return count
    }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws { position = Int(seconds * 44_100) }
    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        let info = StreamInfo(duration: Double(frames) / 44_100, sampleRate: 44_100, channels: 2, bitDepth: 16)
        try info.validate()
        return info
    }
    func close(_ handle: DecodeHandle) { isOpen = false }
}

final class MockOutput: AudioOutputPort {
    private(set) var rendered = 0
    private(set) var isRunning = false

    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {}
    func start() throws { isRunning = true }
    func stop() { isRunning = false }
    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        rendered += frameCount
        return frameCount
    }
}

final class MockFiles: FileAccessPort {
    func open(url: URL) throws -> FileHandleToken { FileHandleToken(id: UUID()) }
    func read(_ token: FileHandleToken, into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int { 0 }
    func seek(_ token: FileHandleToken, offset: Int64, origin: FileSeekOrigin) throws {}
    func size(_ token: FileHandleToken) throws -> Int64 { 0 }
    func close(_ token: FileHandleToken) {}
}

final class MockTags: TagReaderPort, TagWriterPort {
    var stored = TagBundle(
        title: "Title", artist: "Artist", album: "Album", albumArtist: nil, genre: nil, year: 2_001, trackNumber: 1,
        discNumber: 1, artworkData: nil)

    func read(url: URL) throws -> TagBundle { stored }
    func write(url: URL, tags: TagBundle) throws { throw CoreError.unsupported("tags are read only here") }
}

struct MockClock: ClockPort {
    func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}

struct MockLogger: LoggerPort {
    func debug(_ message: @autoclosure () -> String) {}
    func info(_ message: @autoclosure () -> String) {}
    func warn(_ message: @autoclosure () -> String) {}
    func error(_ message: @autoclosure () -> String) {}
}

/// A service of another program, with the methods of the first form alone.
final class MockService: PlaybackService {
    private(set) var state = PlaybackState.stopped

    func load(url: URL) throws { state = .paused }
    func play() throws { state = .playing }
    func pause() { state = .paused }
    func stop() { state = .stopped }
    func seek(to seconds: Double) throws {}
    func currentTime() -> Double { 0 }
    func duration() -> Double { 0 }
}
