//! Mail as files, for trying things without a server. An item becomes `ID.eml`, whatever happens in between and however
//! often it is tried; who gets it stands beside it in `ID.envelope.json`, never in the message.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::crash_point::crash_point;
use crate::model::{FitMessage, Route, dated};
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Carrier, Found, Lost, Outcome, Receipt, Trouble, envelope};
use crate::outbox::journal::Journal;

/// Writes files.
pub(super) struct FolderCarrier;

impl Carrier for FolderCarrier {
    fn send(&mut self, item: ApprovedItem, journal: &mut Journal<'_>) -> Outcome {
        let Route::Folder(folder) = item.route() else {
            return Outcome::Failed(Trouble::new("INTERNAL_ERROR", "this is no folder"));
        };
        send(&item, folder, journal).unwrap_or_else(|outcome| outcome)
    }

    /// The file is there as a whole, or it is not there.
    fn look(&mut self, lost: &Lost<'_>) -> Found {
        let Route::Folder(folder) = lost.route else { return Found::Unknown };
        let path = file(folder, &lost.id, "eml");
        match fs::read(&path) {
            Ok(bytes) if bytes == lost.message => Found::Sent(receipt(&path)),
            Ok(_) => Found::NotSent,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Found::NotSent,
            Err(_) => Found::Unknown,
        }
    }
}

fn send(item: &ApprovedItem, folder: &Path, journal: &mut Journal<'_>) -> Result<Outcome, Outcome> {
    let id = item.id().to_string();
    let epoch = journal.data()?;
    let message = dated(item.bytes(), epoch);
    FitMessage::new(&message)
        .map_err(|unfit| Outcome::Failed(Trouble::new("INVALID_REQUEST", unfit.to_string())))?;
    let sidecar = json!({ "from": item.sender(), "to": envelope(item.recipients()) }).to_string();
    let failed = |error: &io::Error| {
        Outcome::Later(Trouble::new(
            "INTERNAL_ERROR",
            format!("cannot write into `{}`: {error}", folder.display()),
        ))
    };
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let beside = written(folder, &id, "envelope.json", sidecar.as_bytes()).map_err(|error| failed(&error))?;
    let partial = written(folder, &id, "eml", &message).map_err(|error| failed(&error))?;
    let _ = fs::rename(&beside, file(folder, &id, "envelope.json"));
    journal.dot()?;
    let path = file(folder, &id, "eml");
    let moved = fs::rename(&partial, &path).and_then(|()| File::open(folder)?.sync_all());
    crash_point("the file is there");
    // A name is taken as a whole or not at all, so that a look tells what became of it.
    match moved {
        Ok(()) => Ok(Outcome::Sent(receipt(&path))),
        Err(_) if fs::read(&path).is_ok_and(|bytes| bytes == message) => Ok(Outcome::Sent(receipt(&path))),
        Err(error) => Err(failed(&error)),
    }
}

fn receipt(path: &Path) -> Receipt {
    Receipt { reply: format!("written to `{}`", path.display()), ..Receipt::default() }
}

fn file(folder: &Path, id: &str, ending: &str) -> PathBuf {
    folder.join(format!("{id}.{ending}"))
}

/// Writes a file that has not got its name yet; it is on the disk.
fn written(folder: &Path, id: &str, ending: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(format!(".{id}.{ending}.partial"));
    let mut out = File::create(&path)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    Ok(path)
}
