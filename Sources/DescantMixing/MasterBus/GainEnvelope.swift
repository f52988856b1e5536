/// A gain over the frames of an output's timeline, made of straight lines: what the master volume follows.
///
/// Before the first point the gain is the first point's, after the last one the last point's.
package struct GainEnvelope: Sendable, Hashable {
    /// A corner of the line.
    package struct Point: Sendable, Hashable {
        package var frame: Int64
        package var gain: Double

        package init(frame: Int64, gain: Double) {
            self.frame = frame
            self.gain = gain
        }
    }

    /// The corners, in the order of their frames; never empty.
    package private(set) var points: [Point]

    /// A constant gain.
    package init(gain: Double) { points = [Point(frame: 0, gain: gain)] }

    /// The gain that the line ends with.
    package var final: Double { points[points.count - 1].gain }

    /// The gain of a frame.
    package func gain(at frame: Int64) -> Double {
        guard let next = points.firstIndex(where: { $0.frame > frame }) else { return final }
        guard next > 0 else { return points[0].gain }
        let (from, to) = (points[next - 1], points[next])
        let part = Double(frame - from.frame) / Double(to.frame - from.frame)
        return from.gain + (to.gain - from.gain) * part
    }

    /// Whether the gain stays as it is from a frame on.
    package func isConstant(from frame: Int64) -> Bool { points.allSatisfy { $0.frame <= frame } }

    /// Leaves the line at a frame, straight towards another gain; what was to come after that frame is forgotten.
    package mutating func ramp(to gain: Double, from frame: Int64, over frames: Int64) {
        let corner = Point(frame: frame, gain: self.gain(at: frame))
        points.removeAll { $0.frame >= frame }
        points.append(corner)
        points.append(Point(frame: frame + max(1, frames), gain: gain))
    }

    /// Drops corners that do not matter from a frame on.
    package mutating func forget(before frame: Int64) {
        guard let next = points.firstIndex(where: { $0.frame > frame }) else {
            points = [points[points.count - 1]]
            return
        }
        if next > 1 { points.removeFirst(next - 1) }
    }

    /// The line from a frame on: a corner at that frame and all later ones.
    package func corners(from frame: Int64) -> [Point] {
        [Point(frame: frame, gain: gain(at: frame))] + points.filter { $0.frame > frame }
    }
}

/// A setting that changes at frames of an output's timeline: what is set now takes effect where it is rendered, and
/// the sum is made a while later.
package struct SettingTimeline<Value: Sendable>: Sendable {
    /// In the order of the frames; never empty.
    private var changes: [(frame: Int64, value: Value)]

    /// A setting that has always had its value.
    package init(_ value: Value) { changes = [(Int64.min, value)] }

    /// The value that the setting ends with.
    package var final: Value { changes[changes.count - 1].value }

    /// Changes the setting from a frame on; what was to come later is forgotten.
    package mutating func set(_ value: Value, from frame: Int64) {
        changes.removeAll { $0.frame >= frame }
        changes.append((frame, value))
    }

    /// The value at a frame, and for how many frames it holds.
    package func value(at frame: Int64) -> (value: Value, frames: Int64) {
        let next = changes.dropFirst().firstIndex { $0.frame > frame } ?? changes.count
        return (changes[next - 1].value, next < changes.count ? changes[next].frame - frame : Int64.max)
    }

    /// Drops what holds only before a frame.
    package mutating func forget(before frame: Int64) {
        while changes.count > 1, changes[1].frame <= frame { changes.removeFirst() }
    }
}
