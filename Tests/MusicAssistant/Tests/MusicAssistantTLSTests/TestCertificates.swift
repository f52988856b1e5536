import Foundation

/// Certificates that the tests create with openssl: two authorities, the first of which signs the server's certificate.
struct TestCertificates {
    let folder: URL
    var authority: URL { folder.appendingPathComponent("ca.pem") }
    var otherAuthority: URL { folder.appendingPathComponent("other.pem") }

    func certificate(_ name: String) -> URL { folder.appendingPathComponent("\(name).pem") }
    func key(_ name: String) -> URL { folder.appendingPathComponent("\(name).key") }

    struct OpenSSLFailed: Error { let output: String }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["ca", "other"] {
            try openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout",
                "\(name).key", "-out", "\(name).pem", "-subj", "/CN=Test authority \(name)",
            ])
        }
        try sign("server", names: "IP:127.0.0.1,DNS:localhost", days: 2)
        try sign("elsewhere", names: "DNS:elsewhere.example", days: 2)
        try sign("expired", names: "IP:127.0.0.1,DNS:localhost", days: -1)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    private func sign(_ name: String, names: String, days: Int) throws {
        try Data("subjectAltName=\(names)\n".utf8).write(to: folder.appendingPathComponent("\(name).ext"))
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key",
            "-out",
            "\(name).csr", "-subj", "/CN=\(name)",
        ])
        try openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
            "\(days)",
            "-extfile", "\(name).ext", "-out", "\(name).pem",
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw OpenSSLFailed(output: text) }
    }
}
