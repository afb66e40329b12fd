//! Certificates for servers on this machine.

use std::process::Command;

use crate::world::dovecot::Dovecot;
use crate::world::told;

/// Certificates made for a test: one authority, and what it signed.
pub(crate) struct Certificates {
    place: tempfile::TempDir,
}

/// How long the good ones last. They began long ago: a clock that is set back a little must not spoil a test.
const GOOD: &str = "-startdate 20200101000000Z -enddate 20991231000000Z";
const EXPIRED: &str = "-startdate 20200101000000Z -enddate 20210101000000Z";

/// Keys and requests, and what `openssl ca` needs: unlike `x509` and `req` it can set dates in every version.
const PREPARE: &str = r"
new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $1.key -out $1.csr -subj /CN=$2; }
new ca test-authority
new own NAME
printf 'basicConstraints=critical,CA:TRUE\n' > ca.ext
printf 'subjectAltName=DNS:NAME\nbasicConstraints=CA:FALSE\n' > own.ext
mkdir db && : > db/index && echo 01 > db/serial
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=db/index\nserial=db/serial\nnew_certs_dir=db\ndefault_md=sha256\n' > conf
printf 'policy=p\nunique_subject=no\n[p]\ncommonName=supplied\n' >> conf
sign() { name=$1; shift; openssl ca -batch -notext -config conf -in $name.csr -out $name.pem -extfile $name.ext $*; }
";

impl Certificates {
    /// A certificate for this name that the authority signed.
    pub(crate) fn good(name: &str) -> Self {
        Self::made(name, "-cert ca.pem -keyfile ca.key", GOOD)
    }

    /// One that was good once.
    pub(crate) fn expired(name: &str) -> Self {
        Self::made(name, "-cert ca.pem -keyfile ca.key", EXPIRED)
    }

    /// One that nobody but itself signed.
    pub(crate) fn self_signed(name: &str) -> Self {
        Self::made(name, "-selfsign -keyfile own.key", GOOD)
    }

    fn made(name: &str, signer: &str, dates: &str) -> Self {
        let certificates = Self { place: tempfile::tempdir().unwrap() };
        let script = format!(
            "{}sign ca -selfsign -keyfile ca.key {GOOD}\nsign own {signer} {dates}\n",
            PREPARE.replace("NAME", name)
        );
        let mut shell = Command::new("sh");
        let done = shell.arg("-ec").arg(script).current_dir(certificates.place.path()).output().unwrap();
        assert!(done.status.success(), "{}", told(&done));
        certificates
    }

    /// The file that says whom to trust.
    pub(crate) fn authority(&self) -> std::path::PathBuf {
        self.place.path().join("ca.pem")
    }

    /// The certificate and its key.
    pub(crate) fn files(&self) -> (std::path::PathBuf, std::path::PathBuf) {
        (self.place.path().join("own.pem"), self.place.path().join("own.key"))
    }

    /// A server that shows it.
    pub(crate) fn server(&self, test: &str) -> Option<Dovecot> {
        Dovecot::with(test, &self.lines())
    }

    /// What a server must be told to show it.
    pub(crate) fn lines(&self) -> String {
        let place = self.place.path().display();
        format!("ssl = yes\nssl_cert = <{place}/own.pem\nssl_key = <{place}/own.key\n")
    }
}
