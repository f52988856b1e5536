import Descant
import DescantTesting
import Foundation
import LicenseMaking
import PlayerApp
import PlayerIntegration
import Synchronization
import Testing

struct LicenseFileTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)  // 2026-05-28

    private let vendor = LicenseMaker()
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("licence-\(UUID().uuidString)")

    private func read(_ data: Data) throws -> License { try License(data, key: LicenseKey(base64: vendor.publicKey)) }

    private func refusal(_ data: Data) -> LicenseError? {
        do {
            try read(data).check(product: "layered-player", at: Self.date)
            return nil
        } catch {
            return error as? LicenseError
        }
    }

    // MARK: One file

    @Test func aLicenceIsRead() throws {
        let license = try read(vendor.license(holder: "Jörg: Müller", expires: "2027-01-01T00:00:00Z"))
        #expect(license.product == "layered-player" && license.holder == "Jörg: Müller")
        #expect(license.expires == Date(timeIntervalSince1970: 1_798_761_600))
        #expect(refusal(vendor.license()) == nil)
    }

    @Test func everyTruncatedLicenceIsRefused() {
        let data = vendor.license()
        // Without its last line break it is complete.
        for length in 0..<data.count - 1 {
            let found = refusal(data.prefix(length))
            let isHeading = length < License.heading.utf8.count + 1
            #expect(found == (isHeading ? .noLicense : .truncated), "\(length) bytes")
        }
        #expect(refusal(data.dropLast()) == nil)
    }

    @Test func everyChangedByteIsRefused() {
        let data = vendor.license()
        for index in data.indices.dropLast() {
            var changed = data
            changed[index] ^= 1
            #expect(refusal(changed) != nil, "byte \(index)")
        }
    }

    @Test func forgedLicencesAreRefused() {
        #expect(refusal(LicenseMaker().license()) == .forged)
        let text = String(decoding: vendor.license(expires: "2026-02-01T00:00:00Z"), as: UTF8.self)
        #expect(refusal(Data(text.replacingOccurrences(of: "2026-02", with: "2036-02").utf8)) == .forged)
        #expect(
            refusal(Data(text.replacingOccurrences(of: "expires: 2026-02-01T00:00:00Z\n", with: "").utf8)) == .forged)
        #expect(refusal(Data((text + "expires: 2036-01-01T00:00:00Z\n").utf8)) == .forged)
        // A second signature line of the same text does not help.
        #expect(refusal(Data((text + text.suffix(100)).utf8)) == .forged)
    }

    @Test func licencesOfAnotherProductOrTimeAreRefused() {
        #expect(refusal(vendor.license(product: "another")) == .foreign("another"))
        #expect(
            refusal(vendor.license(expires: "2026-02-01T00:00:00Z"))
                == .expired(Date(timeIntervalSince1970: 1_769_904_000)))
        #expect(
            refusal(vendor.license(issued: "2030-01-01T00:00:00Z"))
                == .notYetValid(Date(timeIntervalSince1970: 1_893_456_000)))
    }

    @Test(arguments: ["", "MZ", "Descant licence 2\nproduct: x\n", "Descant licence 1", "{\"product\": 1}"])
    func otherFilesAreNoLicence(_ text: String) { #expect(refusal(Data(text.utf8)) == .noLicense) }

    @Test func aHugeFileIsNoLicence() {
        #expect(refusal(Data("Descant licence 1\n".utf8) + Data(count: 1 << 20)) == .noLicense)
    }

    @Test func whatTheVendorSignedMustBeALicence() {
        let texts = [
            "product: a\nproduct: b\nissued: 2026-01-01T00:00:00Z\n", "issued: 2026-01-01T00:00:00Z\n", "product: a\n",
            "product: a\nissued: yesterday\n", "product: a\nnonsense\n",
        ]
        for text in texts {
            guard case .malformed? = refusal(vendor.signed("Descant licence 1\n" + text)) else {
                Issue.record("accepted: \(text)")
                continue
            }
        }
    }

    @Test(arguments: ["", "AAAA", "no Base64 at all", String(repeating: "A", count: 44) + "AAAA"])
    func otherKeysAreRefused(_ text: String) {
        #expect(throws: LicenseError.invalidKey) { try LicenseKey(base64: text) }
    }

    // MARK: The manager

    private func manager(
        _ clock: any ClockPort = MonotonicClock(), now: @escaping @Sendable () -> Date = { date }
    ) throws -> LicenseFileIAPManager {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return LicenseFileIAPManager(
            file: folder.appendingPathComponent("kept/licence.txt"), key: try LicenseKey(base64: vendor.publicKey),
            product: "layered-player", clock: clock, now: now)
    }

    private func file(_ data: Data) throws -> URL {
        let url = folder.appendingPathComponent("given.txt")
        try data.write(to: url)
        return url
    }

    @Test func aLicenceIsInstalledAndKept() async throws {
        let manager = try manager()
        #expect(manager.status == ProStatus(isProUser: false) && !FreeTierIAPManager().isProUser)
        var updates = manager.statusUpdates.makeAsyncIterator()
        #expect(await updates.next()?.isProUser == false)
        try manager.install(try file(vendor.license()))
        #expect(await updates.next() == ProStatus(isProUser: true))
        #expect(manager.isProUser && manager.holder == "Jane Doe")
        #expect(try self.manager().isProUser)
        try FileManager.default.removeItem(at: manager.file)
        manager.reload()
        #expect(await updates.next() == ProStatus(isProUser: false))
    }

    @Test func aRefusedLicenceChangesNothing() throws {
        let manager = try manager()
        #expect(throws: LicenseError.forged) { try manager.install(try file(LicenseMaker().license())) }
        #expect(throws: LicenseError.foreign("b")) { try manager.install(try file(vendor.license(product: "b"))) }
        #expect(throws: LicenseError.unreadable("it is not a file")) { try manager.install(folder) }
        #expect(!FileManager.default.fileExists(atPath: manager.file.path))
        try manager.install(try file(vendor.license()))
        #expect(throws: LicenseError.truncated) { try manager.install(try file(vendor.license().prefix(80))) }
        #expect(manager.isProUser)
    }

    @Test func aKeptLicenceThatIsNotAcceptedIsAReason() throws {
        let manager = try manager()
        try manager.install(try file(vendor.license()))
        try Data("Descant licence 1\n".utf8).write(to: manager.file)
        manager.reload()
        #expect(
            manager.status
                == ProStatus(
                    isProUser: false,
                    refusal:
                        "the licence \(manager.file.path) is not accepted: its end is missing; download it again"))
    }

    @Test(.timeLimit(.minutes(2))) func aLicenceExpiresWhileTheAppRuns() async throws {
        let clock = ManualClock()
        let start = clock.now()
        let manager = try manager(clock) {
            Self.date.addingTimeInterval(Double(clock.now() - start) / 1e9)
        }
        let expiry = Self.date.addingTimeInterval(3_600).formatted(.iso8601)
        try manager.install(try file(vendor.license(expires: expiry)))
        #expect(manager.isProUser)
        var updates = manager.statusUpdates.makeAsyncIterator()
        #expect(await updates.next()?.isProUser == true)
        // The timer may not sleep yet: a clock that is moved too early is moved again.
        let mover = Task {
            while !Task.isCancelled {
                clock.advance(by: 60_000_000_000)
                await Task.yield()
            }
        }
        let change = await updates.next()
        mover.cancel()
        #expect(change?.isProUser == false && change?.refusal?.contains("expired") == true)
    }

    @Test(.timeLimit(.minutes(1))) func aLicenceThatEndsBeforeItsTimerRunsIsTold() async throws {
        let end = Self.date.addingTimeInterval(3_600)
        try manager().install(try file(vendor.license(expires: end.formatted(.iso8601))))
        let isFirst = Atomic(true)
        let later = try manager { isFirst.exchange(false, ordering: .relaxed) ? Self.date : end }
        for await status in later.statusUpdates where !status.isProUser { break }
    }
}
