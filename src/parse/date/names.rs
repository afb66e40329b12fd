//! Names of months and zones as mail spells them.

/// Months by how their names start, in the languages mailers have used.
const MONTHS: [(&str, i64); 46] = [
    ("jan", 1),
    ("jän", 1),
    ("ene", 1),
    ("gen", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("mar", 3),
    ("mär", 3),
    ("maer", 3),
    ("mrt", 3),
    ("maa", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mei", 5),
    ("mag", 5),
    ("maj", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aoû", 8),
    ("aou", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("déc", 12),
    ("dez", 12),
    ("dic", 12),
    ("des", 12),
    ("янв", 1),
    ("фев", 2),
    ("июн", 6),
    ("июл", 7),
];

/// The number of a month named by this lower-case word.
pub(super) fn month_number(word: &str) -> Option<i64> {
    // "Mardi", "martes" and "martedì" are Tuesdays, "maandag" is a Monday.
    let weekday = ["mard", "marte", "maand"].iter().any(|day| word.starts_with(day));
    let found = MONTHS.iter().find(|(start, _)| word.starts_with(start));
    found.filter(|_| !weekday).map(|(_, number)| *number)
}

/// Minutes east of Greenwich.
const ZONES: [(&str, i64); 46] = [
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("wet", 0),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("akst", -540),
    ("akdt", -480),
    ("hst", -600),
    ("ast", -240),
    ("adt", -180),
    ("nst", -210),
    ("ndt", -150),
    ("brt", -180),
    ("art", -180),
    ("bst", 60),
    ("west", 60),
    ("cet", 60),
    ("met", 60),
    ("mez", 60),
    ("cest", 120),
    ("mest", 120),
    ("mesz", 120),
    ("eet", 120),
    ("sast", 120),
    ("ist", 330),
    ("eest", 180),
    ("msk", 180),
    ("msd", 240),
    ("hkt", 480),
    ("sgt", 480),
    ("awst", 480),
    ("jst", 540),
    ("kst", 540),
    ("acst", 570),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
];

/// The offset of a zone named by this lower-case word; `None` for a word that names none we know.
pub(super) fn zone_minutes(word: &str) -> Option<i64> {
    ZONES.iter().find(|(name, _)| *name == word).map(|(_, minutes)| *minutes)
}
