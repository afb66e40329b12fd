//! Drafts belong to the person: `mailkeep drafts` shows, changes and discards them, and loses nothing that was typed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

use mailkeep::model::Draft;
use serde_json::Value;

use super::{drafts, edited, letter, world};
use crate::world::{World, list, read_json, told};

fn lunch(world: &World) -> Draft {
    drafts(world).create(&letter()).unwrap()
}

/// Edits with this editor.
fn edit(world: &World, draft: &Draft, editor: &str) -> Output {
    let mut command = world.command(&["--json", "drafts", "edit", &draft.id.to_string()]);
    command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap()
}

fn error(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(1), "{}", told(output));
    read_json(output)["error"].clone()
}

/// Texts that are kept for the person.
fn kept(world: &World) -> Vec<PathBuf> {
    let directory = fs::read_dir(world.home().join("edited-drafts"));
    directory.map(|files| files.map(|file| file.unwrap().path()).collect()).unwrap_or_default()
}

fn now(world: &World, draft: &Draft) -> Draft {
    drafts(world).get(&draft.id.to_string()).unwrap()
}

#[test]
fn drafts_are_listed_newest_first_and_shown_whole() {
    let world = world();
    assert_eq!(world.json(&["drafts", "list"])["total"], 0);
    let draft = lunch(&world);
    super::written(&world, "Second");

    let listed = world.json(&["drafts", "list", "--limit", "1"]);
    let shown = world.json(&["drafts", "show", &draft.id.to_string()]);

    assert_eq!((&listed["total"], &listed["items"][0]["subject"]), (&2.into(), &"Second".into()));
    assert_eq!((&shown["subject"], &shown["body"]), (&"Lunch".into(), &"Shall we?\n".into()));
    let text = String::from_utf8(world.run(&["show", &draft.id.to_string()]).stdout).unwrap();
    assert!(
        text.contains("To: Bob Stone <bob@stone.example>") && text.contains("Kept: in mailkeep"),
        "{text}"
    );
    assert!(text.ends_with("\n\nShall we?\n"), "{text}");
    assert_eq!(world.raw(&draft.id.to_string()), drafts(&world).bytes(&draft).unwrap());
    assert_eq!(world.failure(&["drafts", "show", "d0123456789ab"])["code"], "unknown_draft");
    assert_eq!(world.failure(&["show", "d0123456789ab"])["code"], "unknown_draft");
}

#[test]
fn a_home_without_mail_has_no_drafts() {
    let world = World::new();

    assert_eq!(world.json(&["drafts", "list"])["total"], 0);
    assert_eq!(world.failure(&["drafts", "show", "d0123456789ab"])["code"], "unknown_draft");
    assert_eq!(world.failure(&["drafts", "edit", "d0123456789ab"])["code"], "store_missing");
}

#[test]
fn an_edit_is_a_revision_with_everything_else_as_it_was() {
    let world = world();
    let draft = lunch(&world);
    let mut command = world.command(&["--json", "drafts", "edit", &draft.id.to_string()]);

    let output = command
        .env("VISUAL", "sed -i -e s/Shall/Will/ -e s/^Cc:/Cc:carl@x.example/")
        .env("EDITOR", "false")
        .output();

    let answer = read_json(&output.unwrap());
    assert_eq!((&answer["changed"], &answer["draft"]["revision"]), (&true.into(), &2.into()), "{answer}");
    let now = now(&world, &draft);
    assert_eq!((now.body.as_str(), now.subject.as_str()), ("Will we?\n", "Lunch"));
    assert_eq!(
        (now.recipients.to, now.recipients.cc[0].address.as_str()),
        (draft.recipients.to, "carl@x.example")
    );
    assert!(kept(&world).is_empty());
    world.assert_sound();
}

