//! Which documents we can read, told by media type or else by file name.

/// A format whose text we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Text as it is: notes, logs, CSV, JSON, source code.
    Plain,
    /// A web page.
    Html,
    /// XML without a look of its own: its text nodes.
    Xml,
    /// An iCalendar file: what its events say.
    Calendar,
    /// Rich Text Format.
    Rtf,
    /// Portable Document Format.
    Pdf,
    /// Word.
    Docx,
    /// PowerPoint.
    Pptx,
    /// OpenDocument text or presentation.
    OpenDocument,
    /// Excel, old and new, and OpenDocument sheets.
    Spreadsheet,
}

const NAMES: [(DocumentKind, &str); 10] = [
    (DocumentKind::Plain, "plain"),
    (DocumentKind::Html, "html"),
    (DocumentKind::Xml, "xml"),
    (DocumentKind::Calendar, "calendar"),
    (DocumentKind::Rtf, "rtf"),
    (DocumentKind::Pdf, "pdf"),
    (DocumentKind::Docx, "docx"),
    (DocumentKind::Pptx, "pptx"),
    (DocumentKind::OpenDocument, "opendocument"),
    (DocumentKind::Spreadsheet, "spreadsheet"),
];

impl DocumentKind {
    /// Whether its reader may hang or eat memory, so that it belongs in a process with limits.
    #[must_use]
    pub fn needs_child(self) -> bool {
        matches!(self, Self::Pdf | Self::Docx | Self::Pptx | Self::OpenDocument | Self::Spreadsheet)
    }

    /// Whether bytes hold the mark that files of this kind begin with, wherever: what does not is not worth a process.
    #[must_use]
    pub fn may_be(self, bytes: &[u8]) -> bool {
        const OLE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
        let holds = |mark: &[u8]| memchr::memmem::find(bytes, mark).is_some();
        match self {
            Self::Pdf => holds(b"%PDF-"),
            Self::Docx | Self::Pptx | Self::OpenDocument => holds(b"PK\x03\x04"),
            Self::Spreadsheet => holds(b"PK\x03\x04") || holds(OLE),
            Self::Plain | Self::Html | Self::Xml | Self::Calendar | Self::Rtf => true,
        }
    }

    /// Its name, understood by [`DocumentKind::from_name`].
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("plain", |(_, name)| name)
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// The kind of a file, by its media type, or by the end of its name when the type says nothing to us, as with
/// `application/octet-stream`.
#[must_use]
pub fn kind(content_type: &str, name: Option<&str>) -> Option<DocumentKind> {
    let by_name = name.and_then(by_extension);
    match by_type(content_type) {
        // Programs open files by their names: what is called a page is shown as one, and what they draw is no plain text.
        Some(DocumentKind::Plain) if name.is_some_and(is_drawn) => None,
        Some(DocumentKind::Plain) if by_name.is_some() => by_name,
        // Windows calls every .csv an Excel sheet.
        Some(DocumentKind::Spreadsheet) if by_name == Some(DocumentKind::Plain) => by_name,
        Some(kind) => Some(kind),
        None => by_name,
    }
}

/// Whether a file by its name holds marks that programs draw, and that are not read here.
fn is_drawn(name: &str) -> bool {
    let extension = name.trim_end().rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| {
        matches!(
            extension.as_str(),
            "svg"
                | "svgz"
                | "mht"
                | "mhtml"
                | "hta"
                | "xsl"
                | "xslt"
                | "eml"
                | "fodt"
                | "fods"
                | "fodp"
                | "doc"
                | "xps"
        )
    })
}

fn by_type(content_type: &str) -> Option<DocumentKind> {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if let Some(office) = media_type.strip_prefix("application/vnd.openxmlformats-officedocument.") {
        return by_office_type(office);
    }
    if let Some(open) = media_type.strip_prefix("application/vnd.oasis.opendocument.") {
        return by_open_document_type(open);
    }
    match media_type.as_str() {
        "text/html" | "application/xhtml+xml" => Some(DocumentKind::Html),
        "text/xml" | "application/xml" => Some(DocumentKind::Xml),
        "text/calendar" | "application/ics" => Some(DocumentKind::Calendar),
        "text/rtf" | "text/richtext" | "application/rtf" | "application/x-rtf" => Some(DocumentKind::Rtf),
        "application/pdf" | "application/x-pdf" => Some(DocumentKind::Pdf),
        "application/vnd.ms-excel" => Some(DocumentKind::Spreadsheet),
        "application/vnd.ms-word.document.macroenabled.12" => Some(DocumentKind::Docx),
        "application/vnd.ms-powerpoint.presentation.macroenabled.12" => Some(DocumentKind::Pptx),
        "application/json" | "application/csv" | "application/x-yaml" => Some(DocumentKind::Plain),
        other if other.starts_with("application/vnd.ms-excel.sheet.") => Some(DocumentKind::Spreadsheet),
        other if other.starts_with("text/") => Some(DocumentKind::Plain),
        _ => None,
    }
}

fn by_office_type(rest: &str) -> Option<DocumentKind> {
    match rest.split('.').next() {
        Some("wordprocessingml") => Some(DocumentKind::Docx),
        Some("presentationml") => Some(DocumentKind::Pptx),
        Some("spreadsheetml") => Some(DocumentKind::Spreadsheet),
        _ => None,
    }
}

fn by_open_document_type(rest: &str) -> Option<DocumentKind> {
    match rest.split('-').next() {
        Some("text" | "presentation") => Some(DocumentKind::OpenDocument),
        Some("spreadsheet") => Some(DocumentKind::Spreadsheet),
        _ => None,
    }
}

fn by_extension(name: &str) -> Option<DocumentKind> {
    let (_, extension) = name.trim_end().rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "txt" | "text" | "md" | "markdown" | "csv" | "tsv" | "json" | "log" | "yaml" | "yml" | "toml"
        | "ini" | "org" | "rst" | "tex" | "diff" | "patch" | "sql" => Some(DocumentKind::Plain),
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Some(DocumentKind::Html),
        "xml" => Some(DocumentKind::Xml),
        "ics" | "ical" => Some(DocumentKind::Calendar),
        "rtf" => Some(DocumentKind::Rtf),
        "pdf" => Some(DocumentKind::Pdf),
        "docx" | "docm" | "dotx" => Some(DocumentKind::Docx),
        "pptx" | "pptm" | "ppsx" => Some(DocumentKind::Pptx),
        "odt" | "ott" | "odp" => Some(DocumentKind::OpenDocument),
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(DocumentKind::Spreadsheet),
        _ => None,
    }
}
