internal import Foundation
internal import PlayerApp

/// Pictures by kitty's graphics protocol: pixels in base64, which the terminal keeps under a number.
enum KittyPicture {
    /// Whether the protocol is known: a pixel that is not shown.
    static let question = "\u{1b}_Gi=56924,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\"
    /// Removes the picture and its pixels. The number is any one that other programs in the window are not likely to use. Without `q=2`
    /// the terminal answers.
    static let removalSequence: StaticString = "\u{1b}_Ga=d,d=I,i=56924,q=2\u{1b}\\"
    static var removal: String { removalSequence.description }

    /// The maximum length of a part, in characters.
    private static let chunk = 4096

    /// The sequences that show a picture at the cursor, which stays.
    static func encode(_ picture: PlacedPicture) -> String {
        let (width, height) = (
            min(picture.width, picture.cover.width), min(picture.height, picture.cover.height)
        )
        let bytes = picture.cover.pixels(width: width, height: height).flatMap { [$0.red, $0.green, $0.blue] }
        let text = Data(bytes).base64EncodedString()
        var keys =
            "a=T,f=24,s=\(width),v=\(height),i=56924,p=1,c=\(picture.columns.count),r=\(picture.rows.count),C=1,q=2,"
        var output = ""
        var rest = text.utf8[...]
        repeat {
            let part = rest.prefix(chunk)
            rest = rest[part.endIndex...]
            output += "\u{1b}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(Substring(part))\u{1b}\\"
            keys = "q=2,"
        } while !rest.isEmpty
        return output
    }
}
