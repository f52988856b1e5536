/// An object that can be seen on the bus.
protocol BusObject: AnyObject, Sendable {
    /// What it offers, as introspection data.
    var introspection: String { get }

    /// Answers a request, now or later. Called on the bus's thread; must not wait.
    func handle(_ request: BusRequest)
}
