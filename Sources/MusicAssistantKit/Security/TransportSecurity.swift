#if MusicAssistant
package import NIOCore
#endif

/// Encrypts connections; the module MusicAssistantTLS makes one.
public struct TransportSecurity: Sendable {
    #if MusicAssistant
    /// Adds to a pipeline what encrypts for a host.
    package let secure: @Sendable (any Channel, _ host: String) throws -> Void

    package init(secure: @escaping @Sendable (any Channel, _ host: String) throws -> Void) { self.secure = secure }
    #endif
}
