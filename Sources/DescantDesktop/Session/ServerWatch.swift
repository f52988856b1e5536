internal import DescantCore
internal import Synchronization

/// Keeps the snapshot of the server up to date and posts events for its changes.
///
/// Called by libpulse's thread: takes a short lock, posts values, never waits.
final class ServerWatch: Sendable {
    private struct State {
        var snapshot: ServerSnapshot
        var route: RouteChangeDetector
        var mute: MuteDetector
        var foreign: [ForeignStream] = []
        var isPosting = false
    }

    private let state: Mutex<State>
    private let hub: EventHub<AudioSessionEvent>
    private let clock: any ClockPort

    /// - Parameters:
    ///   - process: This process.
    ///   - isSilenced: Whether our streams were muted for a call when the previous connection ended.
    ///   - hub: Receives the events.
    ///   - clock: The time of changes.
    init(process: ProcessName, isSilenced: Bool, hub: EventHub<AudioSessionEvent>, clock: any ClockPort) {
        let snapshot = ServerSnapshot(process: process)
        state = Mutex(
            State(snapshot: snapshot, route: RouteChangeDetector(snapshot), mute: MuteDetector(isSilenced: isSilenced)))
        self.hub = hub
        self.clock = clock
    }

    /// Applies a change that the server reported.
    func note(_ change: ServerChange) {
        let now = clock.now()
        state.withLock { state in
            state.snapshot.apply(change)
            // Posted inside the lock, so that events are in the order of the changes.
            if state.isPosting { post(&state, now) }
        }
    }

    /// Starts posting: changes from now on become events.
    ///
    /// - Parameter isReturn: Whether the server was lost before.
    func begin(isReturn: Bool) {
        let now = clock.now()
        state.withLock { state in
            state.isPosting = true
            state.foreign = state.snapshot.foreignStreams
            state.route = RouteChangeDetector(state.snapshot)
            if isReturn { hub.post(.serverRestored) }
            if let event = state.mute.update(with: state.snapshot, now: now) { hub.post(event) }
        }
    }

    /// Stops posting.
    ///
    /// - Returns: Whether our streams were muted for a call.
    @discardableResult
    func end() -> Bool {
        state.withLock { state in
            state.isPosting = false
            return state.mute.isSilenced
        }
    }

    /// The present state.
    var sessionSnapshot: AudioSessionSnapshot {
        state.withLock { state in
            AudioSessionSnapshot(
                isServerAvailable: true, route: state.snapshot.route ?? state.route.present,
                foreignStreams: state.snapshot.foreignStreams, ownStreamCount: state.snapshot.ownStreams.count)
        }
    }

    private func post(_ state: inout State, _ now: UInt64) {
        let foreign = state.snapshot.foreignStreams
        for stream in state.foreign where !foreign.contains(stream) { hub.post(.streamEnded(stream)) }
        for stream in foreign where !state.foreign.contains(stream) { hub.post(.streamBegan(stream)) }
        state.foreign = foreign
        if let (route, reason) = state.route.update(with: state.snapshot, now: now) {
            hub.post(.routeChanged(route, reason: reason))
        }
        if let event = state.mute.update(with: state.snapshot, now: now) { hub.post(event) }
    }
}
