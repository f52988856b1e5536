package import Foundation

extension URL {
    /// The URL without a user name and password, as it may appear in names, logs and errors.
    package var withoutSecrets: URL {
        guard user(percentEncoded: true) != nil || password(percentEncoded: true) != nil,
            var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }
}
