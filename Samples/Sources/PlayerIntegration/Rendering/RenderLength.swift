internal import Descant
internal import Foundation

extension RenderRequest {
    /// The minimum length of the output in seconds; `nil` when a track has an unknown length, or commands decide what is played.
    ///
    /// - Parameter lengths: The tracks' lengths in seconds; `nil` for an unknown one.
    func knownLength(of lengths: [TimeInterval?]) -> TimeInterval? {
        let known = lengths.compactMap(\.self)
        guard known.count == lengths.count, !options.steps.contains(where: \.command.changesLength) else { return nil }
        let repeats = options.configuration.repeatMode
        // A repeated track keeps those behind it from being played.
        let isRepeated = repeats == .playlist || repeats == .singleTrack && known.count == 1
        let passes = isRepeated ? Double(options.configuration.repeatCount ?? 0) + 1 : 1
        guard repeats != .singleTrack || isRepeated else { return nil }
        let sum = known.reduce(0, +) * passes
        let overlaps = options.configuration.crossfadeDuration * max(0, Double(known.count) * passes - 1)
        return max(0, (sum - start) / options.rate - overlaps)
    }

    /// Refuses a WAVE file that could not hold the sound, before it is rendered.
    ///
    /// - Parameters:
    ///   - tracks: The tracks.
    ///   - format: The format of the output.
    /// - Throws: ``RenderFailure/usage(_:)``.
    func checkRoom(for tracks: [DeckInfo], in format: PCMFormat) throws {
        guard !writesFLAC else { return }
        let lengths = tracks.map { track in track.frameCount.map { track.sourceFormat.seconds(of: $0) } }
        let room = WaveRoom(encoding, format).seconds
        guard let length = knownLength(of: lengths), length > room else { return }
        throw RenderFailure.usage(
            "\(output.path): a WAVE file ends at 4 GiB, which is \(WaveRoom.hours(room)) here, and the sound lasts "
                + "\(WaveRoom.hours(length)); use a name that ends in .flac")
    }
}

extension TimelineCommand {
    /// Whether how long the tracks play is not known before it was carried out.
    fileprivate var changesLength: Bool {
        switch self {
        case .next, .previous, .jump, .pause, .resume, .stop, .seek, .skip, .replace, .rate: true
        case .overlayPause, .overlayResume, .overlayStop, .overlayReplace, .overlayVolume, .volume, .effect: false
        }
    }
}
