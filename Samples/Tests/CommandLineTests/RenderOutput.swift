/// The JSON object of `render --json`, declared again here, because the format is a contract for other programs.
struct RenderOutput: Decodable {
    struct Track: Decodable, Equatable {
        let url: String
        let startFrame: Int64
        let endFrame: Int64
    }

    struct Transition: Decodable, Equatable {
        let from: String
        let to: String
        let kind: String
        let startFrame: Int64
        let frames: Int64
    }

    struct Failure: Decodable, Equatable {
        let url: String
        let code: String
        let message: String
    }

    struct Event: Decodable, Equatable {
        let frame: Int64
        let event: String
        let url: String?
        let state: String?
    }

    let output: String
    let sampleRate: Int
    let channels: Int
    let frames: Int64
    let peak: Double?
    let tracks: [Track]
    let transitions: [Transition]
    let events: [Event]
    let errors: [Failure]
    let seconds: Double
    let loudnessLUFS: Double?
    let wallSeconds: Double
}
