extension MusicAssistantClient {
    /// Sends the command of a typed method, unless a server would refuse one of its values.
    ///
    /// - Throws: ``MusicAssistantError/invalidArgument(_:)`` before anything is sent.
    @discardableResult
    nonisolated func call(_ command: String, _ args: [String: JSONValue] = [:], timeout: Duration? = nil) async throws
        -> JSONValue
    {
        for (name, value) in args.sorted(by: { $0.key < $1.key }) {
            guard let problem = ArgumentCheck.problem(with: value, as: name) else { continue }
            throw MusicAssistantError.invalidArgument("\(command): \(problem)")
        }
        return try await send(command, args, timeout: timeout)
    }
}

extension [String: JSONValue] {
    /// The arguments by which commands name an item.
    ///
    /// - Parameters:
    ///   - id: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    static func item(_ id: String, of provider: String) -> Self {
        ["item_id": .string(id), "provider_instance_id_or_domain": .string(provider)]
    }
}

/// The values that servers accept, by the name of the argument. The client checks them because the errors of servers
/// name only a line of their code.
enum ArgumentCheck {
    /// The problem of a value; nil when it is valid.
    static func problem(with value: JSONValue, as name: String) -> String? {
        switch (name, value) {
        case ("volume_level", .int(let level)) where !(0...100).contains(level):
            "\(name) is \(level); 0 to 100 are possible"
        case ("position", .int(let number)), ("seek_position", .int(let number)), ("index", .int(let number)),
            ("item_id_or_index", .int(let number)), ("limit", .int(let number)), ("offset", .int(let number)):
            number < 0 ? "\(name) is \(number); it cannot be negative" : nil
        case ("speed", .double(let speed)) where !(speed.isFinite && speed > 0):
            "\(name) is \(speed); it has to be a number above 0"
        case ("repeat_mode", .string(let word)): unlisted(word, in: ["off", "one", "all"], name)
        case ("option", .string(let word)):
            unlisted(word, in: ["play", "replace", "next", "replace_next", "add"], name)
        case ("media", .array([])), ("uris", .array([])), ("positions_to_remove", .array([])): "\(name) is empty"
        case (_, .string("")) where name.hasSuffix("_id") || ["uri", "url", "item", "media"].contains(name):
            "\(name) is empty"
        default: nil
        }
    }

    private static func unlisted(_ word: String, in words: [String], _ name: String) -> String? {
        words.contains(word) ? nil : "\(name) is '\(word)'; possible are \(words.joined(separator: ", "))"
    }
}

extension LibraryKind {
    /// The word as a part of a command's name.
    ///
    /// - Throws: ``MusicAssistantError/invalidArgument(_:)`` for text that cannot be one.
    var path: String {
        get throws {
            guard !rawValue.isEmpty, rawValue.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") }) else {
                throw MusicAssistantError.invalidArgument("'\(rawValue)' is not a kind of library item")
            }
            return rawValue
        }
    }
}
