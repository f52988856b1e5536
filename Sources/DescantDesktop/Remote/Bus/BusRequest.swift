/// What somebody on the bus wants from an object.
struct BusRequest: Sendable {
    /// What is wanted.
    enum Kind: Sendable, Hashable {
        case get(interface: String, property: String)
        case getAll(interface: String)
        case set(interface: String, property: String, BusValue)
        case call(interface: String, method: String, [BusValue])
    }

    var kind: Kind
    /// Takes the answer's values, once; later ones are ignored. Any thread.
    var reply: @Sendable (Result<[BusValue], BusError>) -> Void
}
