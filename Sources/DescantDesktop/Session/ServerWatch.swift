internal import DescantCore
internal import Synchronization

/// Follows one connection's picture of the server and posts what changes in it.
///
/// Called by libpulse's thread: takes a short lock, posts values, waits for nothing.
final class ServerWatch: Sendable {
    private struct State {
        var picture: ServerSnapshot
        var route: RouteChangeDetector
        var silence: MuteDetector
        var foreign: [ForeignStream] = []
        var isPosting = false
    }

    private let state: Mutex<State>
    private let hub: EventHub<AudioSessionEvent>
    private let clock: any ClockPort

    /// - Parameters:
    ///   - isSilenced: Whether an earlier connection ended while our streams were silenced.
    ///   - hub: Where events go.
    init(process: ProcessName, isSilenced: Bool, hub: EventHub<AudioSessionEvent>, clock: any ClockPort) {
        let picture = ServerSnapshot(process: process)
        state = Mutex(
            State(picture: picture, route: RouteChangeDetector(picture), silence: MuteDetector(isSilenced: isSilenced)))
        self.hub = hub
        self.clock = clock
    }

    /// Takes in what the server has told.
    func note(_ change: ServerChange) {
        let now = clock.now()
        state.withLock { state in
            state.picture.apply(change)
            // Posted inside the lock, so that events come in the order of what they tell.
            if state.isPosting { post(&state, now) }
        }
    }

    /// Begins to post: what is there now is known, what changes from here on is news.
    func begin(isReturn: Bool) {
        let now = clock.now()
        state.withLock { state in
            state.isPosting = true
            state.foreign = state.picture.foreignStreams
            state.route = RouteChangeDetector(state.picture)
            if isReturn { hub.post(.serverRestored) }
            if let event = state.silence.judge(state.picture, now: now) { hub.post(event) }
        }
    }

    /// Posts nothing any more.
    ///
    /// - Returns: Whether our streams were silenced.
    @discardableResult
    func end() -> Bool {
        state.withLock { state in
            state.isPosting = false
            return state.silence.isSilenced
        }
    }

    /// What is known at this moment.
    var situation: AudioSessionSnapshot {
        state.withLock { state in
            AudioSessionSnapshot(
                isServerAvailable: true, route: state.picture.route ?? state.route.present,
                foreignStreams: state.picture.foreignStreams, ownStreamCount: state.picture.ownStreams.count)
        }
    }

    private func post(_ state: inout State, _ now: UInt64) {
        let foreign = state.picture.foreignStreams
        for stream in state.foreign where !foreign.contains(stream) { hub.post(.streamEnded(stream)) }
        for stream in foreign where !state.foreign.contains(stream) { hub.post(.streamBegan(stream)) }
        state.foreign = foreign
        if let (route, reason) = state.route.judge(state.picture, now: now) {
            hub.post(.routeChanged(route, reason: reason))
        }
        if let event = state.silence.judge(state.picture, now: now) { hub.post(event) }
    }
}
