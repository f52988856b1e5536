internal import Descant
internal import Foundation

/// One ONNX file of a model's folder, and what it says that it is.
struct SherpaNetwork: Sendable {
    /// What a network is for, by its `model_type`.
    enum Role: Sendable, Equatable {
        case voice(SherpaModel.Kind)
        case vocoder
        /// Something else that sherpa-onnx may know.
        case other(String)
    }

    let path: String
    let metadata: ONNXMetadata
    let role: Role

    var sampleRate: Int? { metadata["sample_rate"].flatMap { Int($0) } }

    /// Reads what the file says of itself.
    ///
    /// - Throws: `CoreError.decodeError` for a damaged file or one that does not say what it is, `CoreError.ioError`.
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
