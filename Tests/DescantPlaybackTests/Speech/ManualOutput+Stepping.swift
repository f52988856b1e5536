import DescantTesting

extension ManualOutput {
    /// Lets the device pull until something has happened; ends with the test's time limit.
    func stepUntil(_ condition: () async -> Bool) async {
        while await !condition(), !Task.isCancelled {
            await step(frames: 80)
            await Task.yield()
        }
    }
}
