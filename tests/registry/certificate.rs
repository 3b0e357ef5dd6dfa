//! Certificates for servers of the tests, made by the openssl program.

use crate::tools::run;
use std::fs;
use std::path::Path;

/// A new certificate authority in `ca.pem`, and a certificate by it for 127.0.0.1: `cert.pem` and `key.pem`.
pub(crate) fn certificate_from_authority(folder: &Path) {
    let file = |name: &str| folder.join(name).display().to_string();
    run(
        "openssl",
        &[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-keyout",
            &file("ca.key"),
            "-out",
            &file("ca.pem"),
            "-subj",
            "/CN=opmx test authority",
        ],
    );
    run(
        "openssl",
        &[
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            &file("key.pem"),
            "-out",
            &file("request.pem"),
            "-subj",
            "/CN=127.0.0.1",
        ],
    );
    fs::write(folder.join("extensions"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").unwrap();
    run(
        "openssl",
        &[
            "x509",
            "-req",
            "-days",
            "2",
            "-in",
            &file("request.pem"),
            "-CA",
            &file("ca.pem"),
            "-CAkey",
            &file("ca.key"),
            "-CAcreateserial",
            "-extfile",
            &file("extensions"),
            "-out",
            &file("cert.pem"),
        ],
    );
}
