public import MusicAssistantTestServer
internal import NIOCore
internal import NIOSSL

extension MusicAssistantTestServer {
    /// Starts a server with TLS on a free port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - scenario: The behaviour; ``ConnectionFault`` counts the bytes inside of the encryption.
    ///   - port: The port; 0 for any free one.
    ///   - certificates: The server's certificate and those that lead to the authority, as PEM text.
    ///   - privateKey: The key of the first certificate, as PEM text.
    /// - Throws: An error of the system when the port is taken, or of the TLS library for text that is not PEM.
    public static func start(
        _ scenario: Scenario = Scenario(), port: Int = 0, certificates: String, privateKey: String
    ) async throws -> MusicAssistantTestServer {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
        return try await start(
            scenario, port: port,
            preparing: { channel in
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            })
    }
}
