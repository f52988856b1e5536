internal import DescantCore
internal import Foundation

/// The controller as a client of the audio session.
extension MediaPlaybackController: AudioSessionPlayer {
    /// The selected engine, for the session's log.
    var sessionName: String { engines.selected ?? "none" }

    /// Pauses what plays here.
    ///
    /// - Parameter cause: Why.
    /// - Returns: What ``resumeForSession(_:)`` takes; `nil` when nothing was played.
    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        await serially {
            guard await pauseEngine(reason: cause.description, cause: cause) else { return nil }
            return InterruptionToken(commands: commands.carriedOut)
        }
    }

    /// Resumes, unless a user command came since.
    ///
    /// - Parameter token: What ``pauseForSession(_:)`` returned.
    func resumeForSession(_ token: InterruptionToken) async {
        await serially {
            guard token.commands == commands.carriedOut, activity == .paused else { return }
            // `updates` and the log say why it does not resume.
            try? await begin(reason: "interruptionEnded")
        }
    }

    /// Makes the selected engine quieter, if its volume can be set here.
    ///
    /// - Parameter gain: Linear, 0…1.
    /// - Returns: Whether it has one.
    func setSessionGain(_ gain: Double) async -> Bool {
        await serially {
            let isAble =
                selectedEngine is any MixingEngine || selectedEngine is any DeviceEngine
                || selectedEngine is AudioPlayerEngine
            self.gain.level = isAble ? gain : 1
            await applySessionGain()
            return isAble
        }
    }

    /// Brings the selected engine to the volume that the session allows, and one that was left to its own.
    func applySessionGain() async {
        if let left = gain.restore(besides: engines.selected) { await setGain(1, of: left) }
        if let selected = engines.selected, gain.reduce(selected) { await setGain(gain.level, of: selected) }
    }

    private func setGain(_ gain: Double, of identifier: String) async {
        guard let engine = engines[identifier] else { return }
        try? await call(engine, "setGain", fields: ["gain": .open("\(gain)")]) {
            await (engine as? any MixingEngine)?.setMasterVolume(gain)
            await (engine as? any DeviceEngine)?.setGain(gain)
            // On top of the volume that the host has set on the player.
            _ = await (engine as? AudioPlayerEngine)?.player.setSessionGain(gain)
        }
    }

    /// Notes where playing stands still.
    ///
    /// - Parameter reason: What the server or the system said.
    func sessionServerLost(_ reason: String) async {
        await serially {
            guard outage.position != nil || activity == .playing || activity == .buffering else {
                return await publish()
            }
            if outage.position == nil { await outage.begin(at: carriedPosition() ?? .time(0)) }
            post(.outputLost(reason: reason))
            awaitServer(within: 30, reason: reason)
            await publish()
        }
    }

    /// Goes on where playing stood still. Engines that wait for the server by themselves are left alone.
    func sessionServerRestored() async {
        await serially {
            outage.stopTimer()
            guard let lost = outage.position, let engine = selectedEngine else { return await publish() }
            guard commands.waiting == 0 else {
                // They come first, and may end the waiting.
                Task { [weak self] in await self?.sessionServerRestored() }
                return await publish()
            }
            outage.forget()
            guard activity == .playing || activity == .buffering else { return await publish() }
            let state = await self.state(of: engine)
            if state != .playing, state != .buffering {
                engines.forgetContent(of: engine.identifier)
                media.pending = lost
                status.activity = .paused
                // `updates` and the log say why it does not resume.
                guard (try? await begin(reason: "serverRestored")) != nil else { return }
            }
            post(.outputRestored)
            await publish()
        }
    }
}
