//! TLS in front of a plain server of this machine, for one exchange on each connection.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::world::certificates::Certificates;

/// Shows a certificate and passes on to `target`; the port to come to.
pub(crate) fn start(certificates: &Certificates, target: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = config(certificates);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            std::thread::spawn(move || {
                let connection = ServerConnection::new(config).unwrap();
                let _ = pass_on(StreamOwned::new(connection, stream), target);
            });
        }
    });
    port
}

fn config(certificates: &Certificates) -> Arc<ServerConfig> {
    let (shown, key) = certificates.files();
    let chain = CertificateDer::pem_file_iter(shown).unwrap().map(Result::unwrap).collect();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap())
}

/// One request there, one answer back.
fn pass_on(mut tls: StreamOwned<ServerConnection, TcpStream>, target: u16) -> std::io::Result<()> {
    let mut plain = TcpStream::connect(("127.0.0.1", target))?;
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        let count = tls.read(&mut buffer)?;
        request.extend_from_slice(&buffer[..count]);
    }
    plain.write_all(&request)?;
    let mut answer = Vec::new();
    plain.read_to_end(&mut answer)?;
    tls.write_all(&answer)?;
    tls.conn.send_close_notify();
    tls.flush()
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.split_once("content-length: ").map_or("0", |(_, rest)| rest.lines().next().unwrap());
    body.len() >= length.parse().unwrap()
}
