//! `serve --install`: a service of the user's own, with whole paths, that says what it did.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::world::World;

/// A person's machine with a `systemctl` and a `loginctl` that write down how they are called.
struct Machine {
    world: World,
}

impl Machine {
    fn new(programs: &[&str]) -> Self {
        let world = World::new();
        fs::create_dir_all(world.path("bin")).unwrap();
        for program in programs {
            let calls = world.path("calls.txt");
            let script = format!("#!/bin/sh\necho {program} \"$@\" >> '{}'\n", calls.display());
            let file = world.write(&format!("bin/{program}"), script);
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { world }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command.env("HOME", self.world.path("person")).env("USER", "ada").env("PATH", self.world.path("bin"));
        command.env_remove("XDG_CONFIG_HOME");
        command
    }

    fn unit(&self) -> PathBuf {
        self.world.path("person/.config/systemd/user/mailkeep.service")
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.world.path("calls.txt")).unwrap_or_default()
    }
}

#[test]
fn a_unit_is_written_enabled_and_started_and_all_of_it_is_told() {
    let machine = Machine::new(&["systemctl", "loginctl"]);

    let output =
        machine.command(&["serve", "--install", "--no-sync", "--listen", "127.0.0.1:8123"]).output().unwrap();

    assert!(output.status.success(), "{output:?}");
    let unit = fs::read_to_string(machine.unit()).unwrap();
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    assert!(start.starts_with('/'), "{start}");
    assert!(
        start.contains(" serve ") && start.contains("--listen 127.0.0.1:8123") && start.contains("--no-sync")
    );
    assert!(start.contains(machine.world.home().to_str().unwrap()), "{start}");
    assert!(unit.contains("Restart=always") && unit.contains("WantedBy=default.target"));
    assert_eq!(
        machine.calls(),
        "systemctl --user daemon-reload\nsystemctl --user enable --now mailkeep.service\nloginctl enable-linger ada\n"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    for call in machine.calls().lines() {
        assert!(told.contains(call), "{told}");
    }
}

#[test]
fn what_was_installed_is_taken_away_again_and_nothing_else() {
    let machine = Machine::new(&["systemctl", "loginctl"]);
    machine.command(&["serve", "--install"]).output().unwrap();
    let other = machine.unit().with_file_name("other.service");
    fs::write(&other, "").unwrap();

    let first = machine.command(&["serve", "--uninstall"]).output().unwrap();
    let second = machine.command(&["serve", "--uninstall"]).output().unwrap();

    assert!(first.status.success() && second.status.success());
    assert!(!machine.unit().exists() && other.exists());
    assert!(machine.calls().contains("systemctl --user disable --now mailkeep.service"));
    assert!(String::from_utf8(second.stdout).unwrap().contains("nothing was installed"));
}

#[test]
fn without_systemd_it_says_what_to_do_and_writes_nothing() {
    let machine = Machine::new(&[]);

    let output = machine.command(&["serve", "--install"]).output().unwrap();

    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("no systemd") && told.contains("serve"), "{told}");
    assert!(!machine.unit().exists());
}

#[test]
fn where_lingering_is_not_allowed_it_is_said_and_the_rest_stands() {
    let machine = Machine::new(&["systemctl"]);
    let file = machine.world.write("bin/loginctl", "#!/bin/sh\necho 'access denied' >&2\nexit 1\n");
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();

    let output = machine.command(&["serve", "--install"]).output().unwrap();

    assert!(output.status.success());
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("access denied") && told.contains("when you sign in"), "{told}");
}