#[test]
fn a_text_that_is_saved_as_it_was_changes_nothing() {
    let world = world();
    let draft = lunch(&world);

    for editor in ["true", "sh -c 'echo >> \"$0\"'", "sed -i 's/$/\\r/'"] {
        let answer = read_json(&edit(&world, &draft, editor));
        assert_eq!(answer["changed"], false, "{editor}: {answer}");
    }

    assert_eq!(now(&world, &draft).revision, 1);
    assert!(kept(&world).is_empty());
}

#[test]
fn a_text_that_is_refused_is_kept_and_the_next_edit_goes_on_with_it() {
    let refusals = [
        ("sed -i -e s/bob@stone.example/nobody/ -e s/Shall/TYPED/", "bad_address"),
        ("sed -i -e s/Lunch/Lu\\\\x07nch/ -e s/Shall/TYPED/", "hidden_character"),
        ("sed -i -e '/^To:/d' -e s/Shall/TYPED/", "no_recipient"),
        ("sed -i -e s/^To:/Reply-To:/ -e s/Shall/TYPED/", "bad_draft_text"),
        ("sed -i -e s/Shall/TYPED\\\\xff/", "bad_draft_text"),
    ];
    for (editor, code) in refusals {
        let world = world();
        let draft = lunch(&world);

        let error = error(&edit(&world, &draft, editor));

        assert_eq!(error["code"], code, "{error}");
        assert_eq!(now(&world, &draft).revision, 1, "{code}");
        let [file] = kept(&world).try_into().unwrap();
        assert!(error["hint"].as_str().unwrap().contains(file.to_str().unwrap()), "{error}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o77, 0, "nobody else may read it");
        let mend = "sed -i -e s/nobody/bob@stone.example/ -e s/\\\\x07// -e s/^Reply-To:/To:/ -e s/\\\\xff// -e '/^Cc/iTo: x@y.example'";
        let answer = read_json(&edit(&world, &draft, mend));
        assert_eq!(answer["changed"], true, "{code}: {answer}");
        assert!(now(&world, &draft).body.contains("TYPED"), "{code}");
        assert!(kept(&world).is_empty(), "{code}");
    }
}

#[test]
fn an_editor_that_fails_changes_nothing_and_what_was_typed_is_kept() {
    let world = world();
    let draft = lunch(&world);

    assert_eq!(error(&edit(&world, &draft, "false"))["code"], "editor");
    assert_eq!(error(&edit(&world, &draft, "no-such-editor-here"))["code"], "editor");
    assert!(kept(&world).is_empty(), "nothing was typed");
    let script = world.write("dies.sh", "echo typed >> \"$1\"\nexit 3\n");
    assert_eq!(error(&edit(&world, &draft, &format!("sh {}", script.display())))["code"], "editor");

    assert_eq!(kept(&world).len(), 1);
    assert_eq!(now(&world, &draft).revision, 1);
    read_json(&edit(&world, &draft, "true"));
    assert_eq!(now(&world, &draft).body, "Shall we?\ntyped\n");
}

#[test]
fn a_draft_that_somebody_else_changes_meanwhile_is_told_and_both_texts_stay() {
    let world = world();
    let draft = lunch(&world);
    let theirs =
        world.write("theirs.txt", "To: bob@stone.example\nSubject: Lunch\n\nThe assistant's words.\n");
    let program = env!("CARGO_BIN_EXE_mailkeep");
    let script = format!(
        "sed -i s/Shall/MINE/ \"$1\"\n{program} --home {} drafts edit {} --from {}\n",
        world.home().display(),
        draft.id,
        theirs.display()
    );
    let script = world.write("slow.sh", script);

    let output = edit(&world, &draft, &format!("sh {} >&2", script.display()));

    let output = Output { stdout: last_line(&output.stdout), ..output };
    assert_eq!(error(&output)["code"], "draft_changed");
    assert_eq!(
        (now(&world, &draft).revision, now(&world, &draft).body.as_str()),
        (2, "The assistant's words.\n")
    );
    let [file] = kept(&world).try_into().unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("MINE we?"));
    assert!(error(&output)["hint"].as_str().unwrap().contains("--from"));
    read_json(&edit(&world, &draft, "true"));
    assert_eq!(now(&world, &draft).revision, 2, "an edit begins with what is there now");
    world.json(&["drafts", "edit", &draft.id.to_string(), "--from", file.to_str().unwrap()]);
    assert!(now(&world, &draft).body.contains("MINE we?"));
    assert!(kept(&world).is_empty());
}

