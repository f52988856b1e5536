/// Sends signals.
protocol BusEmitter: Sendable {
    /// Runs work on the bus's thread, in the order of the calls.
    func post(_ work: @escaping @Sendable () -> Void)

    /// Runs work on the bus's thread after some seconds.
    func post(after seconds: Double, _ work: @escaping @Sendable () -> Void)

    /// Sends a signal; nobody gets it while there is no bus. To be called on the bus's thread.
    func emit(_ signal: BusSignal)
}
