//! Where we listen. `localhost` is two addresses, 127.0.0.1 and `[::1]`, and a browser takes either: both must be ours.
//! Otherwise another program would get what the person types there.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream};

/// When any free port will do, so many are tried until one is free on both addresses.
const TRIES: usize = 20;

/// One address, or both that `localhost` stands for.
pub struct Listeners {
    first: TcpListener,
    second: Option<TcpListener>,
}

impl Listeners {
    /// Listens on an address. On one of the two that `localhost` stands for, it listens on the other one too, and fails
    /// with its address when somebody else is there.
    pub async fn bind(address: SocketAddr) -> Result<Self, (SocketAddr, io::Error)> {
        let mut tries = if address.port() == 0 { TRIES } else { 1 };
        loop {
            tries -= 1;
            match Self::bind_once(address).await {
                Err((_, error)) if tries > 0 && error.kind() == io::ErrorKind::AddrInUse => {}
                other => return other,
            }
        }
    }

    async fn bind_once(address: SocketAddr) -> Result<Self, (SocketAddr, io::Error)> {
        let first = TcpListener::bind(address).await.map_err(|error| (address, error))?;
        let bound = first.local_addr().map_err(|error| (address, error))?;
        let Some(other) = other_name(bound) else { return Ok(Self { first, second: None }) };
        match TcpListener::bind(other).await {
            Ok(second) => Ok(Self { first, second: Some(second) }),
            Err(error) if is_missing(&error) => Ok(Self { first, second: None }),
            Err(error) => Err((other, error)),
        }
    }

    /// The address that was asked for, with its port.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    /// Whether everybody on this machine who asks for `localhost` comes to us, and nobody else does.
    #[must_use]
    pub fn is_localhost(&self) -> bool {
        self.address().is_ok_and(|address| other_name(address).is_some())
    }

    /// The next who comes.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = match &self.second {
            None => self.first.accept().await?,
            Some(second) => tokio::select! {
                accepted = self.first.accept() => accepted?,
                accepted = second.accept() => accepted?,
            },
        };
        Ok(stream)
    }
}

/// The other address of `localhost`.
fn other_name(address: SocketAddr) -> Option<SocketAddr> {
    let other = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => return None,
    };
    Some(SocketAddr::new(other, address.port()))
}

/// A machine without that address: nobody can be there.
fn is_missing(error: &io::Error) -> bool {
    let unsupported = [io::ErrorKind::AddrNotAvailable, io::ErrorKind::Unsupported];
    unsupported.contains(&error.kind())
        || error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{Ipv6Addr, TcpListener as StdListener};

    use super::Listeners;

    fn bind(address: &str) -> Result<Listeners, (std::net::SocketAddr, std::io::Error)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Listeners::bind(address.parse().unwrap()))
    }

    /// Both addresses of this machine, if it has both.
    fn has_both() -> bool {
        StdListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
    }

    #[test]
    fn localhost_is_listened_to_under_both_its_addresses() {
        let listeners = bind("127.0.0.1:0").unwrap();
        let port = listeners.address().unwrap().port();

        assert!(listeners.is_localhost());
        assert_eq!(StdListener::bind((Ipv6Addr::LOCALHOST, port)).is_err(), has_both());
    }

    #[test]
    fn somebody_else_on_the_other_address_is_an_error_that_names_it() {
        if !has_both() {
            return;
        }
        let other = StdListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap();
        let port = other.local_addr().unwrap().port();

        // Another test of this process may hold the first address by chance; either way it must not start.
        let (place, error) = bind(&format!("127.0.0.1:{port}")).err().unwrap();

        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        assert_eq!(place.port(), port);
    }

    #[test]
    fn other_addresses_are_no_localhost() {
        assert!(!bind("127.0.0.2:0").unwrap().is_localhost());
        assert!(!bind("0.0.0.0:0").unwrap().is_localhost());
    }
}
