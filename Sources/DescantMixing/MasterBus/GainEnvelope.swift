/// The gain of the master volume over the frames of an output's timeline, piecewise linear.
///
/// Before the first point the gain is the first point's, after the last one the last point's.
package struct GainEnvelope: Sendable, Hashable {
    /// A point of the envelope.
    package struct Point: Sendable, Hashable {
        package var frame: Int64
        package var gain: Double

        package init(frame: Int64, gain: Double) {
            self.frame = frame
            self.gain = gain
        }
    }

    /// The points in the order of their frames; never empty.
    package private(set) var points: [Point]

    /// A constant gain.
    package init(gain: Double) { points = [Point(frame: 0, gain: gain)] }

    /// The gain behind the last point.
    package var final: Double { points[points.count - 1].gain }

    /// The gain of a frame.
    package func gain(at frame: Int64) -> Double {
        guard let next = points.firstIndex(where: { $0.frame > frame }) else { return final }
        guard next > 0 else { return points[0].gain }
        let (from, to) = (points[next - 1], points[next])
        let part = Double(frame - from.frame) / Double(to.frame - from.frame)
        return from.gain + (to.gain - from.gain) * part
    }

    /// Whether the gain is constant from a frame on.
    package func isConstant(from frame: Int64) -> Bool { points.allSatisfy { $0.frame <= frame } }

    /// Starts a ramp at a frame; later points are dropped.
    package mutating func ramp(to gain: Double, from frame: Int64, over frames: Int64) {
        let corner = Point(frame: frame, gain: self.gain(at: frame))
        points.removeAll { $0.frame >= frame }
        points.append(corner)
        points.append(Point(frame: frame + max(1, frames), gain: gain))
    }

    /// Drops points that have no effect from a frame on.
    package mutating func forget(before frame: Int64) {
        guard let next = points.firstIndex(where: { $0.frame > frame }) else {
            points = [points[points.count - 1]]
            return
        }
        if next > 1 { points.removeFirst(next - 1) }
    }

    /// The envelope from a frame on: a point at that frame and all later ones.
    package func corners(from frame: Int64) -> [Point] {
        [Point(frame: frame, gain: gain(at: frame))] + points.filter { $0.frame > frame }
    }
}
