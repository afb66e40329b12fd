//! Certificates for servers on this machine.

use std::process::Command;

use crate::world::dovecot::Dovecot;
use crate::world::told;

/// Certificates made for a test: one authority, and what it signed.
pub(crate) struct Certificates {
    place: tempfile::TempDir,
}

impl Certificates {
    /// A certificate for this name, valid for so many days, signed by the authority or by itself.
    pub(crate) fn new(name: &str, days: i32, is_signed: bool) -> Self {
        let certificates = Self { place: tempfile::tempdir().unwrap() };
        let make = |script: &str| {
            let done = Command::new("sh")
                .arg("-ec")
                .arg(script)
                .current_dir(certificates.place.path())
                .output()
                .unwrap();
            assert!(done.status.success(), "{}", told(&done));
        };
        make(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem \
              -days 30 -subj /CN=test-authority -addext basicConstraints=critical,CA:TRUE",
        );
        make(&format!(
            "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out csr.pem -subj /CN={name}
             printf 'subjectAltName=DNS:{name}\nbasicConstraints=CA:FALSE\n' > ext"
        ));
        let signer = if is_signed { "-CA ca.pem -CAkey ca.key -CAcreateserial" } else { "-signkey key.pem" };
        let when = if days > 0 {
            format!("-days {days}")
        } else {
            "-not_before 20200101000000Z -not_after 20210101000000Z".to_owned()
        };
        let plain = format!("openssl x509 -req -in csr.pem {signer} -out cert.pem -extfile ext {when}");
        // Old versions of openssl cannot set dates with `x509`; `ca` can.
        let by_ca = "mkdir -p db && : > db/index && echo 01 > db/serial && printf '[ca]\ndefault_ca=d\n[d]\ndatabase=db/index\n\
                     serial=db/serial\nnew_certs_dir=db\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' > ca.conf && \
                     openssl ca -batch -config ca.conf -cert ca.pem -keyfile ca.key -in csr.pem -out cert.pem -notext \
                     -extfile ext -startdate 20200101000000Z -enddate 20210101000000Z";
        make(if days > 0 { &plain } else { by_ca });
        certificates
    }

    /// The file that says whom to trust.
    pub(crate) fn authority(&self) -> std::path::PathBuf {
        self.place.path().join("ca.pem")
    }

    /// A server that shows it.
    pub(crate) fn server(&self, test: &str) -> Option<Dovecot> {
        Dovecot::with(test, &self.lines())
    }

    /// What a server must be told to show it.
    pub(crate) fn lines(&self) -> String {
        let place = self.place.path().display();
        format!("ssl = yes\nssl_cert = <{place}/cert.pem\nssl_key = <{place}/key.pem\n")
    }
}
