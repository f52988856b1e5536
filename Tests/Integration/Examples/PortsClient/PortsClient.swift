import Descant
import Foundation

/// A program written against the first version of the ports; only its import is Descant's.
public enum PortsClient {
    /// Plays on mocks and prints the results.
    public static func run() throws -> [String] {
        let decoder = MockDecoder()
        let output = MockOutput()
        let service: PlaybackService = DefaultPlaybackService(
            audio: output, decoder: decoder, clock: MockClock(), logger: MockLogger(), fileAccess: MockFiles())
        var seen = ["\(service.state)"]
        do { try service.play() } catch let error as CoreError { seen.append(error.code) }
        try service.load(url: URL(fileURLWithPath: "/music/a.mock"))
        seen.append("\(service.state) at \(service.currentTime()) of \(service.duration())")
        try service.seek(to: 1)
        try service.play()
        seen.append("\(service.state)")
        service.pause()
        seen.append("\(service.state) \(service.currentTime() >= 1)")
        do { try service.load(url: URL(fileURLWithPath: "/music/a.other")) } catch { seen.append("\(error)") }
        if case .error(.unsupported) = service.state { seen.append("in error") }
        service.stop()
        seen.append("\(service.state) \(decoder.isOpen) \(output.isRunning)")
        return seen + (try ports())
    }

    private static func ports() throws -> [String] {
        let tags = MockTags()
        let reader: TagReaderPort = tags
        let bundle = try reader.read(url: URL(fileURLWithPath: "/music/a.mock"))
        var seen = ["\(bundle.title ?? "") \(bundle.isEmpty)"]
        do { try tags.write(url: URL(fileURLWithPath: "/music/a.mock"), tags: bundle) } catch CoreError.unsupported {
            seen.append("read only")
        }
        let foreign: PlaybackService = MockService()
        try foreign.load(url: URL(fileURLWithPath: "/"))
        foreign.setVolume(0.5)
        let other = DefaultPlaybackService(
            decoder: MockDecoder(), audio: MockOutput(), clock: MonotonicClock(), logger: NoopLogger())
        seen.append("\(foreign.state) \(other.state) \(CoreError.notFound("a") == .notFound("a"))")
        return seen
    }
}
