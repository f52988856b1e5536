internal import Descant
internal import Foundation

/// Playing, pausing, stopping and seeking.
extension MpvEngine {
    func play() async throws {
        guard url != nil else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let turn = turn
        try await serially {
            try checkTurn(turn)
            guard engineState != .playing, engineState != .buffering else { return }
            do {
                try await begin(turn)
            } catch {
                // What was ready or paused still is; mpv opens it again with the next attempt.
                if turn == self.turn { await attempt("pausing") { try await core.set("pause", "yes") } }
                throw error
            }
        }
    }

    private func begin(_ turn: UInt64) async throws {
        guard let url else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let device = output
        if file == nil {
            try await open(url, at: start ?? 0, on: device, turn)
        } else if file?.device == nil {
            problems = []
            let place = await currentTime
            try await setDevice(device)
            file?.device = device
            // The silent output has taken the first samples.
            if file != nil { try await move(to: place) }
        }
        try checkTurn(turn)
        try await core.set("pause", "no")
        let isDone = await wait {
            guard turn == self.turn, let file, file.end == nil else { return true }
            return file.waitsForData || !file.isIdle && file.audioOutput == device.driver
        }
        try checkTurn(turn)
        guard let file, file.end == nil else {
            if case .finished? = self.file?.end {
                // Short content, or the rest of a longer one, is over before the start is reported.
                states.post(.playing)
                return ended()
            }
            let error = failure(of: self.file?.end, url)
            start = position
            self.file = nil
            throw error
        }
        guard isDone else { throw CoreError.ioError("mpv: no sound from \(device.name) within \(Self.startLimit) s") }
        pausedTarget = nil
        states.post(file.waitsForData && file.isIdle ? .buffering : .playing)
    }

    func setDevice(_ device: EngineOutput?) async throws {
        switch device {
        case .pulse(let sink, let latency, let server)?:
            try await core.set("pulse-host", server ?? "")
            try await core.set("pulse-buffer", "\(latency.isFinite ? Int(1_000 * min(2, max(0.03, latency))) : 200)")
            try await core.set("audio-device", sink.map { "pulse/\($0)" } ?? "auto")
        case .alsa(let name)?: try await core.set("audio-device", name.map { "alsa/\($0)" } ?? "auto")
        case .null?, nil: try await core.set("audio-device", "auto")
        }
        try await core.set("ao", (device ?? .null).driver)
    }

    func pause() async {
        switch engineState {
        case .playing, .buffering: break
        default:
            // A start that is being tried ends.
            guard isBusy, url != nil, engineState != .loading else { return }
        }
        turn += 1
        changed()
        let wasPlaying = [.playing, .buffering].contains(engineState)
        if wasPlaying { states.post(.paused) }
        await attempt("pausing") { try await core.set("pause", "yes") }
    }

    func stop() async {
        turn += 1
        changed()
        (start, position) = (0, 0)
        let wasOpen = file != nil
        file = nil
        if engineState != .idle { states.post(.idle) }
        if wasOpen { await attempt("stopping") { _ = try await core.run("stop") } }
    }

    func seek(to position: MediaPosition) async throws {
        guard url != nil else { throw CoreError.invalidState("mpv: nothing is loaded; call loadContent first") }
        let turn = turn
        try await serially {
            guard turn == self.turn || url != nil else { throw CancellationError() }
            let seconds = try seconds(at: position)
            guard let file, file.isLoaded else {
                start = seconds
                return
            }
            guard file.isSeekable else {
                throw CoreError.unsupported(
                    "\(url.map { AudioSource.url($0).name } ?? ""): it cannot be moved to another position")
            }
            try await move(to: seconds)
        }
    }

    private func seconds(at position: MediaPosition) throws -> TimeInterval {
        let seconds = try position.seconds(duration: length, engine: identifier)
        // Without a length, 2^31 s are further than any content.
        return min(max(0, seconds), length ?? Double(1 << 31))
    }

    /// Moves the open file, and waits until mpv is there.
    private func move(to seconds: TimeInterval) async throws {
        let restarts = file?.restarts ?? 0
        do {
            try await core.run("seek", "\(seconds)", "absolute+exact")
        } catch let error as CoreError {
            // A file that has just ended, for instance because its device cannot be opened, cannot be moved.
            guard await wait(1, until: { file?.end != nil || file == nil }) else { throw error }
            return
        }
        position = seconds
        pausedTarget = engineState == .playing ? nil : seconds
        _ = await wait(MpvCore.limit) { file?.end != nil || file == nil || (file?.restarts ?? 0) > restarts }
    }
}
