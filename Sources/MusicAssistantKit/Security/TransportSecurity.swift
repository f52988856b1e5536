#if MusicAssistant
package import NIOCore
#endif

/// The encryption of connections; the module MusicAssistantTLS provides it.
public struct TransportSecurity: Sendable {
    #if MusicAssistant
    /// Adds the handlers that encrypt the connection to a host.
    package let secure: @Sendable (any Channel, _ host: String) throws -> Void

    package init(secure: @escaping @Sendable (any Channel, _ host: String) throws -> Void) { self.secure = secure }
    #endif
}
