//! Compiles `src/server/registry.proto` in Rust, so that no `protoc` is needed, and packs the relocations of the program.

use std::env;
use std::process::Command;

#[cfg(feature = "server")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    pack_relocations();
    server::compile()
}

#[cfg(not(feature = "server"))]
fn main() {
    pack_relocations();
}

/// Packs the relocations of the static program, which otherwise are a twentieth of its size. The C library in the program
/// must be able to unpack them; glibc has been able to since version 2.36.
fn pack_relocations() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    let is_x86_64_glibc = target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64";
    let is_native = env::var_os("HOST") == env::var_os("TARGET");
    if is_static && is_x86_64_glibc && is_native && glibc_version() >= Some((2, 36)) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the version of the installed glibc.
fn glibc_version() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(feature = "server")]
mod server {
    use std::fmt::Write;
    use std::path::PathBuf;
    use std::{env, fs, io};

    pub(crate) fn compile() -> Result<(), Box<dyn std::error::Error>> {
        println!("cargo:rerun-if-changed=src/server/registry.proto");
        let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
        let mut compiler = protox::Compiler::new(["src/server"])?;
        compiler.include_imports(true).include_source_info(true);
        compiler.open_file("registry.proto")?;
        let descriptors = compiler.file_descriptor_set();
        // The server answers reflection requests with this file, which does not need the comments.
        compiler.include_source_info(false);
        fs::write(out.join("registry.bin"), compiler.encode_file_descriptor_set())?;

        // The field numbers, for the messages that are encoded in advance.
        let mut numbers = String::new();
        let own = descriptors.file.iter().filter(|file| file.package() == "api");
        for message in own.flat_map(|file| &file.message_type) {
            writeln!(numbers, "pub mod {} {{", snake_case(message.name()))?;
            for field in &message.field {
                let name = snake_case(field.name()).to_uppercase();
                writeln!(numbers, "    pub const {name}: u32 = {};", field.number())?;
            }
            numbers.push_str("}\n");
        }
        fs::write(out.join("fields.rs"), numbers)?;

        // The messages and the client.
        let messages = out.join("messages");
        fs::create_dir_all(&messages)?;
        tonic_prost_build::configure()
            .build_server(false)
            .out_dir(messages)
            .compile_fds(descriptors.clone())?;

        // The server sends packages and bundles that were encoded in advance.
        let server = out.join("server");
        fs::create_dir_all(&server)?;
        tonic_prost_build::configure()
            .build_client(false)
            .out_dir(server)
            .extern_path(".api", "crate::server::proto")
            .extern_path(".google.protobuf.Struct", "crate::server::encoded::Encoded")
            .extern_path(".api.PackageName", "crate::server::encoded::Encoded")
            .extern_path(".api.Package", "crate::server::encoded::Encoded")
            .extern_path(".api.Bundle", "crate::server::encoded::Encoded")
            .compile_fds(descriptors)?;
        Ok(())
    }

    /// Converts `csvName` to `csv_name`.
    fn snake_case(name: &str) -> String {
        let mut snake = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
        }
        snake
    }
}
