#if MusicAssistant
public import Foundation
public import MusicAssistantKit
internal import NIOCore
internal import NIOSSL

extension TransportSecurity {
    /// TLS with the certificates that the machine trusts.
    public static let tls = TransportSecurity(configuration: .makeClientConfiguration())

    /// TLS that trusts only the authorities in a file.
    ///
    /// - Parameter file: Certificates in PEM format, for a server whose certificate no public authority has signed.
    /// - Returns: A value for ``ClientConfiguration/security``.
    /// - Throws: An error when the file holds no certificates.
    public static func tls(trusting file: URL) throws -> TransportSecurity {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.path))
        return TransportSecurity(configuration: configuration)
    }

    private init(configuration: TLSConfiguration) {
        // Creating a context reads the machine's certificates, so it happens once and not for each connection.
        let context = Result { try NIOSSLContext(configuration: configuration) }
        self.init { channel, host in
            // Host names are sent in the handshake; IP addresses must not be, and are only compared with the certificate.
            let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
            let handler = try NIOSSLClientHandler(context: context.get(), serverHostname: isAddress ? nil : host)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
    }
}
#endif
