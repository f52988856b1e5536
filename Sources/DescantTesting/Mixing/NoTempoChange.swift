internal import DescantCore
internal import DescantMixing

/// Refuses every speed other than 1, because live sources in memory have no tempo changer.
struct NoTempoChange: TempoChangerFactory {
    func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
        throw CoreError.unsupported("a live source in memory at the rate \(rate)")
    }
}
