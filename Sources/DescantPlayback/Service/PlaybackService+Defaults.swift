internal import DescantCore
internal import Foundation

/// What a service without the later additions does.
extension PlaybackService {
    /// Does nothing: the service plays as it is.
    public func setVolume(_ volume: Float) {}

    /// Refuses.
    ///
    /// - Throws: `CoreError.unsupported`.
    public func setPlaybackRange(start: Double, end: Double) throws {
        throw CoreError.unsupported("\(Self.self) plays whole files only")
    }

    /// Does nothing: there is no range.
    public func clearPlaybackRange() {}

    /// Does nothing: there is no equaliser.
    public func setEQEnabled(_ isEnabled: Bool) {}

    /// Does nothing: there is no equaliser.
    public func setEQPreamp(_ decibels: Float) {}

    /// Does nothing: there is no equaliser.
    public func setEQBandGains(_ decibels: [Float]) {}
}
