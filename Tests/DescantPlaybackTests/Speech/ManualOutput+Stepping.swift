import DescantTesting

extension ManualOutput {
    /// Steps the device until a condition is true or the test's time limit is reached.
    func stepUntil(_ condition: () async -> Bool) async {
        while await !condition(), !Task.isCancelled {
            await step(frames: 80)
            await Task.yield()
        }
    }
}
