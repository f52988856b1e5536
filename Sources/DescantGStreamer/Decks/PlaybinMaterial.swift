internal import DescantCore
internal import Foundation

/// A source in the form that playbin takes: an address, and who feeds it when it is not an address of its own.
struct PlaybinMaterial: Sendable {
    /// What errors call it.
    var name: String
    /// The title when no tag gives one.
    var fallbackTitle: String
    var uri: String
    /// The longest that opening may take, in seconds.
    var timeLimit: Double
    /// The length as the headers tell it; `nil` when they do not.
    var exactLength: ExactLength?
    /// Prepares the source element.
    var onSourceSetup: SourceSetup.Handler?
}
