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
    /// Whether the content, and not only the name, speaks for the decoder. Its `decodeError` is the last word then: nobody who did
    /// not recognise the content is tried.
    package var recognisesContent: Bool
    /// Makes the decoder. May load a library, so it is called on a queue that may block. Whoever offers the decoder limits how
    /// long that takes, and throws `PluginError.overdue` then.
    package var make: @Sendable () throws -> any DecoderPort

    /// Called when a call into the decoder has exceeded its limit: whoever offers it should do so no more.
    package var retire: @Sendable (_ operation: String, _ seconds: Double) -> Void

    package init(
        identifier: String, plugin: String, reason: String, recognisesContent: Bool = false,
        make: @escaping @Sendable () throws -> any DecoderPort,
        retire: @escaping @Sendable (_ operation: String, _ seconds: Double) -> Void = { _, _ in }
    ) {
        self.identifier = identifier
        self.plugin = plugin
        self.reason = reason
        self.recognisesContent = recognisesContent
        self.make = make
        self.retire = retire
    }
}

/// Knows which decoders are for a source.
package protocol DecoderChooser: Sendable {
    /// The decoders for a URL, best first; none when no plugin takes it. Called on a queue that may block.
    ///
    /// - Parameters:
    ///   - url: The source.
    ///   - overdue: Receives plugin, operation and limit of each call that was given up.
    /// - Throws: `CoreError` when the source cannot be looked at.
    func choices(
        for url: URL, overdue: @Sendable (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) throws -> [DecoderChoice]
}
