internal import Descant
internal import Foundation

/// One ONNX file of a model's folder, and its kind.
struct SherpaNetwork: Sendable {
    /// The kind of a network, by its `model_type`.
    enum Role: Sendable, Equatable {
        case voice(SherpaModel.Kind)
        case vocoder
        /// Another kind.
        case other(String)
    }

    let path: String
    let metadata: ONNXMetadata
    let role: Role

    var sampleRate: Int? { metadata["sample_rate"].flatMap { Int($0) } }

    /// Reads the metadata of the file.
    ///
    /// - Throws: `CoreError.decodeError` for a damaged file or one without a kind, `CoreError.ioError`.
    init(_ path: String) throws {
        self.path = path
        metadata = try ONNXMetadata(of: path)
        guard let type = metadata["model_type"], !type.isEmpty else {
            throw CoreError.decodeError(
                "sherpa: \(path) does not tell of what kind it is (it has no model_type); take a model that was made for sherpa-onnx"
            )
        }
        role =
            if type.contains("vocos") || type.contains("hifigan") {
                .vocoder
            } else if let kind = SherpaModel.Kind.allCases.first(where: { type.contains($0.word) }) {
                .voice(kind)
            } else {
                .other(type)
            }
    }
}
