package import Foundation

/// What is sent to one address.
package struct NetworkRequest: Sendable, Hashable {
    /// The address, without a user name or password.
    package var url: URL
    /// Headers by name.
    package var headers: [String: String] = [:]
    /// The name for a server that asks for one.
    package var user: String?
    /// The password that belongs to it.
    package var password: String?
}
