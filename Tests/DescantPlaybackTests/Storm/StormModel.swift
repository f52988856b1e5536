import DescantPlayback
import Foundation

/// The expected sound of the main layer, derived from the commands and events of the player.
///
/// All positions are on the line's own timeline, which stops during a pause. During fades any level without a step is
/// accepted; elsewhere every sample must be exact.
struct StormModel {
    private struct Piece {
        var moment: Int64
        /// `nil` for silence.
        var track: StormTrack?
        var position: Int64
    }

    private(set) var gate = StormGate()
    private var pieces = [Piece(moment: 0, track: nil, position: 0)]
    private var windows: [Range<Int64>] = []
    /// The start of the running crossfade.
    private var crossfade: Int64?
    private var joins: Set<Int64> = []
    /// The last end of a track.
    private var ended: Int64 = -1

    // MARK: Commands to the player

    mutating func pause(at frame: Int64) { gate.pause(at: frame) }
    mutating func resume(at frame: Int64, hasRamp: Bool = true) { gate.resume(at: frame, hasRamp: hasRamp) }

    /// A fade that begins now, in the line's own time, or when the ramp after a pause is over.
    mutating func fade(at frame: Int64, length: Int64) {
        let moment = gate.moment(of: frame)
        windows.append(moment..<moment + length + StormGate.ramp + 2)
    }

    /// The line falls silent after a fade.
    mutating func silence(at frame: Int64, after fade: Int64) {
        let moment = gate.moment(of: frame)
        endCrossfade(at: moment)
        if gate.isOpen {
            // Within the ramp after a pause the fade waits for the ramp's end.
            windows.append(moment..<moment + fade + StormGate.ramp + 2)
            append(Piece(moment: moment + fade, track: nil, position: 0))
        } else {
            append(Piece(moment: moment, track: nil, position: 0))
        }
    }

    /// The gate opens without a ramp when a frozen line has fallen silent.
    mutating func release(at frame: Int64, waits: Bool = true) { gate.reset(at: frame, waits: waits) }

    // MARK: Events of the player

    mutating func note(_ event: PlayerEvent, tracks: [URL: StormTrack]) {
        guard let frame = event.frame else { return }
        let moment = gate.moment(of: frame)
        switch event.kind {
        case .transitionStarted(_, _, .gapless, _): joins.insert(frame)
        case .transitionStarted(_, _, .crossfade, _): crossfade = moment
        case .transitionEnded: endCrossfade(at: moment)
        case .trackEnded: ended = max(ended, moment)
        case .trackStarted(let url, _, _):
            append(Piece(moment: moment, track: tracks[url], position: 0))
            if !joins.contains(frame) { windows.append(moment..<moment + StormGate.ramp + 2) }
        case .positionChanged(let seconds):
            guard let track = pieces.last?.track else { return }
            let position = Int64((seconds * Double(StormTrack.rate)).rounded())
            append(Piece(moment: moment, track: track, position: position))
        default: break
        }
    }

    private mutating func append(_ piece: Piece) {
        // Frames that were mixed within the ramp of a pause are dropped when another position or track replaces them.
        pieces.removeAll { $0.moment > piece.moment }
        pieces.append(piece)
    }

    private mutating func endCrossfade(at moment: Int64) {
        // One that began within the ramp of a pause may be dropped with it.
        if let crossfade { windows.append(crossfade..<max(crossfade, moment) + StormGate.ramp + 2) }
        crossfade = nil
    }

    /// Closes what is open at the end of the recording.
    mutating func close(at frame: Int64) {
        endCrossfade(at: gate.moment(of: frame))
    }

    // MARK: Expected sound

    /// Whether there is silence after the last fade.
    var fallsSilent: Bool {
        guard let piece = pieces.last, let track = piece.track else { return true }
        return piece.moment + Int64(track.samples.count) - piece.position <= ended
    }

    /// Whether a track sounds at a frame; `nil` at the very frame where one ends.
    func sounds(at frame: Int64) -> Bool? {
        let moment = gate.moment(of: frame)
        guard let piece = pieces.last(where: { $0.moment <= moment }), let track = piece.track else { return false }
        let position = Int(piece.position + moment - piece.moment)
        // A position after the last valid frame of a damaged file is also an end.
        if piece.position >= track.samples.count { return nil }
        return position == track.samples.count ? nil : position < track.samples.count
    }

    /// Compares a recording with the model.
    ///
    /// - Returns: The first deviation; `nil` for none.
    func fault(in samples: [Float]) -> String? {
        var last: Float = 0
        var piece = 0
        var checked = 0
        let excused = merged(windows)
        var window = 0
        for (index, sample) in samples.enumerated() {
            let frame = Int64(index)
            defer { last = sample }
            if abs(sample - last) > 0.045 { return "step from \(last) to \(sample) at frame \(frame)" }
            let passage = gate.passage(at: frame)
            if passage == .ramp { continue }
            if passage == .closed {
                if sample != 0 { return "\(sample) at frame \(frame), where the line is frozen" }
                continue
            }
            let moment = gate.moment(of: frame)
            while window < excused.count, excused[window].upperBound <= moment { window += 1 }
            if window < excused.count, excused[window].contains(moment) { continue }
            while piece + 1 < pieces.count, pieces[piece + 1].moment <= moment { piece += 1 }
            let expected = level(of: pieces[piece], at: moment)
            if sample != expected { return "\(sample) instead of \(expected) at frame \(frame) (\(pieces[piece]))" }
            checked += 1
        }
        return nil
    }

    private func level(of piece: Piece, at moment: Int64) -> Float {
        let position = Int(piece.position + moment - piece.moment)
        guard let track = piece.track, track.samples.indices.contains(position) else { return 0 }
        return track.samples[position]
    }

    private func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
