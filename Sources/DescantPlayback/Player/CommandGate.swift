/// Lets one operation of an actor through at a time, in the order of arrival, although each of them suspends.
final class CommandGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var firstWaiting = 0

    /// Waits for every operation that came earlier. Each call is paired with one of ``leave()``.
    ///
    /// - Parameter owner: The actor whose operations these are.
    func enter(_ owner: isolated any Actor = #isolation) async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next operation through.
    func leave() {
        guard firstWaiting < waiting.count else {
            waiting.removeAll()
            firstWaiting = 0
            isBusy = false
            return
        }
        firstWaiting += 1
        waiting[firstWaiting - 1].resume()
    }
}
