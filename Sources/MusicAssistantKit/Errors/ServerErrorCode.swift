/// The server's numbers for errors; unknown ones survive as their number.
public struct ServerErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int

    /// Creates a code from the server's number.
    ///
    /// - Parameter rawValue: Any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Something failed.
    public static let generic = ServerErrorCode(rawValue: 0)
    /// The provider does not work now.
    public static let providerUnavailable = ServerErrorCode(rawValue: 1)
    /// There is no such item.
    public static let mediaNotFound = ServerErrorCode(rawValue: 2)
    /// The server could not understand some data.
    public static let invalidData = ServerErrorCode(rawValue: 3)
    /// It is there already.
    public static let alreadyRegistered = ServerErrorCode(rawValue: 4)
    /// A provider could not be set up.
    public static let setupFailed = ServerErrorCode(rawValue: 5)
    /// A provider refused the login.
    public static let loginFailed = ServerErrorCode(rawValue: 6)
    /// The sound could not be made.
    public static let audioError = ServerErrorCode(rawValue: 7)
    /// The queue holds nothing.
    public static let queueEmpty = ServerErrorCode(rawValue: 8)
    /// The player or provider cannot do that.
    public static let unsupportedFeature = ServerErrorCode(rawValue: 9)
    /// The player does not answer.
    public static let playerUnavailable = ServerErrorCode(rawValue: 10)
    /// The player refused the command.
    public static let playerCommandFailed = ServerErrorCode(rawValue: 11)
    /// There is no such command, or it makes no sense now.
    public static let invalidCommand = ServerErrorCode(rawValue: 12)
    /// The item cannot be played.
    public static let unplayableMedia = ServerErrorCode(rawValue: 13)
    /// The server cannot read the URI.
    public static let invalidURI = ServerErrorCode(rawValue: 14)
    /// The server cannot read the id of the item.
    public static let invalidItemId = ServerErrorCode(rawValue: 15)
    /// The server gave up trying.
    public static let retriesExhausted = ServerErrorCode(rawValue: 16)
    /// It may work later.
    public static let temporarilyUnavailable = ServerErrorCode(rawValue: 17)
    /// The provider refuses.
    public static let providerDenied = ServerErrorCode(rawValue: 18)
    /// It cannot be done now.
    public static let actionUnavailable = ServerErrorCode(rawValue: 19)
    /// Log in first.
    public static let authenticationRequired = ServerErrorCode(rawValue: 20)
    /// The login was refused.
    public static let authenticationFailed = ServerErrorCode(rawValue: 21)
    /// The user may not do that.
    public static let insufficientPermissions = ServerErrorCode(rawValue: 22)
    /// The token is not known, or no longer.
    public static let invalidToken = ServerErrorCode(rawValue: 23)
    /// Somebody else uses it.
    public static let resourceBusy = ServerErrorCode(rawValue: 24)
    /// Too many requests.
    public static let rateLimited = ServerErrorCode(rawValue: 25)
    /// The server's machine cannot do that.
    public static let unsupportedSystem = ServerErrorCode(rawValue: 26)
    /// There is no such user.
    public static let userNotFound = ServerErrorCode(rawValue: 27)
    /// A setting has a value that it cannot have.
    public static let invalidConfigurationValue = ServerErrorCode(rawValue: 28)
    /// Nobody has set up the server.
    public static let setupRequired = ServerErrorCode(rawValue: 503)
    /// Any other exception of the server; wrong arguments among them.
    public static let unexpected = ServerErrorCode(rawValue: 999)

    private static let names: [Int: String] = [
        0: "generic",
        1: "providerUnavailable",
        2: "mediaNotFound",
        3: "invalidData",
        4: "alreadyRegistered",
        5: "setupFailed",
        6: "loginFailed",
        7: "audioError",
        8: "queueEmpty",
        9: "unsupportedFeature",
        10: "playerUnavailable",
        11: "playerCommandFailed",
        12: "invalidCommand",
        13: "unplayableMedia",
        14: "invalidURI",
        15: "invalidItemId",
        16: "retriesExhausted",
        17: "temporarilyUnavailable",
        18: "providerDenied",
        19: "actionUnavailable",
        20: "authenticationRequired",
        21: "authenticationFailed",
        22: "insufficientPermissions",
        23: "invalidToken",
        24: "resourceBusy",
        25: "rateLimited",
        26: "unsupportedSystem",
        27: "userNotFound",
        28: "invalidConfigurationValue",
        503: "setupRequired",
        999: "unexpected",
    ]

    /// Its name and number, such as `invalidToken (23)`.
    public var description: String { "\(Self.names[rawValue] ?? "unknown") (\(rawValue))" }
}
