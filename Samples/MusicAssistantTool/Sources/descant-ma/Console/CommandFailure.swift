internal import MusicAssistantKit

/// Ends a command with a message and an exit status.
struct CommandFailure: Error {
    let status: Int32
    let message: String

    init(status: Int32 = 1, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the message for an error.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as MusicAssistantError: self.init(error)
        default: self.init("\(error)")
        }
    }

    private init(_ error: MusicAssistantError) {
        switch error {
        case .connectionFailed(let reason) where "\(reason)".contains("CERTIFICATE_VERIFY_FAILED"):
            self.init(
                """
                the server's certificate is signed by nobody that this machine trusts
                If it is your own server, name the certificate that signed it: descant ma connect URL --ca FILE
                """)
        case .connectionFailed(let reason):
            self.init(
                "there is no connection to the server: \(reason)\nIs it running, and its address right? descant ma connect"
            )
        case .tokenRejected: self.init("the server does not know the token any more; run: descant ma login")
        case .serverError(_, let message, _) where error.serverCode == .authenticationRequired:
            self.init("\(message)\nRun: descant ma login")
        case .serverError(_, let message, _)
        where error.serverCode == .mediaNotFound || error.serverCode == .invalidURI:
            self.init(status: 66, "\(message)\nFind something to play with: descant ma search WORDS")
        case .setupRequired: self.init("nobody has set up the server yet; open its web page and do so")
        default: self.init(error.description)
        }
    }
}
