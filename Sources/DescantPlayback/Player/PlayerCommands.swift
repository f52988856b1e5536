internal import DescantCore

/// The commands under way: one at a time on the main layer and on each overlay, and the openings of files that a stop ends.
struct PlayerCommands {
    /// The queue of the main layer.
    let main = AsyncSerialQueue()
    private var overlays: [OverlayID: AsyncSerialQueue] = [:]
    private var openings: [DeckOpening.Purpose: DeckOpening] = [:]
    /// How many stops wait for their turn.
    private var waitingStops = 0
    /// The number of user commands that affect playing. An interruption resumes only what no later command has changed.
    private(set) var userCommandCount: UInt64 = 0

    /// Whether a stop waits for its turn: the commands before it open nothing more on the main layer.
    var isStopWaiting: Bool { waitingStops > 0 }

    /// Counts a user command that affects playing.
    mutating func countUserCommand() { userCommandCount &+= 1 }

    /// The queue of an overlay.
    mutating func queue(of id: OverlayID) -> AsyncSerialQueue {
        let queue = overlays[id] ?? AsyncSerialQueue()
        overlays[id] = queue
        return queue
    }

    /// Notes a stop that has been called, and ends the opening that would delay it.
    mutating func stopWaits() {
        waitingStops += 1
        abandonOpening(for: .main)
    }

    /// Notes that a stop runs now.
    mutating func stopRuns() { waitingStops -= 1 }

    // MARK: Openings

    /// Notes the opening that a call waits for.
    mutating func began(_ opening: DeckOpening, for purpose: DeckOpening.Purpose) { openings[purpose] = opening }

    /// Forgets an opening that has ended.
    mutating func endedOpening(for purpose: DeckOpening.Purpose) { openings[purpose] = nil }

    /// Ends the opening that a call waits for.
    func abandonOpening(for purpose: DeckOpening.Purpose) { openings[purpose]?.abandon() }

    /// Ends the openings that calls wait for on every overlay.
    func abandonOverlayOpenings() {
        for case (.overlay, let opening) in openings { opening.abandon() }
    }
}
