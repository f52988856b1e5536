/// Records the pauses of the main layer, and maps frames of the output to positions in its content.
struct StormGate {
    static let ramp: Int64 = 80

    private struct Toggle {
        var frame: Int64
        var opens: Bool
        /// The length of the gate's ramp.
        var length: Int64
    }

    private var toggles: [Toggle] = []

    var isOpen: Bool { toggles.last?.opens ?? true }

    mutating func pause(at frame: Int64) {
        guard let last = toggles.last else {
            return toggles.append(Toggle(frame: frame, opens: false, length: Self.ramp))
        }
        // A resume that waits for the end of the ramp is cancelled.
        if last.opens, last.frame > frame {
            toggles.removeLast()
        } else {
            toggles.append(Toggle(frame: max(frame, last.frame + last.length), opens: false, length: Self.ramp))
        }
    }

    /// - Parameter hasRamp: Whether the gate opens with a ramp; it opens at once otherwise, when it was closed.
    mutating func resume(at frame: Int64, hasRamp: Bool = true) {
        guard let last = toggles.last, !last.opens else { return }
        if last.frame > frame {
            toggles.removeLast()
        } else {
            let closed = last.frame + last.length
            let length = hasRamp || frame < closed ? Self.ramp : 0
            toggles.append(Toggle(frame: max(frame, closed), opens: true, length: length))
        }
    }

    /// The line became idle: its gate is open again and nothing was kept.
    ///
    /// - Parameter waits: Whether that happens only at the end of the ramp.
    mutating func reset(at frame: Int64, waits: Bool) {
        guard !isOpen else { return }
        if waits {
            resume(at: frame, hasRamp: false)
        } else {
            toggles.append(Toggle(frame: frame, opens: true, length: 0))
        }
    }

    /// The position in the content that is mixed at a frame; it does not move while the line is paused.
    func moment(of frame: Int64) -> Int64 {
        var frozen: Int64 = 0
        var closed: Int64?
        for toggle in toggles where toggle.frame <= frame {
            if toggle.opens {
                frozen += toggle.frame - (closed ?? toggle.frame)
                closed = nil
            } else {
                closed = toggle.frame
            }
        }
        guard let closed else { return frame - frozen }
        // Within the ramp new content is mixed, which is heard again after the pause.
        let ramped = min(frame - closed, Self.ramp)
        return closed - frozen + (ramped < Self.ramp ? ramped : 0)
    }

    enum Passage { case open, ramp, closed }

    func passage(at frame: Int64) -> Passage {
        guard let last = toggles.last(where: { $0.frame <= frame }) else { return .open }
        if frame < last.frame + last.length { return .ramp }
        return last.opens ? .open : .closed
    }
}
