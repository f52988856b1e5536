import Foundation
import MusicAssistantTestServer
import MusicAssistantTestServerTLS
import Testing

/// Discovery of servers in the local network, and trust in their certificates.
@Suite(.serialized, .timeLimit(.minutes(3))) struct NetworkTests {
    // MARK: Certificates

    @Test func certificateFileIsTrusted() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.appendingPathComponent("home.pem"), folder.appendingPathComponent("home.key"))
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=home", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key.path, "-out",
            certificate.path,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let server = try await MusicAssistantTestServer.start(
            certificates: String(contentsOf: certificate, encoding: .utf8),
            privateKey: String(contentsOf: key, encoding: .utf8))
        func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program {
            try await Program.run(arguments, home: folder, input: "test-token\n", environment: environment)
        }
        let refused = try await run("connect", server.url, "--token")
        #expect(refused.status == 1 && refused.errors.contains("--ca FILE"), "\(refused.errors)")
        let byVariable = try await run(
            "connect", server.url, "--token", environment: ["SSL_CERT_FILE": certificate.path])
        #expect(byVariable.status == 0, "\(byVariable.errors)")
        #expect(try await run("players").status == 1, "what the system's variable names is not remembered")
        #expect(try await run("players", environment: ["DESCANT_MA_CA": certificate.path]).status == 0)
        #expect(try await run("connect", server.url, "--token", "--ca", certificate.path).status == 0)
        #expect(try await run("players").output.contains("Kitchen"))
        let unreadable = try await run("players", environment: ["DESCANT_MA_CA": key.path])
        #expect(unreadable.status == 1 && unreadable.errors.contains("PEM"), "\(unreadable.errors)")
        try await server.stop()
    }

    // MARK: Discovery

    @Test func discoverFindsServers() async throws {
        let home = try AvahiHome()
        defer { home.remove() }
        let found = try await home.run("discover", "--within", "30")
        #expect(found.status == 0 && found.output == "Music box  ws://127.0.0.1:8095  version 2.7.0\n", "\(found)")
        let json = try await home.run("discover", "--json", "--within", "30")
        let server = JSON(text: json.output)?.array?.first
        #expect(server?["url"] == "ws://127.0.0.1:8095" && server?["properties"]?["server_id"] == "00112233")
        let other = try AvahiHome(service: "_http._tcp")
        defer { other.remove() }
        let none = try await other.run("discover", "--within", "30")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no server was found"), "\(none)")
    }

    @Test func discoverWithoutAvahiPrintsTheRemedy() async throws {
        let home = FileManager.default.temporaryDirectory
        let noBus = try await Program.run(
            ["discover"], home: home, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
        #expect(
            noBus.status == 1 && noBus.errors.contains("avahi-daemon") && noBus.errors.contains("descant ma connect"))
        let avahi = try AvahiHome(hasAvahi: false)
        defer { avahi.remove() }
        let noAvahi = try await avahi.run("discover")
        #expect(noAvahi.status == 1 && noAvahi.errors.contains("avahi-daemon"), "\(noAvahi.errors)")
    }
}

/// A private network in namespaces, with a real avahi-daemon on a private bus that announces a server.
private struct AvahiHome {
    private let folder: URL
    private let hasAvahi: Bool

    init(hasAvahi: Bool = true, service: String = "_mass._tcp") throws {
        self.hasAvahi = hasAvahi
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("descant-avahi-\(UUID().uuidString)")
        let services = folder.appendingPathComponent("services")
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        let files = [
            "bus.conf": """
            <busconfig><type>session</type><listen>unix:path=/run/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>\
            <allow own="*"/></policy></busconfig>
            """,
            "avahi.conf": """
            [server]
            host-name=musicbox
            use-ipv6=no
            enable-dbus=yes
            [publish]
            publish-workstation=no
            """,
            "services/server.service": """
            <?xml version="1.0"?><!DOCTYPE service-group SYSTEM "avahi-service.dtd">
            <service-group><name>00112233</name><service><type>\(service)</type><port>8095</port>
            <txt-record>server_id=00112233</txt-record><txt-record>server_version=2.7.0</txt-record>
            <txt-record>name=Music box</txt-record></service></service-group>
            """,
            // The daemon changes the owner of its folder to a user; the namespace has only one.
            "passwd": "root:x:0:0::/root:/bin/sh\navahi:x:0:0::/run:/bin/false\n", "group": "root:x:0:\navahi:x:0:\n",
            "run.sh": """
            set -e
            cd "$(dirname "$0")"
            rm -f address avahi.log
            mount -t tmpfs tmpfs /run
            mount --bind passwd /etc/passwd
            mount --bind group /etc/group
            ip link set lo up multicast on
            dbus-daemon --config-file="$PWD/bus.conf" --nofork --print-address=3 3>address &
            trap 'kill -9 $(jobs -p)' EXIT
            while [ ! -s address ]; do kill -0 $!; done
            export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/bus
            if [ "$HAS_AVAHI" = 1 ]; then
                mount --bind services /etc/avahi/services
                avahi-daemon --no-drop-root --no-chroot --no-rlimits -f "$PWD/avahi.conf" >avahi.log 2>&1 &
                while ! grep -qs "successfully established" avahi.log; do
                    kill -0 $! || { cat avahi.log >&2; exit 99; }
                done
            fi
            "$@"
            """,
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Runs `descant-ma` in this network.
    func run(_ arguments: String...) async throws -> Program {
        let words =
            [
                "/usr/bin/unshare", "-rmn", "/bin/bash",
                folder.appendingPathComponent("run.sh").path,
            ] + [Program.products.appendingPathComponent("descant-ma").path] + arguments
        let process = Program.process(
            words, folder, ["HAS_AVAHI": hasAvahi ? "1" : "0", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        async let outputData = output.fileHandleForReading.allBytes()
        async let errorData = errors.fileHandleForReading.allBytes()
        let texts = (
            String(decoding: await outputData, as: UTF8.self), String(decoding: await errorData, as: UTF8.self)
        )
        process.waitUntilExit()
        return Program(status: process.terminationStatus, output: texts.0, errors: texts.1)
    }
}
