import DescantCore

@testable import DescantPlayback

extension AudioPlayerService {
    /// Holds the commands on the main layer that come from now on.
    ///
    /// - Returns: Lets them go on when it is resolved.
    nonisolated func holdCommands() async -> Promise<Void> {
        let (isHeld, mayGoOn) = (Promise<Void>(), Promise<Void>())
        Task {
            await self.serially {
                isHeld.resolve(())
                _ = await mayGoOn.value(within: 60)
            }
        }
        _ = await isHeld.value(within: 60)
        return mayGoOn
    }
}
