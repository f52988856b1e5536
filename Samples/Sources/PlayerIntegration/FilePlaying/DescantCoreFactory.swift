public import Descant
public import PlayerApp

/// Makes the services of the app on an environment of the library.
public struct DescantCoreFactory: CoreFactory {
    private let environment: AudioEnvironment
    private let output: OutputDestination

    /// Creates a factory; no device is touched before a service plays.
    ///
    /// - Parameters:
    ///   - environment: Which plugins and decoders there are.
    ///   - output: Where services play.
    public init(environment: AudioEnvironment = .shared, output: OutputDestination = .pulse()) {
        self.environment = environment
        self.output = output
    }

    /// Makes a service that plays one file.
    ///
    /// - Parameter isProUser: Whether it plays the formats of Pro, which are recognised by the content of a file; of a network
    ///   address only the name is known.
    public func makePlaybackService(isProUser: Bool) -> any ObservablePlaybackService {
        let decoder = environment.makeDecoder { input in
            isProUser ? nil : ProFormat.allCases.first { $0.matches(input) }?.refusal
        }
        return environment.makePlaybackService(output: output, decoder: decoder)
    }

    /// Makes the service that reads the tags of files.
    public func makeTagReaderService() -> any TagReaderService & Sendable { environment.makeTagReaderService() }
}

extension ProFormat {
    /// Whether a file is of this format.
    func matches(_ input: ProbeInput) -> Bool {
        fileType.score(input) >= (input.header.isEmpty ? .fileExtension : .content)
    }

    /// The first bytes of the format's files, and their names' endings.
    private var fileType: PluginFileType {
        switch self {
        case .flac:
            // "fLaC"; in Ogg the first packet begins with 7F "FLAC", 28 bytes into the file.
            PluginFileType(
                extensions: ["flac"], signatures: [FileSignature("664c6143"), FileSignature("7f464c4143", at: 28)])
        case .dsd:
            // DSF begins with "DSD ", DSDIFF with "FRM8", a length and "DSD ".
            PluginFileType(
                extensions: ["dsf", "dff"], signatures: [FileSignature("44534420"), FileSignature("44534420", at: 12)])
        }
    }
}
