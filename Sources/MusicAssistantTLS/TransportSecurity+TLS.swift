#if MusicAssistant
public import Foundation
public import MusicAssistantKit
internal import NIOCore
internal import NIOSSL

extension TransportSecurity {
    /// TLS with the certificates that the machine trusts.
    public static let tls = TransportSecurity(configuration: .makeClientConfiguration())

    /// TLS that trusts the authorities in a file, and no others.
    ///
    /// - Parameter file: Certificates in PEM format, for a server whose certificate no public authority has signed.
    /// - Returns: What ``ClientConfiguration/security`` takes.
    /// - Throws: An error when the file holds no certificates.
    public static func tls(trusting file: URL) throws -> TransportSecurity {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.path))
        return TransportSecurity(configuration: configuration)
    }

    private init(configuration: TLSConfiguration) {
        // Making a context reads the machine's certificates: once per security, not once per connection.
        let context = Result { try NIOSSLContext(configuration: configuration) }
        self.init { channel, host in
            // Names go into the handshake; addresses must not, they are compared with the certificate only.
            let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
            let handler = try NIOSSLClientHandler(context: context.get(), serverHostname: isAddress ? nil : host)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
    }
}
#endif
