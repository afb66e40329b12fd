//! `mailkeep drafts edit`: a draft in the person's editor. Nothing that was typed is lost: a text that is refused, or
//! that meets a draft somebody else changed meanwhile, is kept in a file that the error names.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::drafts::letter::Letter;
use crate::cli::drafts::{drafts, item};
use crate::cli::failure::Failure;
use crate::cli::pusher::Pusher;
use crate::drafts::{DraftChange, DraftError};
use crate::model::Draft;
use crate::tools::ChangePusher;

/// Edit a draft in $VISUAL or $EDITOR
///
/// The text has the fields To, Cc, Bcc and Subject, an empty line, and the body. Saved as it was, nothing changes. A
/// text that cannot become a draft is kept, and the next `edit` goes on with it.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep drafts edit d4k0c9w2vt1rh\n  \
                        mailkeep drafts edit d4k0c9w2vt1rh --from letter.txt")]
pub(super) struct Arguments {
    /// Id as `drafts list` prints it
    id: String,

    /// Take the text from a file instead of an editor; `-` is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let draft = drafts(context).get(&arguments.id)?;
    if !draft.state.may_be_edited() {
        return Err(DraftError::NotEditable { id: draft.id.to_string(), state: draft.state }.into());
    }
    let file = WorkingFile::of(&draft, context);
    let is_changed = match &arguments.from {
        Some(path) => {
            let is_changed = save(&text_of(path)?, &draft, context).map_err(|refused| refused.failure)?;
            file.forget_if_kept(path);
            is_changed
        }
        None => edit(&file, &draft, context)?,
    };
    report(is_changed, &draft, context)
}

/// Has the person edit the draft; says whether anything is different now.
fn edit(file: &WorkingFile, draft: &Draft, context: &Context) -> Result<bool, Failure> {
    if file.begin(&Letter::of(draft).text())? {
        context.output.note(&format!("going on with the text that was kept in `{}`", file.path.display()));
    }
    let edited = open_editor(&file.path).and_then(|()| file.text());
    let saved = edited.map_err(Refused::from).and_then(|text| save(&text, draft, context));
    let is_changed = saved.map_err(|refused| file.keep(draft, refused))?;
    file.remove();
    Ok(is_changed)
}

/// Why a text did not become a revision.
struct Refused {
    failure: Failure,
    /// Whether somebody else changed the draft meanwhile.
    is_conflict: bool,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, is_conflict: false }
    }
}

impl From<DraftError> for Refused {
    fn from(error: DraftError) -> Self {
        Self { is_conflict: error.is_conflict(), failure: error.into() }
    }
}

/// Makes the text the draft's next revision, if it says anything new.
fn save(text: &str, draft: &Draft, context: &Context) -> Result<bool, Refused> {
    let letter = Letter::read(text).map_err(|error| {
        let hint =
            "the fields To, Cc, Bcc and Subject stand first, one a line, then an empty line, then the text";
        Failure::new("bad_draft_text", error.to_string(), hint)
    })?;
    let Some(change) = letter.change_from(&Letter::of(draft)) else { return Ok(false) };
    let change = DraftChange { after: Some(draft.revision), ..change };
    drafts(context).update(&draft.id.to_string(), &change)?;
    Ok(true)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|_| not_utf8(path))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        "file_error",
        format!("cannot use `{}`: {error}", path.display()),
        "check that the file is there and its permissions",
    )
}

fn not_utf8(path: &Path) -> Failure {
    let message = format!("`{}` is not UTF-8 text", path.display());
    Failure::new("bad_draft_text", message, "save it as UTF-8")
}

/// The file that the editor works on. Its name tells which revision it began with.
struct WorkingFile {
    path: PathBuf,
}

impl WorkingFile {
    fn of(draft: &Draft, context: &Context) -> Self {
        Self { path: context.home.edited_drafts().join(format!("{}-{}.txt", draft.id, draft.revision)) }
    }

    /// Writes the text that is to be edited, unless one was kept; says whether one was.
    fn begin(&self, text: &str) -> Result<bool, Failure> {
        if self.path.exists() {
            return Ok(true);
        }
        let directory = self.path.parent().unwrap_or(&self.path);
        fs::create_dir_all(directory)
            .and_then(|()| fs::write(&self.path, text))
            .map_err(|error| unreadable(&self.path, &error))?;
        Ok(false)
    }

    fn text(&self) -> Result<String, Failure> {
        text_of(&self.path)
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// A text that was kept and has found its way into the draft is needed no more.
    fn forget_if_kept(&self, path: &Path) {
        let is_ours = |path: &Path| path.canonicalize().ok().zip(self.path.parent()?.canonicalize().ok());
        if is_ours(path).is_some_and(|(path, directory)| path.starts_with(directory)) {
            let _ = fs::remove_file(path);
        }
    }

    /// Keeps what was typed, and says where; without a change there is nothing to keep.
    fn keep(&self, draft: &Draft, refused: Refused) -> Failure {
        let Refused { failure, is_conflict } = refused;
        let before = Letter::of(draft).text();
        if fs::read(&self.path).is_ok_and(|now| now == before.as_bytes()) {
            self.remove();
            return failure;
        }
        let (id, path) = (draft.id, self.path.display());
        let way = if is_conflict {
            format!(
                "look at the other version with `mailkeep drafts show {id}`; to put yours in its place run `mailkeep drafts \
                 edit {id} --from '{path}'`"
            )
        } else {
            format!("`mailkeep drafts edit {id}` goes on with it")
        };
        failure.with_hint(|hint| format!("{hint}; your text is kept in `{path}`: {way}"))
    }
}

/// Runs the person's editor, which may be a command with arguments, and waits for it.
fn open_editor(path: &Path) -> Result<(), Failure> {
    let named = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let failed = |reason: String| {
        let message = format!("the editor `{editor}` {reason}; the draft is as it was");
        Failure::new(
            "editor",
            message,
            "name another one in EDITOR, or take the text from a file with `--from FILE`",
        )
    };
    // The shell splits the command; the path goes beside it, so that nothing in it is obeyed.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg(&editor).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if status.code() == Some(127) => Err(failed("was not found".to_owned())),
        Ok(status) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("could not be started: {error}"))),
    }
}

/// Says what the draft is now, and where.
fn report(is_changed: bool, draft: &Draft, context: &mut Context) -> Result<ExitCode, Failure> {
    let id = draft.id.to_string();
    if is_changed && item(context, &id)?.server.is_some() {
        Pusher::of(context).push(&draft.account);
    }
    let now = item(context, &id)?;
    if context.output.is_json() {
        context.output.json(&json!({ "changed": is_changed, "draft": now }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if draft.html.is_some() && now.html.is_none() {
        context.output.note("its HTML said what the text said before, and is gone; it is sent as text");
    }
    context.output.line(if is_changed {
        format!("{id} is changed: revision {}, {}", now.revision, now.whereabouts())
    } else {
        format!("{id} is as it was")
    })?;
    Ok(ExitCode::SUCCESS)
}
