extension MusicAssistantError {
    /// The same error without a secret in the server's words.
    func hiding(_ secret: String) -> MusicAssistantError {
        guard case .serverError(let code, let message, let details) = self else { return self }
        let words = message.hiding(secret)
        return .serverError(code: code, message: words, details: details.map { _ in .string(words) })
    }
}

extension String {
    /// The same text without a secret.
    ///
    /// A secret of 8 characters or more is hidden everywhere. A shorter one is hidden only as a whole word: as a part of
    /// other words it reveals nothing, and hiding it there would make the text unreadable.
    func hiding(_ secret: String) -> String {
        guard !secret.isEmpty else { return self }
        guard secret.count < 8 else { return replacing(secret, with: Self.hidden) }
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: secret) {
            let before = rest[..<range.lowerBound].last ?? result.last
            let isWord = !Self.isPartOfWord(before) && !Self.isPartOfWord(rest[range.upperBound...].first)
            result += rest[..<range.lowerBound] + (isWord ? Self.hidden : secret)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    private static let hidden = "(hidden)"

    private static func isPartOfWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
