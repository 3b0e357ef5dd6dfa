use super::*;
use rustls::pki_types::pem::PemObject;
use std::time::Duration;

/// A self-signed certificate for `localhost`, valid for ten years from November 2026 on.
const SELF_SIGNED: &str = "\
-----BEGIN CERTIFICATE-----
MIIBkzCCATmgAwIBAgIUXnibARVX/GqCzHeFW9J9+/G7JXswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyNzE4MDk0NloXDTM2MTEyNDE4
MDk0NlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEpzRP7tF513nwbdRvoweQejxS6N9Du9dODkSBS8yzU3UkxAgqidiYbTOD
ZHfTfq9lZ4jE4HjGPOfYPdKvWm2xZKNpMGcwHQYDVR0OBBYEFK2rF5gi7BgM7HRO
yprvfyeZ8rrDMB8GA1UdIwQYMBaAFK2rF5gi7BgM7HROyprvfyeZ8rrDMA8GA1Ud
EwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MAoGCCqGSM49BAMCA0gA
MEUCIGSxwCCab6K17j5AGvvxKjmvbaYVOUwjWKaT0/DedqJ/AiEAokmmkWC8WVlU
goz3y7iI5gVCTpZuUErE58kPuDtA5rc=
-----END CERTIFICATE-----
";
/// The same for a client.
const OF_CLIENT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBqTCCAU6gAwIBAgIUMGi2xOiWoG/nr5CmyttXhNmCI2MwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyNzE4MDk0N1oXDTM2MTEyNDE4
MDk0N1owFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEuzRL9/FYhz0G+uKO2gugY+jao+PjcyXhVKBs86fWrDwvpJgSs0LCtqu8
j6amhN4imt+fR7mUzGpOfXXYlp8HZ6N+MHwwHQYDVR0OBBYEFHuWLAE/z1QQ8srW
BgqKV2L87cciMB8GA1UdIwQYMBaAFHuWLAE/z1QQ8srWBgqKV2L87cciMA8GA1Ud
EwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MBMGA1UdJQQMMAoGCCsG
AQUFBwMCMAoGCCqGSM49BAMCA0kAMEYCIQCAVTiTcuV4a/mErYz3AnIJBMto094N
6GWDqM1sLK+xGAIhALy1tlNKXJQFMtI2EeuZK3Hv7TF7A5Y3nSmwzkkUa94I
-----END CERTIFICATE-----
";

/// A certificate for `localhost` by an authority, valid for ten years from November 2026 on.
const ISSUED: &str = "\
-----BEGIN CERTIFICATE-----
MIIBgjCCASigAwIBAgIUPN0rnyObC14RDktYpNEuYg1RroQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYXV0aG9yaXR5MB4XDTI2MTEyOTExNDg0OVoXDTM2MTEyNjEx
NDg0OVowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEawhtKJ43yEzLScbsCvEWI9ahgUahF3omkFRLzy+kI//8/WPCgEpcq3df
Qd8vswoeA9XGeSajPLFYd7GBesfcxKNYMFYwFAYDVR0RBA0wC4IJbG9jYWxob3N0
MB0GA1UdDgQWBBRJBQnblTDxnwb2G5au6LFEwGxXXzAfBgNVHSMEGDAWgBTenZtY
aVrVO9wW90RHeo5vuVPHODAKBggqhkjOPQQDAgNIADBFAiEAlXzqg8T6e8ifdzSs
57NwL1Ia8kl08HiOh6VT/Mjn9w8CIHcNLswGweXGqkTK5DoZ5rrLy594ZcJ5EhEc
+hcM7DBI
-----END CERTIFICATE-----
";

/// The verdict on a server at `host` with this certificate, some years after 1970.
fn verdict(certificate: &str, trusted: &[&str], host: &str, years: u64) -> Result<(), Error> {
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let more: Vec<_> = trusted.iter().map(|pem| der(pem)).collect();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates([der(SELF_SIGNED), der(OF_CLIENT)]);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    let usual = usual.build().unwrap();
    let host = ServerName::try_from(host.to_owned()).unwrap();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(years * 31_557_600));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier { usual, more, provider };
    let verified = verifier.verify_server_cert(&der(certificate), &[], &host, &[], now);
    verified.map(|_| ())
}

#[test]
fn a_self_signed_certificate_is_accepted_if_trusted() {
    assert_eq!(verdict(SELF_SIGNED, &[SELF_SIGNED], "localhost", 60), Ok(()));
    let error = verdict(SELF_SIGNED, &[OF_CLIENT], "localhost", 60).unwrap_err();
    assert!(is_authority(&error), "{error:?}");
}

#[test]
fn a_trusted_certificate_is_rejected_for_another_host_time_or_purpose() {
    let error = verdict(SELF_SIGNED, &[SELF_SIGNED], "example.com", 60).unwrap_err();
    let Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. }) = error else {
        panic!("{error:?}");
    };
    let error = verdict(SELF_SIGNED, &[SELF_SIGNED], "localhost", 80).unwrap_err();
    let Error::InvalidCertificate(CertificateError::ExpiredContext { .. }) = error else {
        panic!("{error:?}");
    };
    let error = verdict(SELF_SIGNED, &[SELF_SIGNED], "localhost", 50).unwrap_err();
    let Error::InvalidCertificate(CertificateError::NotValidYetContext { .. }) = error else {
        panic!("{error:?}");
    };
    let error = verdict(OF_CLIENT, &[OF_CLIENT], "localhost", 60).unwrap_err();
    assert!(is_authority(&error), "{error:?}");
}

#[test]
fn a_trusted_certificate_is_accepted_without_its_authority() {
    assert_eq!(verdict(ISSUED, &[ISSUED], "localhost", 60), Ok(()));
    let unknown = Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
    assert_eq!(verdict(ISSUED, &[SELF_SIGNED], "localhost", 60), unknown);
    for (host, years) in [("example.com", 60), ("localhost", 80), ("localhost", 50)] {
        assert!(verdict(ISSUED, &[ISSUED], host, years).is_err(), "{host} {years}");
    }
}
