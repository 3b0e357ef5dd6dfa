//! The speed of parsing and writing real manifests: `cargo bench --bench text`.

use divan::Bencher;
use divan::counter::BytesCount;
use opmx::text::{self, Limits, Path};
use serde_json::Value;
use std::fs;

fn main() {
    divan::main();
}

/// Returns the large YAML files of the shared corpus, which have tens of megabytes, or a generated file if the corpus
/// is absent.
fn manifests() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let mut files: Vec<Vec<u8>> = entries
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "yaml"))
        .filter_map(|entry| fs::read(entry.path()).ok())
        .filter(|bytes| bytes.len() > 50_000)
        .collect();
    if files.is_empty() {
        let item =
            "- name: spec\n  description: some words, one after another, as they stand in schemas\n  type: object\n";
        files.push(item.repeat(20_000).into_bytes());
    }
    files
}

fn values() -> Vec<Value> {
    let read = |bytes: &Vec<u8>| text::read("a", bytes, &Limits::default()).documents;
    let documents = manifests().iter().flat_map(read).collect::<Vec<_>>();
    documents.into_iter().map(text::Document::into_value).collect()
}

fn size<T>(items: &[T], length: impl Fn(&T) -> usize) -> BytesCount {
    BytesCount::new(items.iter().map(length).sum::<usize>())
}

#[divan::bench(sample_count = 10)]
fn read_yaml(bencher: Bencher<'_, '_>) {
    let files = manifests();
    bencher.counter(size(&files, Vec::len)).bench_local(|| {
        for bytes in &files {
            divan::black_box(text::read("a", bytes, &Limits::default()));
        }
    });
}

#[divan::bench(sample_count = 10)]
fn read_yaml_with_places(bencher: Bencher<'_, '_>) {
    let files = manifests();
    bencher.counter(size(&files, Vec::len)).bench_local(|| {
        for bytes in &files {
            for document in text::read("a", bytes, &Limits::default()).documents {
                divan::black_box(document.place(&Path::root()));
            }
        }
    });
}

#[divan::bench(sample_count = 10)]
fn read_yaml_elsewhere(bencher: Bencher<'_, '_>) {
    let files = manifests();
    bencher.counter(size(&files, Vec::len)).bench_local(|| {
        for bytes in &files {
            divan::black_box(serde_yaml::from_slice::<Value>(bytes).ok());
        }
    });
}

#[divan::bench(sample_count = 10)]
fn read_json(bencher: Bencher<'_, '_>) {
    let texts: Vec<_> = values().iter().map(text::canonical::to_string).collect();
    bencher.counter(size(&texts, String::len)).bench_local(|| {
        for written in &texts {
            divan::black_box(text::read("a", written.as_bytes(), &Limits::default()));
        }
    });
}

#[divan::bench(sample_count = 10)]
fn write_canonical(bencher: Bencher<'_, '_>) {
    let values = values();
    let size = size(&values, |value| text::canonical::to_string(value).len());
    let mut out = Vec::new();
    bencher.counter(size).bench_local(|| {
        for value in &values {
            out.clear();
            text::canonical::write(value, &mut out);
        }
    });
}

#[divan::bench(sample_count = 10)]
fn write_yaml(bencher: Bencher<'_, '_>) {
    let values = values();
    let size = size(&values, |value| text::to_yaml(value).len());
    bencher.counter(size).bench_local(|| {
        for value in &values {
            divan::black_box(text::to_yaml(value));
        }
    });
}
