use super::*;

fn read(text: &str) -> Result<ImageMap, String> {
    ImageMap::read("map", text.as_bytes(), &Limits::default()).map_err(|error| error.to_string())
}

fn mapped(map: &str, image: &str) -> Option<String> {
    read(map).unwrap().of(image).map(|moved| moved.image)
}

const MIRRORS: &str = "\
kind: ImageDigestMirrorSet
spec:
  imageDigestMirrors:
  - source: registry.example.com/garden
    mirrors: [mirror.example.org/garden, mirror.example.net/garden]
  - {source: '*.example.net', mirrors: [mirror.example.org/net]}
---
kind: ImageTagMirrorSet
spec:
  imageTagMirrors:
  - {source: registry.example.com/garden/rake, mirrors: ['mirror.example.org:5000/tools/rake']}
---
kind: ImageContentSourcePolicy
spec:
  repositoryDigestMirrors:
  - {source: registry.example.com/garden, mirrors: [late.example.org]}
";

#[test]
fn the_longest_entry_wins_and_names_end_at_word_boundaries() {
    let lines = "# ours\nregistry.example.com/garden/rake:1 registry.example.org/rake:2\n\n\
                 registry.example.com = registry.example.org/mirror\n\
                 registry.example.com/shed/hoe=registry.example.org/hoe@sha256:0000000000000000000000000000000000000000000000000000000000000000\n";
    let to = |image: &str| mapped(lines, &format!("registry.example.com/{image}"));
    assert_eq!(to("garden/rake:1").unwrap(), "registry.example.org/rake:2");
    assert_eq!(
        to("garden/rake:11").unwrap(),
        "registry.example.org/mirror/garden/rake:11"
    );
    assert!(
        to("shed/hoe:1")
            .unwrap()
            .starts_with("registry.example.org/hoe@sha256:")
    );
    assert_eq!(to("shed/hoes:1").unwrap(), "registry.example.org/mirror/shed/hoes:1");
    assert_eq!(mapped(lines, "registry.example.comx/garden/rake:1"), None);
}

#[test]
fn an_entry_for_a_registry_does_not_apply_to_other_ports() {
    for to in [
        "mirror.example.com",
        "mirror.example.com:8443",
        "mirror.example.com/all",
    ] {
        let map = format!("registry.example.com {to}\n");
        assert_eq!(mapped(&map, "registry.example.com:5000/garden/rake:1"), None, "{to}");
        let rake = mapped(&map, "registry.example.com/garden/rake:1").unwrap();
        assert_eq!(rake, format!("{to}/garden/rake:1"));
    }
    let map = "registry.example.com:5000=mirror.example.com:8443";
    assert_eq!(
        mapped(map, "registry.example.com:5000/garden/rake:1").unwrap(),
        "mirror.example.com:8443/garden/rake:1"
    );
    // The number is the port of the target, not a tag for all images.
    let map = "registry.example.com/garden mirror.example.com:8443";
    assert_eq!(
        mapped(map, "registry.example.com/garden/rake:1").unwrap(),
        "mirror.example.com:8443/rake:1"
    );
}

#[test]
fn a_docker_hub_image_matches_with_and_without_its_registry() {
    let hub = "docker.io mirror.example.com/hub\nredis:7 mirror.example.com/redis:7\n";
    for (image, wanted) in [
        ("nginx:1.25", Some("mirror.example.com/hub/library/nginx:1.25")),
        ("garden/rake:1", Some("mirror.example.com/hub/garden/rake:1")),
        (
            "index.docker.io/garden/rake:1",
            Some("mirror.example.com/hub/garden/rake:1"),
        ),
        ("redis:7", Some("mirror.example.com/redis:7")),
        ("docker.io/library/redis:7", Some("mirror.example.com/redis:7")),
        ("docker.io/redis:7.2", Some("mirror.example.com/hub/redis:7.2")),
        ("registry.example.com/library/redis:7", None),
    ] {
        assert_eq!(mapped(hub, image).as_deref(), wanted, "{image}");
    }
    let repository = mapped("nginx mirror.example.com/nginx\n", "nginx:1.25");
    assert_eq!(repository.unwrap(), "mirror.example.com/nginx:1.25");
}

#[test]
fn a_replacement_that_is_not_an_image_is_an_error_at_its_line() {
    let map = read("# ours\nregistry.example.com mirror.example.com/all:1\n").unwrap();
    let check = |image: &str| map.of(image).unwrap().check(image).map_err(|error| error.to_string());
    let error = check("registry.example.com/garden/rake:1").unwrap_err();
    assert_eq!(
        error.split(" is not an image").next().unwrap(),
        "map:2:1: registry.example.com cannot replace the image registry.example.com/garden/rake:1: \
         \"mirror.example.com/all:1/garden/rake:1\""
    );
    // An image that was invalid before is a matter of the bundle.
    assert_eq!(check("registry.example.com/Rake"), Ok(()));
}

#[test]
fn mirrors_of_all_three_kinds_replace_their_sources() {
    let to = |image: &str| mapped(MIRRORS, image);
    assert_eq!(
        to("registry.example.com/garden/hoe:1").unwrap(),
        "mirror.example.org/garden/hoe:1"
    );
    let rake = to("registry.example.com/garden/rake@sha256:00").unwrap();
    assert_eq!(rake, "mirror.example.org:5000/tools/rake@sha256:00");
    assert_eq!(to("one.example.net/x:1").unwrap(), "mirror.example.org/net/x:1");
    assert_eq!(to("example.net/x:1"), None);
    assert_eq!(to("registry.example.com/gardens/hoe:1"), None);
}

#[test]
fn an_entry_that_maps_nothing_is_an_error_at_its_line() {
    for (text, said) in [
        ("a b c\n", "map:1:1: expected FROM TO or FROM=TO, found \"a b c\""),
        (
            "a/b c/d\na/b c/e\n",
            "map:2:1: a/b is mapped to c/e here, but to c/d above",
        ),
        (
            "a/b C:\n",
            "map:1:1: \"C:\" is not a valid reference to an image in a registry",
        ),
        ("[{\"name\": \"a\"}]", "map:1:2: [0].image is missing"),
        ("kind: Pod\n", "map:1:7: the kind Pod defines no mirrors"),
        ("[", "map:1:2: "),
        (
            "kind: ImageTagMirrorSet\nspec: {imageTagMirrors: [{source: a, mirrors: ['b c']}]}\n",
            "map:2:48: \"b c\" is not a registry or repository",
        ),
        (
            "kind: ImageTagMirrorSet\nspec: {imageTagMirrors: [{source: a, mirrors: []}]}\n",
            "spec.imageTagMirrors[0].mirrors[0] is missing",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(said), "{text:?}: {error}");
    }
}
