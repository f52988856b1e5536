/// An event that says how many before it were lost.
public protocol MissCounting: Sendable {
    /// The number of events that the subscriber lost directly before this one.
    var missed: Int { get set }
}