fn last_line(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    text.trim_end().rsplit('\n').next().unwrap_or_default().as_bytes().to_vec()
}

#[test]
fn a_path_is_nothing_that_an_editor_s_shell_obeys() {
    let world = World::new();
    let home = world.path("a home; touch pwned $(touch pwned2)");
    fs::create_dir_all(&home).unwrap();
    let file = world.write("one.eml", crate::world::Mail::new("Hello").bytes());
    let import = ["import", file.to_str().unwrap(), "--account", crate::world::ACCOUNT];
    let run = |arguments: &[&str], editor: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mailkeep"));
        command.current_dir(world.path(".")).arg("--home").arg(&home).arg("--json").args(arguments);
        command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap()
    };
    assert!(run(&import, "").status.success());
    let draft =
        mailkeep::drafts::Drafts::new(&mailkeep::home::Home::at(&home), super::clock()).create(&letter());

    let output = run(&["drafts", "edit", &draft.unwrap().id.to_string()], "sed -i s/Shall/Will/");

    assert_eq!(read_json(&output)["changed"], true, "{}", told(&output));
    assert!(!world.path("pwned").exists() && !world.path("pwned2").exists());
}

#[test]
fn what_has_left_cannot_be_edited_or_discarded() {
    let world = world();
    let draft = lunch(&world);
    world.database().execute("UPDATE drafts SET state = 'sent'", []).unwrap();

    assert_eq!(error(&edit(&world, &draft, "true"))["code"], "draft_not_editable");
    let id = draft.id.to_string();
    assert_eq!(world.failure(&["drafts", "discard", &id, "--yes"])["code"], "draft_not_editable");
}

#[test]
fn a_draft_is_discarded_only_when_somebody_says_so() {
    let world = world();
    let draft = lunch(&world);
    let id = draft.id.to_string();

    let refused = world.failure(&["drafts", "discard", &id]);
    assert_eq!(refused["code"], "not_confirmed");
    assert!(refused["message"].as_str().unwrap().contains("Lunch"), "{refused}");
    assert_eq!(now(&world, &draft).revision, 1);

    assert_eq!(world.json(&["drafts", "discard", &id, "--yes"])["discarded"], true);
    assert_eq!(list(&world.json(&["drafts", "list"])["items"]).len(), 0);
    assert_eq!(world.failure(&["drafts", "discard", &id, "--yes"])["code"], "unknown_draft");
}

#[test]
fn what_was_typed_into_a_draft_goes_with_the_draft() {
    let world = world();
    let (first, second) = (lunch(&world), lunch(&world));
    for draft in [&first, &second] {
        error(&edit(&world, draft, "sed -i s/bob@stone.example/nobody/"));
    }
    assert_eq!(kept(&world).len(), 2);

    world.json(&["drafts", "discard", &first.id.to_string(), "--yes"]);
    assert_eq!(kept(&world).len(), 1, "the other draft is still there");
    world.json(&["account", "remove", crate::world::ACCOUNT, "--forget", "--yes"]);

    assert!(kept(&world).is_empty());
}

#[test]
fn an_edited_draft_takes_back_a_yes() {
    let world = world();
    let draft = lunch(&world);
    world.database().execute("UPDATE drafts SET state = 'approved'", []).unwrap();

    read_json(&edit(&world, &draft, "sed -i s/Shall/Will/"));

    assert_eq!(now(&world, &draft).state.name(), "draft");
    assert_ne!(now(&world, &draft).hash, draft.hash);
    edited(&world, &draft, "Once more.");
}
