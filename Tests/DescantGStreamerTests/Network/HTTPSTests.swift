import CGio
import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Servers with TLS. The authorities of the system are replaced by one of the test for the whole process; nothing else in it uses TLS.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HTTPSTests {
    private let fixture: NetworkFixture
    private let certificates: WebCertificates
    private let server: LoopbackWebServer

    init() throws {
        fixture = try NetworkFixture()
        certificates = try WebCertificates()
        let flac = fixture.flac
        server = try LoopbackWebServer { .file(flac, for: $0) }
        let database = g_tls_file_database_new(certificates.authority.path, nil)
        g_tls_backend_set_default_database(g_tls_backend_get_default(), database)
        g_object_unref(database)
    }

    @Test func trustedServerPlaysAndSeeks() async throws {
        let proxy = try TLSProxy(to: server.port, certificates.certificate(with: nil))
        defer { proxy.stop() }
        try await fixture.expectSoundAndSeek(proxy.url("/noise.flac"))
        #expect(server.requests.contains { ($0.rangeStart ?? 0) > 0 })
    }

    /// Signed by an unknown authority, for the name of another server, and out of date.
    enum Fault: CaseIterable, Sendable { case unknown, elsewhere, expired }

    @Test(arguments: Fault.allCases) func untrustedServerIsNamed(fault: Fault) async throws {
        let proxy = try TLSProxy(to: server.port, certificates.certificate(with: fault))
        defer { proxy.stop() }
        let url = proxy.url("/noise.flac")
        let error = try #require(await fixture.error(url))
        let expected = "\(url.absoluteString): the certificate of 127.0.0.1 is not trusted: "
        #expect(error.code == "ioError" && error.message.hasPrefix(expected), "\(error)")
        #expect(error.message.contains("update-ca-certificates"))
        let documents = WebDocumentLoader(access: NetworkAccess(), limit: 1_000_000) { _ in true }
        let other = await #expect(throws: CoreError.self) { _ = try await documents.load(url, within: 30) }
        #expect(other?.message.hasPrefix(expected) == true, "\(String(describing: other))")
        #expect(server.requests.isEmpty)
    }

    @Test func otherFailuresDoNotNameTheCertificate() async throws {
        let proxy = try TLSProxy(to: server.port, certificates.certificate(with: nil))
        proxy.stop()
        let error = try #require(await fixture.error(proxy.url("/noise.flac")))
        #expect(error.code == "ioError" && !error.message.contains("certificate"), "\(error)")
    }
}

/// Certificates with their keys, made with openssl: two authorities, and what they have signed.
private struct WebCertificates {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory(label: "descant-certificates")
        for name in ["own", "other"] {
            let names = ["\(name).key", "-out", "\(name).pem", "-days", "2", "-subj", "/CN=\(name)"]
            try openssl(["req", "-x509"] + Self.key + names)
        }
    }

    /// The authority that is trusted.
    var authority: URL { folder.file("own.pem") }

    /// A certificate for this machine, or one that is not to be trusted.
    func certificate(with fault: HTTPSTests.Fault?) throws -> URL {
        let name = fault.map { "\($0)" } ?? "trusted"
        let names = fault == .elsewhere ? "DNS:elsewhere.example" : "IP:127.0.0.1"
        try folder.write(Data("subjectAltName=\(names)\n".utf8), to: "\(name).ext")
        try openssl(["req"] + Self.key + ["\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"])
        let signer = fault == .unknown ? "other" : "own"
        try openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "\(signer).pem", "-CAkey", "\(signer).key", "-CAcreateserial",
            "-days", fault == .expired ? "-1" : "2", "-extfile", "\(name).ext", "-out", "\(name).pem",
        ])
        let parts = try ["pem", "key"].map { try Data(contentsOf: folder.file("\(name).\($0)")) }
        return try folder.write(parts[0] + parts[1], to: "\(name)-both.pem")
    }

    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"]

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder.url
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
    }
}

/// Takes connections with TLS and passes their bytes to a port of this machine, in a process that ends with its input.
private struct TLSProxy {
    private let process = Process()
    private let input = Pipe()
    private let port: Int

    init(to port: Int, _ certificate: URL) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.script, "\(port)", certificate.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var text = Data()
        while let part = try output.fileHandleForReading.read(upToCount: 1), part != Data("\n".utf8), !part.isEmpty {
            text += part
        }
        self.port = try #require(Int(String(decoding: text, as: UTF8.self)))
    }

    func url(_ path: String) -> URL {
        URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static let script = """
        import os, socket, ssl, sys, threading

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))

        def pump(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        def serve(plain):
            try:
                secure = context.wrap_socket(plain, server_side=True)
                server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            except OSError:
                return plain.close()
            threading.Thread(target=pump, args=(server, secure), daemon=True).start()
            pump(secure, server)

        def accept():
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        print(listener.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """
}
