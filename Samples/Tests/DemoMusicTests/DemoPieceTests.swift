import AudioMeasurement
import DemoMusic
import Foundation
import Testing

struct DemoPieceTests {
    @Test(arguments: DemoPiece.allCases)
    func piecesSoundAndKeepHeadroom(piece: DemoPiece) throws {
        let sound = piece.render(sampleRate: 11025)
        #expect((10.0...15.0).contains(Double(sound.frames) / 11025))
        var meter = LoudnessMeter(sampleRate: 11025, channels: 2)
        meter.process(sound.interleaved)
        let loudness = try #require(meter.integratedLoudness)
        #expect((-40.0 ... -10.0).contains(loudness), "\(piece.rawValue): \(loudness) LUFS")
        #expect(meter.peak <= 0.61 && meter.peak > 0.25)
        #expect(sound.left != sound.right)
    }

    @Test func piecesAreTheSameOnEveryRun() {
        #expect(
            DemoPiece.lowTide.render(sampleRate: 8000).interleaved
                == DemoPiece.lowTide.render(sampleRate: 8000).interleaved)
    }

    @Test func rainLoopsWithoutStep() throws {
        let sound = DemoPiece.rain.render(sampleRate: 22050)
        let steps = zip(sound.left, sound.left.dropFirst()).map { abs($1 - $0) }
        let first = try #require(sound.left.first)
        let last = try #require(sound.left.last)
        let largest = try #require(steps.max())
        #expect(abs(first - last) <= largest)
    }

    @Test func demoSetWritesThreeReadableFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let set = try DemoSet(writingTo: folder, sampleRate: 8000)
        for url in set.tracks + [set.ambience] {
            let file = try WaveFileReader(url: url)
            #expect(file.sampleRate == 8000 && file.channels == 2 && file.frameCount >= 80000)
        }
    }
}
