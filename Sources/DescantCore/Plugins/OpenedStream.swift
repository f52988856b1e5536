/// A file that one of the registry's decoders has opened.
public struct OpenedStream {
    /// The decoder; close the handle when done with it.
    public let decoder: any DecoderPort
    /// The open stream inside the decoder.
    public let handle: DecodeHandle
    /// The stream's shape and length.
    public let info: StreamInfo
    /// The decoder's identifier.
    public let identifier: String
    /// The bundle that provides the decoder; `nil` for the host's own.
    public let plugin: String?
    /// Why this decoder was chosen, and which others were tried, for a person.
    public let reason: String
}
