/// An event that says how many before it were lost.
public protocol MissCounting: Sendable {
    /// How many events the subscriber lost directly before this one.
    var missed: Int { get set }
}
