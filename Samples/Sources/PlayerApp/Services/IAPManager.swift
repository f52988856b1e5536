public import DescantCore

/// Knows whether the person has Pro. The integration layer implements it.
public protocol IAPManager: AnyObject, Sendable {
    /// What the person has now.
    var status: ProStatus { get }

    /// Every change of ``status`` from now on; begins with the present one.
    var statusUpdates: EventStream<ProStatus> { get }
}

extension IAPManager {
    /// Whether the person has Pro now.
    public var isProUser: Bool { status.isProUser }
}

/// Whether a person has Pro.
public struct ProStatus: Sendable, Equatable {
    /// Whether the person has Pro.
    public var isProUser: Bool
    /// Why there is no Pro although there is a licence, for a person; `nil` otherwise.
    public var refusal: String?

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - isProUser: Whether the person has Pro.
    ///   - refusal: Why there is no Pro although there is a licence.
    public init(isProUser: Bool, refusal: String? = nil) {
        self.isProUser = isProUser
        self.refusal = refusal
    }
}
