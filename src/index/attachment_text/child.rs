//! The child's side: takes away its own means first, then reads one document, or one after the other.

use std::io::{self, Read, Write};

use super::{MAX_INPUT, wire};
use crate::parse::document::{self, DocumentError, DocumentKind};

/// Why a child gave no text.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// We were started for a kind of document that does not exist.
    #[error("there is no kind of document called `{0}`")]
    UnknownKind(String),
    /// The system would not limit us, so we do not start.
    #[error("cannot limit this process")]
    Limits(#[source] io::Error),
    /// The document did not arrive whole.
    #[error("cannot read the document from standard input")]
    Input(#[source] io::Error),
    /// Nobody takes the text.
    #[error("cannot write the text to standard output")]
    Output(#[source] io::Error),
    /// The document gave no text.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// Reads one document of this kind and writes its text, after limiting the whole process for good: call it
/// from a process that has nothing else to do.
pub fn run_child(kind: &str, input: impl Read, mut output: impl Write) -> Result<(), ChildError> {
    let kind = DocumentKind::from_name(kind).ok_or_else(|| ChildError::UnknownKind(kind.to_owned()))?;
    limit_this_process().map_err(ChildError::Limits)?;
    let mut bytes = Vec::new();
    input.take(MAX_INPUT as u64).read_to_end(&mut bytes).map_err(ChildError::Input)?;
    let seen = document::read(kind, &bytes)?;
    output.write_all(&wire::packed(&seen)).and_then(|()| output.flush()).map_err(ChildError::Output)
}

/// The same for documents of any kind, one after the other, until there are no more or one has no text.
pub fn serve_child(mut input: impl Read, mut output: impl Write) -> Result<(), ChildError> {
    limit_this_process().map_err(ChildError::Limits)?;
    while let Some((kind, bytes)) = wire::question(&mut input).map_err(ChildError::Input)? {
        let kind = DocumentKind::from_name(&kind).ok_or(ChildError::UnknownKind(kind))?;
        let seen = document::read(kind, &bytes)?;
        wire::tell(&mut output, &seen).map_err(ChildError::Output)?;
    }
    Ok(())
}

/// Memory, processor time, and no files: neither core dumps nor anything else.
#[cfg(unix)]
fn limit_this_process() -> io::Result<()> {
    use rlimit::Resource;

    const ADDRESS_SPACE: u64 = 1 << 30;
    const PROCESSOR_SECONDS: u64 = 10;
    lower(Resource::CORE, 0)?;
    lower(Resource::FSIZE, 0)?;
    lower(Resource::CPU, PROCESSOR_SECONDS)?;
    if cfg!(target_os = "macos") {
        // The system maps more than this into every process before it starts, and refuses the limit.
        return Ok(());
    }
    lower(Resource::AS, ADDRESS_SPACE)
}

#[cfg(unix)]
fn lower(resource: rlimit::Resource, limit: u64) -> io::Result<()> {
    let limit = limit.min(resource.get_hard()?);
    resource.set(limit, limit)
}

#[cfg(not(unix))]
fn limit_this_process() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ChildError, run_child};

    #[test]
    fn an_unknown_kind_is_refused_before_anything_else() {
        let outcome = run_child("exe", std::io::empty(), Vec::new());

        assert!(matches!(outcome, Err(ChildError::UnknownKind(kind)) if kind == "exe"));
    }
}
