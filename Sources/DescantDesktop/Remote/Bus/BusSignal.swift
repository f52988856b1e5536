/// A signal to everybody on the bus.
struct BusSignal: Sendable, Hashable {
    var interface: String
    var name: String
    var arguments: [BusValue]
}
