internal import Foundation

/// Who uses a session; every player and controller has one.
public struct AudioSessionClientID: Sendable, Hashable {
    private let value: UUID

    /// Creates an identity that nobody else has.
    public init() { value = UUID() }
}
