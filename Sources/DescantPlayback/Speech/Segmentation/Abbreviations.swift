/// Words with a full stop that does not end a sentence. Written in lower case, without the last full stop.
enum Abbreviations {
    /// Never the last word of a sentence: a name or a word follows.
    static let leading: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "rev", "gen", "col", "capt", "cpt", "lt", "sgt", "hon", "sen", "rep", "gov",
        "pres",
        "messrs", "mme", "mlle", "hr", "fr", "sra", "srta", "dott", "ing", "dipl", "st", "ste", "mt", "vs", "cf", "viz",
        "approx", "ca", "bzw", "ggf", "evtl", "bspw", "vgl", "sog", "inkl", "exkl", "zzgl", "e.g", "i.e", "z.b", "d.h",
        "u.a",
        "o.ä", "s.o", "s.u", "p.ex", "c.-à-d", "п", "г", "ул", "т.е", "т.д",
    ]

    /// Not the last word when a number follows.
    static let beforeNumbers: Set<String> = [
        "no", "nos", "nr", "art", "fig", "figs", "p", "pp", "vol", "vols", "ch", "chap", "sec", "eq", "op", "abs", "bd",
        "kap",
        "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "tel", "ext", "app", "ed",
        "par",
    ]

    /// Words that begin a sentence after an abbreviation that can also stand at its end.
    static let openers: Set<String> = [
        "the", "he", "she", "it", "they", "we", "i", "you", "this", "that", "these", "those", "but", "and", "then",
        "there",
        "however", "in", "on", "at", "a", "an", "if", "when", "what", "who", "why", "how", "der", "die", "das", "er",
        "sie",
        "es", "wir", "aber", "und", "dann", "le", "la", "les", "il", "elle", "ils", "el", "los", "las",
    ]

    /// Times of day end a sentence as soon as a capital letter follows.
    static let timesOfDay: Set<String> = ["a.m", "p.m"]
}
