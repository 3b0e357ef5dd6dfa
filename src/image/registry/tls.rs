//! Which certificates of servers are trusted.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::Arc;

/// Returns the configuration for connections that trust the certificates of the system and those in `more`.
pub(super) fn config(more: Vec<CertificateDer<'static>>) -> Result<ClientConfig, Error> {
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(rustls::crypto::ring::default_provider()));
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let system = rustls_platform_verifier::Verifier::new_with_extra_roots(more.clone(), Arc::clone(&provider));
    let usual: Option<Arc<dyn ServerCertVerifier>> = match system {
        Ok(system) => Some(Arc::new(system)),
        // In a container without system certificates, plain HTTP still works.
        Err(_) if more.is_empty() => None,
        Err(_) => {
            let mut roots = RootCertStore::empty();
            for certificate in &more {
                roots.add(certificate.clone())?;
            }
            let only = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
            Some(only.build().map_err(|error| Error::General(error.to_string()))?)
        }
    };
    let mut config = match usual {
        Some(usual) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier { usual, more, provider }))
            .with_no_client_auth(),
        None => builder
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Returns whether a server was refused only because its certificate is that of an authority.
pub(super) fn is_authority(error: &Error) -> bool {
    let Error::InvalidCertificate(CertificateError::Other(other)) = error else {
        return false;
    };
    matches!(
        other.0.downcast_ref::<webpki::Error>(),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}

fn is_unknown_issuer(verified: &Result<ServerCertVerified, Error>) -> bool {
    matches!(
        verified,
        Err(Error::InvalidCertificate(CertificateError::UnknownIssuer))
    )
}

/// Trusts what `usual` trusts, and servers whose own certificate is one of the trusted certificates.
///
/// Self-signed certificates are usually made as those of an authority, which `usual` refuses for a server. It also
/// refuses a certificate of an authority that it does not know.
#[derive(Debug)]
struct Verifier {
    usual: Arc<dyn ServerCertVerifier>,
    more: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn trusts(&self, certificate: &CertificateDer<'_>) -> bool {
        self.more.contains(certificate) || rustls_native_certs::load_native_certs().certs.contains(certificate)
    }

    /// Returns whether nothing is wrong with a certificate except that its authority is unknown. The authority is
    /// looked up after the dates and the purpose have been checked.
    fn lacks_only_authority(&self, certificate: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> bool {
        let mut roots = RootCertStore::empty();
        if roots.add(certificate.clone().into_owned()).is_err() {
            return false;
        }
        let alone = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&self.provider)).build();
        alone.is_ok_and(|alone| is_unknown_issuer(&alone.verify_server_cert(certificate, &[], name, &[], now)))
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self
            .usual
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        let is_authority = matches!(&verified, Err(error) if is_authority(error));
        if !(is_authority || is_unknown_issuer(&verified)) || !self.trusts(end_entity) {
            return verified;
        }
        // If the certificate is that of an authority, the dates have been checked, but not the purpose and the name.
        let is_valid = if is_authority {
            is_for_servers(end_entity)
        } else {
            self.lacks_only_authority(end_entity, server_name, now)
        };
        if !is_valid {
            return verified;
        }
        rustls::client::verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Returns whether a trusted certificate may identify a server: it lists no purposes, or this one.
fn is_for_servers(certificate: &CertificateDer<'_>) -> bool {
    // The object identifiers of the list of purposes, of any purpose, and of servers, in DER.
    const PURPOSES: &[u8] = &[0x06, 0x03, 0x55, 0x1d, 0x25];
    const ANY: &[u8] = &[0x06, 0x04, 0x55, 0x1d, 0x25, 0x00];
    const SERVERS: &[u8] = &[0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
    let has = |identifier: &[u8]| memchr::memmem::find(certificate, identifier).is_some();
    !has(PURPOSES) || has(ANY) || has(SERVERS)
}

#[cfg(test)]
mod tests;
