package import DescantCore
internal import DescantMixing
internal import Foundation
internal import Synchronization

// MARK: Losing the device

extension GStreamerMixOutput {
    /// Handles a failure of the destination after the start.
    ///
    /// - Parameter time: The time of the failure on the monotonic clock.
    func receive(_ error: CoreError, from session: OutputSession, at time: UInt64) {
        let isHeard = session.plan.destination.isHeard
        let isPresent = state.withLock { state in
            switch state.phase {
            case .starting(let present) where present === session: state.phase = .failed(error)
            case .running(let present) where present === session:
                state.phase = isHeard ? .lost : .failed(error)
                state.isLossReported = isHeard
                return true
            default: break
            }
            return false
        }
        guard isPresent else { return }
        shared.leaveTimeline(failure: time)
        session.closeBehind()
        guard isHeard else { return }
        shared.post(.lost(reason: error.message))
        recover()
    }

    /// Reopens the device repeatedly until that succeeds or the device is no longer needed. The task does not keep the
    /// output alive.
    private func recover() {
        Task { [weak self] in
            var delay = 0.2
            while true {
                // The sleep throws only when the task is cancelled, and this task is never cancelled.
                try? await Task.sleep(for: .seconds(delay))
                guard let isOver = await self?.attemptRecovery(), !isOver else { return }
                delay = min(1, delay * 1.5)
            }
        }
    }

    /// - Returns: Whether no further attempt is needed.
    private func attemptRecovery() async -> Bool {
        await operations.run {
            guard case .lost = state.withLock({ $0.phase }) else { return true }
            // Attempts fail while the server is away; the next one follows.
            return (try? await open(limit: 3)) != nil
        }
    }

    // MARK: Watching the device

    /// Watches the device of a started session.
    func watch(_ session: OutputSession) {
        session.watchDevice { [weak self, weak session] in
            guard let self, let session else { return }
            self.checkDevice(of: session)
        }
        session.watchChoice { [weak self, weak session] in
            guard let self, let session else { return }
            self.returnToChosenDevice(from: session)
        }
        checkDevice(of: session)
        Task { [weak self, weak session] in
            var stall = StallDetector()
            while true {
                try await Task.sleep(for: .seconds(1))
                guard let self, let session, self.isRunning(session) else { return }
                let heard = self.heardFrame
                // A receiver on the network may hold seconds: the position stands still for them behind a start, and when the stream is moved.
                let held = session.plan.format.seconds(of: self.shared.heard.held)
                guard stall.isStalled(at: heard, time: MonotonicClock().now(), limit: 2 + held) else { continue }
                self.receive(
                    SinkFailure.error(
                        text: "it takes no sound any more", debug: "", destination: session.plan.destination),
                    from: session, at: MonotonicClock().now())
                return
            }
        }
    }

    /// Reports a change of the device.
    private func checkDevice(of session: OutputSession) {
        guard let name = session.deviceName, isRunning(session) else { return }
        let isChange = state.withLock { state in
            defer { state.deviceName = name }
            return state.deviceName != nil && state.deviceName != name
        }
        if isChange { shared.post(.deviceChanged(name)) }
    }

    private func isRunning(_ session: OutputSession) -> Bool {
        if case .running(let present) = state.withLock({ $0.phase }) { return present === session }
        return false
    }
}

// MARK: Choosing a device

extension GStreamerMixOutput {
    package func devices() async throws -> [OutputDevice] {
        let destination = state.withLock { $0.destination }
        guard destination.isDevice else { return [] }
        do {
            return try await withTimeout(5, on: "descant.output.devices") { try DeviceList.read(destination) }
        } catch let timeout as TimeoutError {
            throw SinkFailure.timeout(seconds: timeout.seconds, destination: destination)
        }
    }

    package func selectDevice(_ identifier: String?) async throws {
        let destination = state.withLock { $0.destination }
        guard destination.isDevice else {
            throw CoreError.unsupported("this output has no device to choose")
        }
        let devices = try await devices()
        if let identifier, !devices.contains(where: { $0.identifier == identifier }) {
            let command = if case .alsa = destination { "aplay -L" } else { "pactl list short sinks" }
            throw CoreError.notFound("there is no output device \"\(identifier)\"; `\(command)` names them")
        }
        let target = identifier ?? devices.first(where: \.isDefault)?.identifier
        try await operations.run {
            let session: OutputSession? = state.withLock { state in
                state.destination = state.destination.onDevice(identifier)
                if case .running(let session) = state.phase { return session }
                return nil
            }
            // Otherwise the next start, or the next attempt after a loss, opens the new device.
            guard let session else { return }
            // A stream that plays there already goes on.
            if let target, session.stay(on: target, isChosen: identifier != nil) { return }
            try await reopen(session, insteadOf: destination)
        }
    }

    /// Continues on the chosen device, from which the server has taken the stream to its new default. A new stream
    /// stays there, because the device is no longer the default. The stream is not moved: servers remember a move for
    /// later streams of the program, or of every program with its role.
    private func returnToChosenDevice(from session: OutputSession) {
        Task { [weak self] in
            guard let self else { return }
            await operations.run { [self] in
                guard isRunning(session) else { return }
                // A failure begins a recovery.
                try? await reopen(session, insteadOf: state.withLock { $0.destination })
            }
        }
    }

    /// Continues playback on the chosen device, from the first unheard frame on; on the old device when that fails.
    ///
    /// PulseAudio can move a stream itself, but drops the sound in the old device's buffer.
    private func reopen(_ session: OutputSession, insteadOf old: OutputDestination) async throws(CoreError) {
        await retire(session, waiting: 1)
        do throws(CoreError) {
            try await open(limit: 5)
        } catch {
            state.withLock { $0.destination = old }
            beginRecovery(reason: error.message)
            throw error
        }
    }

    private func beginRecovery(reason: String) {
        let isLoss = state.withLock { state in
            if case .ended = state.phase { return false }
            state.phase = .lost
            state.isLossReported = true
            return true
        }
        guard isLoss else { return }
        shared.post(.lost(reason: reason))
        recover()
    }
}

/// Detects that a position has stopped: a sound server that hangs reports no error.
private struct StallDetector {
    private var position: Int64?
    private var since: UInt64 = 0

    /// - Parameters:
    ///   - time: Nanoseconds on the monotonic clock.
    ///   - limit: The maximum time without movement, in seconds.
    mutating func isStalled(at position: Int64, time: UInt64, limit: Double) -> Bool {
        if position != self.position {
            self.position = position
            since = time
        }
        return Double(time - since) / 1e9 >= limit
    }
}
