public import Foundation

/// A sound card for sound servers on machines without sound; it records what it plays.
///
/// It is a plugin of ALSA that the integration tests build, and that a server takes for hardware: PulseAudio takes queued sound back from it,
/// which a null sink does not show.
public final class SimulatedCard: Sendable {
    /// What the card has played: stereo frames of Float32 at 48 kHz.
    let recordingFile: URL
    /// A configuration of ALSA in which this card is called ``device``.
    public let configuration: URL
    private let library: URL
    private let folder: ServerFolder

    /// Creates a card that no server plays on yet.
    ///
    /// - Parameter library: The plugin of ALSA, `libSimulatedCard.so`.
    /// - Throws: The file system's error.
    public init(library: URL) throws {
        folder = try ServerFolder(label: "descant-card")
        // A name with a space would be two for the linker.
        self.library = folder.file("card.so")
        try FileManager.default.createSymbolicLink(at: self.library, withDestinationURL: library)
        recordingFile = try folder.write(Data(), to: "recording")
        let text = """
            </usr/share/alsa/alsa.conf>
            pcm_type.simulated { lib "\(library.path)" }
            pcm.\(Self.device) { type simulated recording "\(recordingFile.path)" }
            """
        configuration = try folder.write(Data(text.utf8), to: "alsa.conf")
    }

    /// The name of the card in ``configuration``.
    public static let device = "card"

    /// The name of the card where `ALSA_CONFIG_PATH` names the file beside the plugin's source: any number of cards has a name there.
    public var directDevice: String { "\(Self.device):FILE=\(recordingFile.path)" }

    /// Adds what a server needs to find the card.
    func addEnvironment(to environment: inout [String: String]) {
        environment["ALSA_CONFIG_PATH"] = configuration.path
        environment["LD_PRELOAD"] = library.path
    }
}
