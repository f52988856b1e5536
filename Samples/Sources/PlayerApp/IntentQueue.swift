/// Commands that must not overtake each other.
public enum IntentLane: Hashable, Sendable {
    /// Changes of the playlist, and tracks that the library is asked for.
    case playlist, library
    /// Positions that a seek bar is dragged to.
    case seek
    /// Moves within a track or a book.
    case moves
    /// Settings, each of which has an order of its own.
    case volume, rate, repeats, shuffle, crossfade, loudness, sleep, spectrum, overlay, overlayVolume, equalizer, voice
}

/// Carries out the commands of a view, which does not wait for them.
///
/// Commands of a lane follow each other in their order. Of a value that is dragged, such as the volume, only the newest waits while
/// an older one is carried out. All other commands begin at once, so that a pause does not wait for a slow file; moves within a track wait
/// for the track that was chosen before.
@MainActor
package final class IntentQueue<Intent: AppIntent> {
    private let isPrompt: Bool
    private let renew: @MainActor (Intent) -> Intent
    private let perform: @MainActor (Intent) async -> Void
    private var lanes: [IntentLane: Commands] = [:]
    /// How many commands are carried out for which a lane waits.
    private var delays: [IntentLane: Int] = [:]

    /// The commands of a lane that is busy.
    private struct Commands {
        var waiting: [Intent]
        var isCarryingOut = false
        let done: @MainActor () -> Void
    }

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - isPrompt: Whether what a command does before it waits for something is done when ``send(_:done:)`` returns.
    ///   - renew: Changes a command that has waited so that it means what it meant when it was sent. It is called after each
    ///     command that was carried out before.
    ///   - perform: Carries out a command.
    package init(
        isPrompt: Bool = false, renew: @escaping @MainActor (Intent) -> Intent = { $0 },
        perform: @escaping @MainActor (Intent) async -> Void
    ) {
        self.isPrompt = isPrompt
        self.renew = renew
        self.perform = perform
    }

    private func start(_ work: @escaping @MainActor () async -> Void) {
        if isPrompt { Task.immediate { await work() } } else { Task { await work() } }
    }

    /// Whether a command of a lane is carried out or waits.
    package func isBusy(_ lane: IntentLane) -> Bool { lanes[lane] != nil }

    /// Begins to carry out a command, or lets it wait.
    ///
    /// - Parameters:
    ///   - intent: The command.
    ///   - done: Called after the last command of the lane.
    package func send(_ intent: Intent, done: @escaping @MainActor () -> Void = {}) {
        guard let lane = intent.lane else { return begin(intent, done: done) }
        guard let busy = lanes[lane] else {
            lanes[lane] = Commands(waiting: [intent], done: done)
            return carryOut(lane)
        }
        let isReplaced = intent.replacesWaiting && busy.waiting.last?.replacesWaiting == true
        lanes[lane]?.waiting = (isReplaced ? busy.waiting.dropLast() : busy.waiting) + [intent]
    }

    private func begin(_ intent: Intent, done: @escaping @MainActor () -> Void) {
        if let lane = intent.delayedLane {
            delays[lane, default: 0] += 1
            if intent.voidsWaiting { lanes[lane]?.waiting = [] }
        }
        start { [self] in
            await perform(intent)
            if let lane = intent.delayedLane {
                delays[lane, default: 1] -= 1
                carryOut(lane)
            }
            done()
        }
    }

    private func carryOut(_ lane: IntentLane) {
        guard lanes[lane]?.isCarryingOut == false, delays[lane, default: 0] == 0 else { return }
        lanes[lane]?.isCarryingOut = true
        start { [self] in
            while delays[lane, default: 0] == 0, let waiting = lanes[lane]?.waiting.map(renew), let next = waiting.first
            {
                lanes[lane]?.waiting = Array(waiting.dropFirst())
                await perform(next)
            }
            lanes[lane]?.isCarryingOut = false
            guard let commands = lanes[lane], commands.waiting.isEmpty else { return }
            lanes[lane] = nil
            commands.done()
        }
    }
}
