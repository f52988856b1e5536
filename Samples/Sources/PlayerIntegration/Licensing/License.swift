internal import CSodium
public import Foundation

/// A licence of the app: a small text file that its vendor has signed with Ed25519.
///
/// ```
/// Descant licence 1
/// product: descant-player
/// holder: Jane Doe
/// issued: 2026-01-01T00:00:00Z
/// expires: 2027-01-01T00:00:00Z
/// signature: (64 bytes in Base64)
/// ```
///
/// The signature is over every byte before its line, so that no line can be changed, added or removed. A licence without
/// `expires` does not expire.
public struct License: Sendable, Equatable {
    /// What it is a licence of.
    public let product: String
    /// Who has it.
    public let holder: String
    /// When its time begins.
    public let issued: Date
    /// When its time ends; `nil` for never.
    public let expires: Date?

    /// The first line of every licence.
    public static let heading = "Descant licence 1"
    /// The beginning of the last line.
    public static let signatureLabel = "signature: "
    /// The maximum size of a file in bytes.
    static let sizeLimit = 16 << 10

    /// Reads a licence and verifies its signature; whether its time has come or gone is for ``check(product:at:)``.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - key: The vendor's public key.
    /// - Throws: ``LicenseError``.
    public init(_ data: Data, key: LicenseKey) throws {
        guard data.count <= Self.sizeLimit, data.starts(with: Data(Self.heading.utf8) + [10]) else {
            throw LicenseError.noLicense
        }
        let label = Data(("\n" + Self.signatureLabel).utf8)
        guard let found = data.range(of: label, options: .backwards) else { throw LicenseError.truncated }
        let signed = data[..<(found.lowerBound + 1)]
        let line = String(decoding: data[found.upperBound...], as: UTF8.self)
        let text = line.hasSuffix("\n") ? line.dropLast() : line[...]
        guard let signature = Data(base64Encoded: String(text)) else {
            // A text that is not Base64 but as long as a signature was changed; a shorter one was cut off.
            throw text.utf8.count < LicenseKey.signatureTextLength ? LicenseError.truncated : LicenseError.forged
        }
        guard signature.count == Int(crypto_sign_BYTES) else {
            throw signature.count < Int(crypto_sign_BYTES) ? LicenseError.truncated : LicenseError.forged
        }
        guard key.verifies(signature, of: signed) else { throw LicenseError.forged }
        try self.init(fields: String(decoding: signed, as: UTF8.self))
    }

    /// Reads the lines of a text whose signature was verified.
    private init(fields text: String) throws {
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            guard let colon = line.range(of: ": "), fields[String(line[..<colon.lowerBound])] == nil else {
                throw LicenseError.malformed(String(line))
            }
            fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        func date(_ name: String) throws -> Date? {
            guard let text = fields[name] else { return nil }
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw LicenseError.malformed("\(name): \(text)")
            }
            return date
        }
        guard let product = fields["product"] else { throw LicenseError.malformed("no product") }
        guard let issued = try date("issued") else { throw LicenseError.malformed("no date of issue") }
        self.product = product
        self.issued = issued
        holder = fields["holder"] ?? ""
        expires = try date("expires")
    }

    /// Checks that the licence is of a product and valid at a moment.
    ///
    /// - Parameters:
    ///   - product: The product.
    ///   - date: The moment.
    /// - Throws: ``LicenseError``.
    public func check(product: String, at date: Date) throws {
        guard self.product == product else { throw LicenseError.foreign(self.product) }
        guard date >= issued else { throw LicenseError.notYetValid(issued) }
        if let expires, date >= expires { throw LicenseError.expired(expires) }
    }
}

/// A vendor's public key of Ed25519.
public struct LicenseKey: Sendable, Equatable {
    private let bytes: [UInt8]

    /// The length of a signature in Base64.
    static let signatureTextLength = 88

    /// Creates a key.
    ///
    /// - Parameter base64: The 32 bytes of the key in Base64; white space around it is ignored.
    /// - Throws: ``LicenseError/invalidKey`` for anything else.
    public init(base64: String) throws {
        guard let data = Data(base64Encoded: base64.trimmingCharacters(in: .whitespacesAndNewlines)),
            data.count == Int(crypto_sign_PUBLICKEYBYTES)
        else { throw LicenseError.invalidKey }
        bytes = [UInt8](data)
    }

    /// Whether a signature of a text is by the key's owner.
    ///
    /// - Parameter signature: 64 bytes.
    func verifies(_ signature: Data, of text: Data) -> Bool {
        let (signature, text) = ([UInt8](signature), [UInt8](text))
        precondition(signature.count == Int(crypto_sign_BYTES))
        return sodium_init() >= 0
            && crypto_sign_verify_detached(signature, text, UInt64(text.count), bytes) == 0
    }
}

/// Why a licence is not accepted. Texts are for people.
public enum LicenseError: Error, Sendable, Equatable {
    /// The file is something else.
    case noLicense
    /// The end of the file is missing.
    case truncated
    /// The signature is not the vendor's, or the text was changed after it was signed.
    case forged
    /// The vendor has signed something that is not a licence; the line.
    case malformed(String)
    /// It is a licence of another product.
    case foreign(String)
    /// Its time has not begun.
    case notYetValid(Date)
    /// Its time is over.
    case expired(Date)
    /// The file cannot be read; the reason.
    case unreadable(String)
    /// The vendor's key is not a key.
    case invalidKey
}

extension LicenseError: CustomStringConvertible {
    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .noLicense: "it is not a licence; install the file that came with the purchase"
        case .truncated: "its end is missing; download it again"
        case .forged: "its signature is not valid: it was changed or is not from the vendor; download it again"
        case .malformed(let line):
            "the vendor has signed something that this version cannot read (\(line)); update the player"
        case .foreign(let product): "it is a licence of \(product)"
        case .notYetValid(let date): "it is valid from \(date.formatted(.iso8601)) on; check the clock of this machine"
        case .expired(let date): "it expired at \(date.formatted(.iso8601)); renew it"
        case .unreadable(let reason): "it cannot be read (\(reason))"
        case .invalidKey: "the vendor's key is not 32 bytes in Base64"
        }
    }
}
