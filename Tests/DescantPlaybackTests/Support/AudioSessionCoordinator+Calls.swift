@testable import DescantPlayback

extension AudioSessionCoordinator {
    /// Waits until a client has carried out the calls of the session so far.
    ///
    /// The next event waits for them as well, but for 2 s at most, which a busy machine exceeds.
    func waitForCalls(to client: AudioSessionClientID) async {
        // A client receives its calls one after the other.
        let last = calls.add(to: client) {}
        await last.value
    }
}
