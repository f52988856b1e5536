public import Descant
public import Foundation
public import PlayerApp
internal import Synchronization

/// Everybody has the free product.
public final class FreeTierIAPManager: IAPManager {
    private let updates = EventHub(initial: ProStatus(isProUser: false))

    /// Creates a manager.
    public init() {}

    /// Free.
    public var status: ProStatus { ProStatus(isProUser: false) }

    /// The present status only: it does not change.
    public var statusUpdates: EventStream<ProStatus> { updates.stream() }
}

/// A person has Pro who has installed a licence file, see ``License``.
///
/// The file is read at creation, by ``reload()`` and by ``install(_:)``. A licence that expires or whose time begins while the app
/// runs changes the status then.
public final class LicenseFileIAPManager: IAPManager {
    /// Where an installed licence is kept; it need not exist.
    public let file: URL

    private let key: LicenseKey
    private let product: String
    private let clock: any ClockPort
    private let now: @Sendable () -> Date
    private let updates: EventHub<ProStatus>
    /// The licence, or why it is not accepted; `nil` without a file.
    private let license: Mutex<Result<License, LicenseError>?>
    private let timer = Mutex<Task<Void, Never>?>(nil)

    /// How long the timer sleeps at most, in seconds: its clock stands still while the machine sleeps.
    private static let longestSleep = 600.0

    /// Creates a manager and reads the licence.
    ///
    /// - Parameters:
    ///   - file: Where an installed licence is kept.
    ///   - key: The vendor's public key.
    ///   - product: The product that must be in the licence.
    ///   - clock: Times the end of a licence.
    ///   - now: The date.
    public init(
        file: URL, key: LicenseKey, product: String, clock: any ClockPort = MonotonicClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.file = file
        self.key = key
        self.product = product
        self.clock = clock
        self.now = now
        let read = Self.read(file, key)
        license = Mutex(read)
        updates = EventHub(initial: Self.status(read, file, product, now()))
        schedule()
    }

    deinit { timer.withLock { $0?.cancel() } }

    /// Pro with a valid licence; with another one, why it is not accepted.
    public var status: ProStatus { Self.status(license.withLock { $0 }, file, product, now()) }

    /// Every change of ``status`` from now on; begins with the present one.
    public var statusUpdates: EventStream<ProStatus> { updates.stream() }

    /// Who has the licence; `nil` without one.
    public var holder: String? {
        guard case .success(let license)? = license.withLock({ $0 }) else { return nil }
        return license.holder
    }

    /// Reads the file again.
    public func reload() {
        let read = Self.read(file, key)
        license.withLock { $0 = read }
        report()
        schedule()
    }

    /// Installs a licence: checks it and keeps a copy. A licence that is not accepted changes nothing.
    ///
    /// - Parameter source: The file.
    /// - Throws: ``LicenseError``; ``InputError`` when the copy cannot be written.
    public func install(_ source: URL) throws {
        let data = try Self.data(of: source)
        try License(data, key: key).check(product: product, at: now())
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        } catch {
            throw InputError(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
        reload()
    }

    // MARK: Reading

    private static func data(of file: URL) throws -> Data {
        do {
            // Opening a pipe would wait for its other end.
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                throw LicenseError.unreadable("it is not a file")
            }
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            return try handle.read(upToCount: License.sizeLimit + 1) ?? Data()
        } catch let error as LicenseError {
            throw error
        } catch {
            throw LicenseError.unreadable(error.localizedDescription)
        }
    }

    private static func read(_ file: URL, _ key: LicenseKey) -> Result<License, LicenseError>? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return .success(try License(data(of: file), key: key))
        } catch {
            return .failure(error as? LicenseError ?? .unreadable("\(error)"))
        }
    }

    private static func status(
        _ license: Result<License, LicenseError>?, _ file: URL, _ product: String, _ date: Date
    ) -> ProStatus {
        guard let license else { return ProStatus(isProUser: false) }
        do {
            try license.get().check(product: product, at: date)
            return ProStatus(isProUser: true)
        } catch {
            return ProStatus(isProUser: false, refusal: "the licence \(file.path) is not accepted: \(error)")
        }
    }

    // MARK: Time

    private func report() {
        let status = status
        if updates.snapshot != status { updates.post(status) }
    }

    /// Waits for the next moment at which the licence begins or ends.
    private func schedule() {
        timer.withLock { timer in
            timer?.cancel()
            timer = Task { [weak self, clock] in
                while let seconds = self?.secondsToNextChange {
                    let pause = min(seconds, Self.longestSleep)
                    guard (try? await clock.sleep(until: clock.now() + UInt64(pause * 1e9))) != nil else { return }
                    self?.report()
                }
                // The moment may have passed before this task began to run.
                if !Task.isCancelled { self?.report() }
            }
        }
    }

    /// Seconds until the licence begins or ends; `nil` when it will do neither.
    private var secondsToNextChange: Double? {
        guard case .success(let license)? = license.withLock({ $0 }) else { return nil }
        return [license.issued, license.expires].compactMap { $0?.timeIntervalSince(now()) }.filter { $0 > 0 }.min()
    }
}
