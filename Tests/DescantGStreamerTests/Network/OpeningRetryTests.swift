import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// A connection that is lost before the first sample.
@Suite(.timeLimit(.minutes(5))) struct OpeningRetryTests {
    static let files = [
        CodedFile(name: "AAC", fileExtension: "m4a", arguments: ["-c:a", "aac", "-movflags", "+faststart"]),
        CodedFile(name: "ALAC", fileExtension: "m4a", arguments: ["-c:a", "alac", "-movflags", "+faststart"]),
    ]

    /// Behind its error the first connection sends its end, which reaches the sink. Without ranges it cannot go on.
    @Test(arguments: files) func endOfTheFirstConnectionDoesNotEndTheNextOne(file: CodedFile) async throws {
        let directory = try TemporaryDirectory()
        let url = try file.encode(seconds: 3, in: directory.url)
        let data = try Data(contentsOf: url)
        // Whole headers, and the beginning of a packet.
        let cut = try #require(data.range(of: Data("mdat".utf8))).upperBound + 200
        let isFirst = Mutex(true)
        let server = try LoopbackWebServer { _ in
            let isCut = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return WebAnswer(body: data, ending: isCut ? .cut(after: cut) : .complete)
        }
        let (lost, whole) = (try await samples(server), try await samples(server))
        #expect(whole.frameCount > 2 * 44_100)
        #expect((lost == whole) == true)
    }

    /// Every connection breaks off in the middle of a file that is small enough to arrive at once. What has arrived is played, also when
    /// many openings share the processor.
    @Test func whatArrivedIsPlayed() async throws {
        let fixture = try NetworkFixture()
        let signal = TestSignal.ramp(frames: 480_000).samples()
        let data = try Data(
            contentsOf: FixtureEncoder().encode(signal, as: .flac(bits: 24), to: fixture.directory.file("ramp.flac")))
        let server = try LoopbackWebServer { request in
            .file(data, for: request, ending: .cut(after: max(0, data.count / 2 - (request.rangeStart ?? 0))))
        }
        let access = NetworkAccess(timeLimit: 60, reconnectLimit: 0)
        try await withThrowingTaskGroup(of: SampleBuffer?.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    do {
                        let opened = try await fixture.open(server.url("/ramp.flac"), access: access)
                        defer { opened.deck.close() }
                        return try DeckDrain.read(opened.deck, channels: 2).samples
                    } catch let error as CoreError where error.message.contains("within 7 s") {
                        // So many openings at once may reach the limit of one.
                        return nil
                    }
                }
            }
            var count = 0
            for try await case let heard? in group {
                count += 1
                #expect(heard.frameCount > 100_000)
                #expect((heard == signal.slice(0..<heard.frameCount)) == true)
            }
            #expect(count > 0)
        }
    }

    private func samples(_ server: LoopbackWebServer) async throws -> SampleBuffer {
        let mix = PCMFormat(sampleRate: 44_100, channels: 2)
        let opened = try await GStreamerDecks().open(.url(server.url("/noise.m4a")), mix: mix) { _ in }
        defer { opened.deck.close() }
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect(all.failure == nil, "\(String(describing: all.failure))")
        return all.samples
    }
}
