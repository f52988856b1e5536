import DescantCore

@testable import DescantPlayback

/// A client that takes its time to pause.
final class SlowClient: AudioSessionClient {
    let isPausing = Promise<Void>()
    let mayPause = Promise<Void>()
    let isResumed = Promise<Void>()
    let sessionClient = AudioSessionClientID()
    let sessionName = "slow"

    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        isPausing.resolve(())
        await mayPause.value
        return InterruptionToken(commands: 0)
    }

    func resumeForSession(_ token: InterruptionToken) async { isResumed.resolve(()) }
    func setSessionGain(_ gain: Double) async -> Bool { true }
    func sessionServerLost(_ reason: String) async {}
    func sessionServerRestored() async {}
}
