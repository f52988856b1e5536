package import DescantCore
package import Foundation

/// A decoder that may open a source.
package struct DecoderChoice: Sendable {
    /// The decoder's identifier, for `OpenedDeck.decoder`.
    package var identifier: String
    /// Who is named when a call takes too long: the plugin, or the decoder itself when it is built in.
    package var plugin: String
    /// Why it stands where it does in the list, for a person.
    package var reason: String
    /// Makes the decoder. May load a library, so it is called on a queue that may block.
    package var make: @Sendable () throws -> any DecoderPort

    package init(
        identifier: String, plugin: String, reason: String, make: @escaping @Sendable () throws -> any DecoderPort
    ) {
        self.identifier = identifier
        self.plugin = plugin
        self.reason = reason
        self.make = make
    }
}

/// Knows which decoders are for a source.
package protocol DecoderChooser: Sendable {
    /// The decoders for a URL, best first; none when no plugin takes it. Called on a queue that may block.
    ///
    /// - Throws: `CoreError` when the source cannot be looked at.
    func choices(for url: URL) throws -> [DecoderChoice]
}
