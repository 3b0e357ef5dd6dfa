//! The futures of the library can run on a runtime with several threads, and threads can share catalogs.

use opmx::database::change::Target;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Compiles only if the future can move to another thread between two polls.
fn spawnable<F: Future + Send>(_: impl FnOnce() -> F) {}

/// Returns a value of any type. Never called: only types matter here.
fn any<T>() -> T {
    unreachable!("only compiled")
}

/// Compiles only if threads can share a value of the type.
fn shareable<T: Sync>() {}

#[test]
fn threads_can_share_a_file_based_catalog() {
    shareable::<opmx::catalog::file_based::read::FileBasedCatalog>();
    shareable::<opmx::catalog::file_based::load::Loaded>();
    shareable::<opmx::image::Transports>();
}

#[test]
fn futures_are_send() {
    use opmx::*;
    spawnable(|| async {
        let (options, transports) = (any(), any());
        let _ = build::build(any(), &options, &transports).await;
    });
    spawnable(|| async {
        let (location, transports): (bundle::location::Location, _) = (any(), any());
        let _ = location.load(&transports, any()).await;
    });
    spawnable(|| async {
        let (uses, transports): (Vec<_>, _) = (any(), any());
        let _ = bundle::pin::digests(&uses, &transports).await;
    });
    spawnable(|| async {
        let (writer, copy, wanted, there, source, options) = (any(), any(), any(), any(), any(), any());
        let _ = image::volumes::fill(&writer, &copy, &wanted, &there, &source, &options).await;
    });
    spawnable(|| async {
        let (target, repository, subject) = (any(), any(), any());
        let _ = image::copy::referrers(&target, &repository, &subject).await;
    });
    spawnable(|| async {
        let (target, changes): (_, Vec<_>) = (any(), any());
        let _ = image::copy::change_lists(&target, &changes).await;
    });
    spawnable(|| async {
        let (copy, source, target, options) = (any(), any(), any(), any());
        let _ = image::copy::copy(&copy, &source, &target, &options).await;
    });
    spawnable(|| async {
        let (transports, reference): (image::Transports, _) = (any(), any());
        let _ = transports.pull(&reference).await;
        let _ = transports.push(any::<image::Tagged>(), &reference).await;
        let _ = transports.state(&reference).await;
        let _ = transports.resolve(&reference).await;
        let _ = transports.require_platform(&reference).await;
        let _ = transports.document(&reference).await;
        let _ = transports.offers(&reference).await;
    });
    spawnable(|| async {
        let (transports, reference): (image::Transports, _) = (any(), any());
        let _ = transports.find(&reference).await;
        let _ = transports.lookup(&reference).await;
        let _ = transports.tags(&reference).await;
        let _ = transports.referrers(&reference).await;
        let (descriptor, content): (_, image::BlobSource) = (any(), any());
        let _ = transports.place(&reference, &descriptor, &content, any()).await;
        let _ = transports.put_document(&reference, &any()).await;
        let _ = transports.has_blob(&reference, &any(), None).await;
        let _ = transports.is_new(&reference).await;
        let _ = transports.ping(&reference).await;
        let _ = transports.read_through(&reference, &descriptor).await;
        let _ = transports.delete_manifest(&reference).await;
    });
    spawnable(|| async {
        let (options, transports) = (any(), any());
        let _ = install::resolve::resolve(any(), &options, &transports).await;
    });
    spawnable(|| async {
        let transports = any();
        validation::platforms(any(), &transports).await
    });
    spawnable(|| async {
        let (plan, holdings, source, archive, options, result): (
            _,
            mirror::copy_work::Sources<'_>,
            _,
            _,
            _,
            std::path::PathBuf,
        ) = (any(), any(), any(), any(), any(), any());
        let _ = mirror::pack::pack(&plan, &holdings, &source, &archive, &options, &result).await;
    });
    spawnable(|| async {
        let (archive, target, options) = (any(), any(), any());
        let _ = mirror::pack::load(archive, &target, &options).await;
    });
    spawnable(|| async {
        let (transports, subjects): (_, Vec<_>) = (any(), any());
        let _ = mirror::survey::survey(&transports, &subjects, any()).await;
    });
    spawnable(|| async {
        let (plan, transports) = (any(), any());
        let _ = mirror::policy::evidence_of(&plan, &transports, any()).await;
    });
    spawnable(|| async {
        let (plan, target) = (any(), any());
        let _ = mirror::verify::verify(&plan, &target, any()).await;
    });
    spawnable(|| async {
        let transports = any();
        mirror::extras::find(&transports, any(), any()).await
    });
    spawnable(|| async {
        let (request, transports, options) = (any(), any(), any());
        let _ = mirror::collect::collect(&request, &transports, &options).await;
    });
    spawnable(|| async {
        let (plan, target) = (any(), any());
        let _ = mirror::present::bytes_present(&plan, &target, any()).await;
    });
    spawnable(|| async {
        let (plan, target) = (any(), any());
        let _ = mirror::reach::reach(&plan, &target).await;
    });
    spawnable(|| async {
        let (result, source) = (any(), any());
        mirror::reach::unreachable_sources(&result, &source).await
    });
    spawnable(|| async {
        let (kept, target): (Vec<_>, _) = (any(), any());
        let _ = mirror::delete::missing_catalogs(&kept, &target).await;
    });
    spawnable(|| async {
        let (plan, kept, doomed, target): (_, Vec<_>, Vec<_>, _) = (any(), any(), any(), any());
        let _ = mirror::delete::other_tags(&plan, &kept, &doomed, &target, any()).await;
        let _ = mirror::delete::absent(&doomed, &target).await;
        let _ = mirror::delete::delete(&plan, &doomed, &target).await;
    });
    spawnable(|| async {
        let (holdings, source, target, options): (mirror::copy_work::Sources<'_>, _, _, _) =
            (any(), any(), any(), any());
        let _ = mirror::transfer::transfer(any(), &holdings, &source, &target, &options).await;
    });
    spawnable(|| async {
        let (name, transports): (String, _) = (any(), any());
        let _ = index::open::Index::open_named(&name, &transports, any()).await;
    });
    spawnable(|| async {
        let (location, transports) = (any(), any());
        let _ = index::open::Index::open(&location, &transports, any()).await;
        let _ = index::open::fetch(&location, &transports, any()).await;
        let _ = location.fetch(&transports, any()).await;
    });
    spawnable(|| async {
        let (locations, transports, options, target, writing): (Vec<_>, _, _, _, _) =
            (any(), any(), any(), any(), any());
        let _ = index::gather::add(&locations, &transports, &options, &target, &writing).await;
    });
    spawnable(|| async {
        let (from, destination) = (any(), any());
        let _ = index::publish::convert(&from, &destination, any()).await;
    });
    spawnable(|| async {
        let (from, destination, writing) = (any(), any(), any());
        let change = |target: &Target<'_>, _| Ok(database::remove::stranded(target, &writing)?);
        let _ = index::publish::make(Some(&from), &destination, any(), change).await;
        let (locations, transports, options): (Vec<_>, _, _) = (any(), any(), any());
        let add = index::publish::AddBundles {
            locations: &locations,
            transports: &transports,
            options: &options,
            writing: &writing,
        };
        let _ = index::publish::make(Some(&from), &destination, any(), add).await;
    });
    spawnable(|| async {
        let (name, transports, opening): (String, _, _) = (any(), any(), any());
        let _ = index::render::sources::RenderSource::open(&name, &transports, &opening).await;
        let _ = index::render::bundle::render_bundle(&name, &transports, &opening).await;
        let _ = index::render::template::render(any(), &transports, &opening, any()).await;
    });
    spawnable(|| async {
        let (names, transports, limits): (Vec<_>, _, _) = (any(), any(), any());
        let _ = index::api_sources::read(&names, &transports, &limits).await;
    });
    spawnable(|| async {
        let (request, transports, opening) = (any(), any(), any());
        let _ = index::release::release(&request, &transports, &opening).await;
    });
    spawnable(|| async {
        let (index, folder, transports, options): (_, std::path::PathBuf, _, _) = (any(), any(), any(), any());
        let _ = index::export::export(index, &folder, &transports, &options).await;
    });
    spawnable(|| async {
        let (from, options, transports, opening): (String, _, _, _) = (any(), any(), any(), any());
        let _ = index::extract::extract(&from, &options, &transports, &opening).await;
    });
    spawnable(|| async {
        let (wanted, transports): (Vec<_>, _) = (any(), any());
        index::check::images::ask(&wanted, &transports, any()).await
    });
    spawnable(|| async {
        let (location, transports, options) = (any(), any(), any());
        let _ = index::check::check(&location, &transports, &options, |_| ()).await;
    });
    spawnable(|| async {
        let (folder, to, transports, options): (std::path::PathBuf, _, _, _) = (any(), any(), any(), any());
        let _ = index::catalog_image::build(&folder, &to, &transports, &options).await;
    });
    spawnable(|| async {
        let _ = server::serve(
            any::<server::Served>(),
            any(),
            any(),
            any(),
            |_| (),
            std::future::pending(),
        )
        .await;
    });
    spawnable(|| async {
        let probe = any();
        let _ = server::probe::probe(&probe).await;
    });
    spawnable(|| async {
        let site: std::sync::Arc<page::live::LiveSite> = any();
        site.serve(any(), std::future::pending()).await;
    });
}

#[test]
fn every_public_async_function_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = fs::read_to_string(root.join("tests/library/spawning.rs")).unwrap();
    let mut defined: BTreeMap<String, usize> = BTreeMap::new();
    for file in walkdir::WalkDir::new(root.join("src")) {
        let file = file.unwrap();
        let path = file.path().strip_prefix(root).unwrap();
        let is_top = path.starts_with("src/cli") || path.starts_with("src/terminal");
        if is_top || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        for line in fs::read_to_string(file.path()).unwrap().lines() {
            if let Some(rest) = line.trim_start().strip_prefix("pub async fn ") {
                let name: String = rest.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
                *defined.entry(name).or_default() += 1;
            }
        }
    }
    for (name, count) in &defined {
        let calls = here.matches(&format!(":{name}(")).count() + here.matches(&format!(".{name}(")).count();
        assert!(
            calls >= *count,
            "{count} functions have the name {name}, and this test calls {calls}"
        );
    }
    assert!(defined.len() > 40, "found only {} functions", defined.len());
}
