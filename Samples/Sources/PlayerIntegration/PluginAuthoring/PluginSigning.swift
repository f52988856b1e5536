internal import CSodium
public import Descant
public import Foundation

/// A key of Ed25519 that signs bundles, or that a host trusts.
///
/// A file holds one key: a line with the words `descant-secret-key` or `descant-public-key` and the bytes in Base64.
public enum PluginKey {
    private static let secretLabel = "descant-secret-key "
    private static let publicLabel = "descant-public-key "

    /// Makes a key pair: `NAME.key`, which only its owner can read, and `NAME.pub` for hosts.
    ///
    /// - Parameter name: The files' path without the endings.
    /// - Returns: The secret key's file and the public key's.
    /// - Throws: ``InputError`` when one of the files exists or cannot be written.
    public static func make(_ name: URL) throws -> (secret: URL, public: URL) {
        try start()
        var (secret, key) = (
            [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES)),
            [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        )
        guard crypto_sign_keypair(&key, &secret) == 0 else { throw InputError(description: "no key can be made") }
        let files = (secret: name.appendingPathExtension("key"), public: name.appendingPathExtension("pub"))
        // Both are looked for before one is written: a secret key beside an older public one fits nothing.
        for file in [files.secret, files.public] where FileManager.default.fileExists(atPath: file.path) {
            throw InputError(description: "\(file.path) exists already; a key is never overwritten")
        }
        for (file, label, bytes, mode) in [
            (files.secret, secretLabel, secret, 0o600), (files.public, publicLabel, key, 0o644),
        ] {
            let text = Data("\(label)\(Data(bytes).base64EncodedString())\n".utf8)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
            guard FileManager.default.createFile(atPath: file.path, contents: text, attributes: attributes) else {
                if file == files.public { try? FileManager.default.removeItem(at: files.secret) }
                throw InputError(description: "\(file.path) cannot be written")
            }
        }
        return files
    }

    /// Signs a bundle: writes `manifest.json.sig` into it.
    ///
    /// - Parameters:
    ///   - bundle: The bundle's folder.
    ///   - key: The file of a secret key.
    /// - Returns: The signature's file.
    /// - Throws: ``InputError`` for a key that cannot be used; `PluginError` for a bundle that a host refuses.
    public static func sign(_ bundle: URL, key: URL) throws -> URL {
        try start()
        let secret = try bytes(of: key, secretLabel, Int(crypto_sign_SECRETKEYBYTES))
        // The manifest's digests must be those of the files: the signature vouches for them.
        let check = try PluginCheck(bundle)
        if let refused = check.refusal() { throw refused }
        let manifest = [UInt8](try Data(contentsOf: bundle.appendingPathComponent("manifest.json")))
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, manifest, UInt64(manifest.count), secret)
        let file = bundle.appendingPathComponent(PluginTrust.signatureFile)
        do {
            try Data(signature).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        } catch {
            throw InputError(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
        return file
    }

    /// The trust in the owners of keys.
    ///
    /// - Parameter keys: Files of public keys.
    /// - Throws: ``InputError`` for a file that is not one.
    public static func trust(_ keys: [URL]) throws -> PluginTrust {
        try start()
        let keys = try keys.map { Data(try bytes(of: $0, publicLabel, Int(crypto_sign_PUBLICKEYBYTES))) }
        return .signed(by: keys) { message, signature, key in
            signature.count == Int(crypto_sign_BYTES) && key.count == Int(crypto_sign_PUBLICKEYBYTES)
                && crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
        }
    }

    private static func start() throws {
        guard sodium_init() >= 0 else { throw InputError(description: "libsodium cannot be started") }
    }

    private static func bytes(of file: URL, _ label: String, _ count: Int) throws -> [UInt8] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw InputError(description: "\(file.path) cannot be read; 'descant plugin keygen' makes keys")
        }
        guard text.hasPrefix(label),
            let data = Data(base64Encoded: text.dropFirst(label.count).trimmingCharacters(in: .whitespacesAndNewlines)),
            data.count == count
        else { throw InputError(description: "\(file.path) holds no \(label)line; 'descant plugin keygen' makes keys") }
        return [UInt8](data)
    }
}
