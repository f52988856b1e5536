internal import DescantCore
internal import DescantMixing

/// Refuses every speed but the source's own: decks of live sources in memory have no other.
struct NoTempoChange: TempoChangerFactory {
    func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
        throw CoreError.unsupported("a live source in memory at the rate \(rate)")
    }
}
