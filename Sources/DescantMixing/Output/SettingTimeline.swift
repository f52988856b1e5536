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
