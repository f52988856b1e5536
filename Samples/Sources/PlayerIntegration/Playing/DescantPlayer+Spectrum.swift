internal import AudioMeasurement
internal import Descant
internal import Foundation
internal import PlayerApp
internal import Synchronization

extension DescantPlayer {
    /// Time between two spectra, in seconds.
    private static let spectrumInterval = 1.0 / 30

    /// Begins or ends the spectrum among the updates.
    ///
    /// - Parameter isShown: Whether a view shows it.
    public func showSpectrum(_ isShown: Bool) async throws {
        let task = isShown ? Task { [engine, feed] in await Self.analyze(engine, feed) } : nil
        let before = spectrum.withLock { spectrum in
            defer { spectrum = task }
            return spectrum
        }
        before?.cancel()
    }

    private static func analyze(_ engine: any MixingEngine, _ feed: AsyncStream<PlayerUpdate>.Continuation) async {
        let format = engine.mixFormat
        var analyzer = SpectrumAnalyzer(sampleRate: format.sampleRate, channels: format.channels)
        var told: Int64 = 0
        for await block in engine.pcmTap {
            analyzer.add(block.samples)
            let end = block.frame + Int64(block.samples.count / format.channels)
            let passed = Double(end - told) / Double(format.sampleRate)
            guard passed >= spectrumInterval else { continue }
            told = end
            feed.yield(.spectrum(analyzer.bandLevels(after: passed)))
        }
    }
}
