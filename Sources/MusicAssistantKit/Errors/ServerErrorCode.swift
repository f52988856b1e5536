/// The server's error codes; unknown ones keep their number.
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
    /// The server received invalid data.
    public static let invalidData = ServerErrorCode(rawValue: 3)
    /// The item exists already.
    public static let alreadyRegistered = ServerErrorCode(rawValue: 4)
    /// A provider could not be set up.
    public static let setupFailed = ServerErrorCode(rawValue: 5)
    /// A provider refused the login.
    public static let loginFailed = ServerErrorCode(rawValue: 6)
    /// The audio could not be produced.
    public static let audioError = ServerErrorCode(rawValue: 7)
    /// The queue is empty.
    public static let queueEmpty = ServerErrorCode(rawValue: 8)
    /// The player or provider does not support the command.
    public static let unsupportedFeature = ServerErrorCode(rawValue: 9)
    /// The player does not answer.
    public static let playerUnavailable = ServerErrorCode(rawValue: 10)
    /// The player refused the command.
    public static let playerCommandFailed = ServerErrorCode(rawValue: 11)
    /// There is no such command, or it is not possible now.
    public static let invalidCommand = ServerErrorCode(rawValue: 12)
    /// The item cannot be played.
    public static let unplayableMedia = ServerErrorCode(rawValue: 13)
    /// The server cannot read the URI.
    public static let invalidURI = ServerErrorCode(rawValue: 14)
    /// The server cannot read the id of the item.
    public static let invalidItemId = ServerErrorCode(rawValue: 15)
    /// The server gave up after several attempts.
    public static let retriesExhausted = ServerErrorCode(rawValue: 16)
    /// The resource is temporarily unavailable.
    public static let temporarilyUnavailable = ServerErrorCode(rawValue: 17)
    /// The provider refuses.
    public static let providerDenied = ServerErrorCode(rawValue: 18)
    /// The action is not possible now.
    public static let actionUnavailable = ServerErrorCode(rawValue: 19)
    /// A login is required.
    public static let authenticationRequired = ServerErrorCode(rawValue: 20)
    /// The login was refused.
    public static let authenticationFailed = ServerErrorCode(rawValue: 21)
    /// The user lacks the permission.
    public static let insufficientPermissions = ServerErrorCode(rawValue: 22)
    /// The token is unknown or revoked.
    public static let invalidToken = ServerErrorCode(rawValue: 23)
    /// The resource is in use.
    public static let resourceBusy = ServerErrorCode(rawValue: 24)
    /// Too many requests.
    public static let rateLimited = ServerErrorCode(rawValue: 25)
    /// The server's hardware does not support it.
    public static let unsupportedSystem = ServerErrorCode(rawValue: 26)
    /// There is no such user.
    public static let userNotFound = ServerErrorCode(rawValue: 27)
    /// A setting has an invalid value.
    public static let invalidConfigurationValue = ServerErrorCode(rawValue: 28)
    /// The server is not set up.
    public static let setupRequired = ServerErrorCode(rawValue: 503)
    /// Any other exception of the server, such as wrong arguments.
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
