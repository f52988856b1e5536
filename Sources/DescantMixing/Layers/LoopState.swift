internal import DescantCore

/// Where a looped voice is within its plan.
struct LoopState {
    var plan: LoopPlan
    /// Passes played to their end.
    private(set) var passes = 0
    /// Output frames of silence that are left before the next pass.
    var delayLeft: Int64 = 0
    var isFadingOut = false

    init(plan: LoopPlan) { self.plan = plan }

    var isLastPass: Bool { plan.passes.map { passes + 1 >= $0 } ?? false }
    /// Whether the next pass follows this one without a gap.
    var joinsNextPass: Bool { !isLastPass && plan.delay == 0 }
    var fadesInThisPass: Bool { plan.fadesEveryPass || passes == 0 }
    var fadesOutThisPass: Bool { plan.fadesEveryPass || isLastPass }

    /// Ends a pass; returns whether another one follows.
    mutating func endPass() -> Bool {
        let wasLast = isLastPass
        passes += 1
        isFadingOut = false
        return !wasLast
    }
}
