public import Foundation

/// Whose bundles a host accepts: everybody's, or only those that the owner of a trusted key has signed.
///
/// The signature is the file `manifest.json.sig` beside the manifest: 64 bytes, Ed25519 (RFC 8032) over every byte of `manifest.json`. The
/// manifest holds the SHA-256 of every other file, so that the signature covers the whole bundle. A host verifies it before it reads the
/// manifest, and before any code of the bundle runs.
///
/// The core brings no cryptography: the host passes a function of the library that it uses, such as libsodium's
/// `crypto_sign_verify_detached`.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#trust -->
/// ```swift
/// let trust = PluginTrust.signed(by: [key]) { message, signature, key in verify(signature, message, key) }
/// let registry = PluginRegistry(trust: trust)
/// ```
public struct PluginTrust: Sendable {
    /// Returns whether a signature of a message is by the owner of a key. Called on any thread, also on several at once.
    public typealias Verifier = @Sendable (_ message: [UInt8], _ signature: [UInt8], _ key: [UInt8]) -> Bool

    /// The file with the signature, beside `manifest.json`.
    public static let signatureFile = "manifest.json.sig"

    /// The length of a signature in bytes.
    static let signatureLength = 64
    /// The length of a public key in bytes.
    static let keyLength = 32

    /// The public keys; `nil` accepts every bundle.
    private let keys: [[UInt8]]?
    private let verifier: Verifier

    /// Accepts every bundle; a signature is not read.
    public static let everybody = PluginTrust(keys: nil) { _, _, _ in false }

    /// Accepts bundles that the owner of one of the keys has signed.
    ///
    /// - Parameters:
    ///   - keys: Public keys of Ed25519, 32 bytes each; others match no signature. Without a key no bundle is accepted.
    ///   - verifier: Returns whether a signature is by the owner of a key. Gets 64 bytes of signature and 32 bytes of key.
    public static func signed(by keys: [Data], verifier: @escaping Verifier) -> PluginTrust {
        PluginTrust(keys: keys.map { [UInt8]($0) }.filter { $0.count == keyLength }, verifier: verifier)
    }

    private init(keys: [[UInt8]]?, verifier: @escaping Verifier) {
        self.keys = keys
        self.verifier = verifier
    }

    /// Verifies a manifest's signature.
    ///
    /// - Parameters:
    ///   - manifest: The bytes of `manifest.json`.
    ///   - bundle: The bundle's folder.
    ///   - files: Reads the signature.
    /// - Throws: ``PluginError``.
    func check(_ manifest: Data, of bundle: String, _ files: inout CheckedFiles) throws {
        guard let keys else { return }
        let path = bundle + "/" + Self.signatureFile
        let remedy =
            "this host takes only bundles that the owner of a trusted key has signed with 'descant plugin sign'"
        let signature: Data
        do {
            signature = try files.read(Self.signatureFile, in: bundle, limit: 4_096)
        } catch PluginError.badLibrary(_, let reason) {
            throw PluginError.badManifest(path: path, reason: "there is no signature (\(reason)); \(remedy)")
        }
        guard signature.count == Self.signatureLength else {
            let reason = "the signature has \(signature.count) bytes and not \(Self.signatureLength); \(remedy)"
            throw PluginError.badManifest(path: path, reason: reason)
        }
        let (message, bytes) = ([UInt8](manifest), [UInt8](signature))
        guard keys.contains(where: { verifier(message, bytes, $0) }) else {
            let reason =
                "the signature is by none of the \(keys.count) keys that this host trusts, or the manifest was changed; \(remedy)"
            throw PluginError.badManifest(path: path, reason: reason)
        }
    }
}
