import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantMixing

/// A deck without sound whose length is an estimate.
private final class EstimatedDeck: Deck {
    let sampleRate = 48_000
    let frameCount: Int64? = 48_000
    let isFrameCountExact = false
    let isFrameCountEstimated = true
    let rewindsInstantly = false
    let rate = 1.0
    private let targets = Mutex<[Int64]>([])

    var seeks: [Int64] { targets.withLock { $0 } }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        DeckRead(frames: 0, position: 0, condition: .starved)
    }

    func waitUntilReadable(deadline: UInt64) -> Bool { false }
    func seek(toFrame frame: Int64) { targets.withLock { $0.append(frame) } }
    func setRate(_ rate: Double, fromFrame frame: Int64) { seek(toFrame: frame) }
    func close() {}
}

/// Parts of files, which URLs name by media fragments.
struct ExcerptDeckTests {
    private let ramp = SampleBuffer(
        format: PCMFormat(sampleRate: 48_000, channels: 1), samples: (0..<96_000).map { Float($0) / 96_000 })

    /// Opens a part of a file of 2 s that a decoder reads.
    private func open(_ fragment: String, isPlugin: Bool = true) async throws -> OpenedDeck {
        let decoder = MemoryDecoder()
        decoder.register(ramp, for: ChainFixture.file)
        let fixture = ChainFixture(isPlugin ? [("memory", decoder)] : [])
        fixture.fallback.register(ramp, for: ChainFixture.file)
        var parts = try #require(URLComponents(url: ChainFixture.file, resolvingAgainstBaseURL: true))
        parts.percentEncodedFragment = fragment
        return try await fixture.open(.url(try #require(parts.url)), channels: 1)
    }

    private func samples(_ opened: OpenedDeck) throws -> [Float] {
        defer { opened.deck.close() }
        return try Drain.read(opened.deck, channels: 1, block: 441).samples.samples
    }

    @Test(arguments: [true, false])
    func partsThatFollowEachOtherAreTheFile(isPlugin: Bool) async throws {
        var joined: [Float] = []
        for part in ["t=0,0.25", "t=0.25,1.013333333", "t=1.013333333,1.5", "t=1.5"] {
            joined += try samples(try await open(part, isPlugin: isPlugin))
        }
        #expect(joined == ramp.samples)
    }

    @Test func aPartHasItsOwnLengthTitleAndPositions() async throws {
        let opened = try await open("t=0.5,1&id=Second%20song")
        #expect(opened.info.track.title == "Second song" && opened.info.track.duration == 0.5)
        #expect(opened.info.frameCount == 24_000 && opened.deck.isFrameCountExact)
        opened.deck.seek(toFrame: 23_990)
        let end = try Drain.read(opened.deck, channels: 1)
        #expect(end.firstPosition == 23_990 && end.samples.samples == Array(ramp.samples[47_990..<48_000]))
        opened.deck.seek(toFrame: 30_000)
        #expect(try Drain.read(opened.deck, channels: 1).samples.samples.isEmpty)
        opened.deck.seek(toFrame: 0)
        #expect(try samples(opened) == Array(ramp.samples[24_000..<48_000]))
    }

    @Test(arguments: [true, false]) func aPartThatWasReadIsReadAgain(isPlugin: Bool) async throws {
        let opened = try await open("t=0.5,0.51", isPlugin: isPlugin)
        defer { opened.deck.close() }
        // A read right behind the seek finds a deck that has not moved yet.
        for _ in 0..<300 {
            opened.deck.seek(toFrame: 0)
            let read = try Drain.read(opened.deck, channels: 1, block: 240)
            try #require(read.samples.samples == Array(ramp.samples[24_000..<24_480]))
        }
    }

    @Test func aPartEndsAtItsEndAtEverySpeed() async throws {
        let opened = try await open("t=0.5,1")
        opened.deck.setRate(2, fromFrame: 0)
        #expect(try samples(opened) == stride(from: 24_000, to: 48_000, by: 2).map { ramp.samples[$0] })
    }

    @Test func aPartBehindTheEndIsRefused() async throws {
        let error = await #expect(throws: CoreError.self) { try await open("t=3,4") }
        #expect(error?.message.hasSuffix("ramp.mem: the part begins at 3.0 s, but the file ends at 2.0 s") == true)
        // A part that reaches beyond the end is cut there.
        #expect(try samples(try await open("t=1.5,99")).count == 24_000)
    }

    /// Sound may lie behind the estimate of a length, and parts of it too.
    @Test func anEstimateCutsNoPart() throws {
        let whole = EstimatedDeck()
        let inside = ExcerptDeck(of: whole, start: 24_000, end: 96_000)
        #expect(inside.frameCount == 72_000)
        inside.seek(toFrame: 60_000)
        let behind = ExcerptDeck(of: whole, start: 72_000, end: nil)
        #expect(behind.frameCount == nil && behind.isFrameCountEstimated)
        behind.seek(toFrame: 0)
        #expect(whole.seeks == [84_000, 72_000])
        #expect(ExcerptDeck(of: whole, start: 24_000, end: nil).frameCount == 24_000)
        let url = try #require(URL(string: "file:///album.mp3#t=30,50"))
        let part = try #require(MediaFragment(url))
        #expect(part.duration(ofFile: 20) == 20 && part.duration(ofFile: 40) == 10 && part.duration(ofFile: 0) == 20)
    }

    @Test(arguments: ["t=npt:0:01.5,00:00:01.75", "id=x&t=1.5,1.75"])
    func timesAreReadAsTheSpecificationSays(fragment: String) async throws {
        #expect(try samples(try await open(fragment)) == Array(ramp.samples[72_000..<84_000]))
    }

    @Test(arguments: [
        "t=", "t=1,1", "t=2,1", "t=-1,2", "t=x", "t=1:2:3:4", "t=1e5,", "t=nan", "chapter", "T=1,2", "t=1,2,3",
    ])
    func aFragmentThatIsNoTimeNamesTheWholeFile(fragment: String) async throws {
        #expect(try samples(try await open(fragment)).count == ramp.samples.count)
    }
}
