internal import DescantCore

/// The clients of a session, and how the session presents itself.
struct ActiveSession {
    /// A client that plays or has paused. The reference is weak: a client that is released ends its part of the session.
    struct Member {
        let id: AudioSessionClientID
        let name: String
        weak var client: (any AudioSessionClient)?
    }

    /// The members in the order of arrival. A client is one member.
    private(set) var members: [Member] = []
    /// How the session presents itself; `nil` while it is not active.
    var configuration: AudioSessionConfiguration?

    /// Whether no client plays or has paused.
    var isEmpty: Bool { members.isEmpty }

    /// The names of the members.
    var names: [String] { members.map(\.name) }

    /// The client of a member; `nil` when it is none, or was released.
    func client(_ id: AudioSessionClientID) -> (any AudioSessionClient)? { members.first { $0.id == id }?.client }

    /// Whether no client but this one is a member.
    func hasOnly(_ id: AudioSessionClientID) -> Bool { members.allSatisfy { $0.id == id } }

    /// Adds a member, or replaces the one of the same client, which keeps its place.
    ///
    /// - Returns: The replaced member's name.
    mutating func add(_ member: Member) -> String? {
        guard let index = members.firstIndex(where: { $0.id == member.id }) else {
            members.append(member)
            return nil
        }
        defer { members[index] = member }
        return members[index].name
    }

    /// Removes the member of a client.
    mutating func remove(_ id: AudioSessionClientID) -> Member? {
        members.firstIndex { $0.id == id }.map { members.remove(at: $0) }
    }

    /// Removes the members whose clients were released.
    mutating func removeReleased() { members.removeAll { $0.client == nil } }
}
