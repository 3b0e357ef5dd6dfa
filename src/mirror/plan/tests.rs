use super::*;
use serde_json::json;

fn digest(byte: u8) -> String {
    Digest::of(&[byte]).to_string()
}

fn plan() -> serde_json::Value {
    json!({
        "schema": SCHEMA, "catalogs": [], "extras": [], "because": [], "left_out": [],
        "images": [{
            "source": format!("registry.example.com/a@{}", digest(1)), "origins": ["registry.example.com/a:v1"],
            "digest": digest(1), "media_type": "m", "platforms": ["linux/amd64"], "bytes": 3,
            "for": [{"role": "additional"}], "tags": ["v1"], "extras": []
        }],
        "manifests": {digest(1): {
            "media_type": "m", "bytes": 1, "sources": ["registry.example.com/a"], "blobs": [digest(2)], "in": ["a"]
        }},
        "blobs": {digest(2): {"bytes": 2, "media_type": "l", "sources": ["registry.example.com/a"], "in": ["a"]}},
        "totals": {"images": 1, "manifests": 1, "blobs": 1, "bytes_referenced": 3, "bytes_unique": 3}
    })
}

fn read(plan: &serde_json::Value) -> Result<Plan, String> {
    Plan::parse(plan.to_string().as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn a_plan_is_written_as_read() {
    let read = read(&plan()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), plan());
    assert_eq!(Plan::parse(&read.to_bytes()).unwrap(), read);
}

#[test]
fn a_plan_of_another_version_or_with_a_missing_part_is_rejected() {
    let mut other = plan();
    other["schema"] = json!("opmx.mirror.plan/v2");
    assert!(read(&other).unwrap_err().contains("v2"));
    let mut hollow = plan();
    hollow["blobs"] = json!({});
    assert!(read(&hollow).unwrap_err().contains(&digest(2)));
    assert!(read(&json!([])).is_err());
}

fn extra(subject: u8, own: u8) -> serde_json::Value {
    json!({"subject": digest(subject), "digest": digest(own), "kind": "referrer", "via": "referrers", "bytes": 1})
}

fn assert_refused(change: impl FnOnce(&mut serde_json::Value), reason: &str) {
    let mut changed = plan();
    change(&mut changed);
    let error = read(&changed).unwrap_err();
    assert!(error.contains(reason), "{error}");
}

#[test]
fn a_plan_with_content_that_would_not_be_copied_is_rejected() {
    let manifest = || json!({"media_type": "m", "bytes": 1, "sources": ["registry.example.com/a"], "in": ["a"]});
    let loose = "belongs to no image of the plan";
    assert_refused(|plan| plan["images"] = json!([]), loose);
    assert_refused(|plan| plan["manifests"][digest(3)] = manifest(), loose);
    assert_refused(|plan| plan["manifests"][digest(1)]["blobs"] = json!([]), loose);
    assert_refused(|plan| plan["images"][0]["extras"] = json!([digest(1)]), loose);
    assert_refused(
        |plan| plan["manifests"][digest(1)]["manifests"] = json!([digest(1)]),
        "contains itself",
    );
    let with_extras = |plan: &mut serde_json::Value, extras: [serde_json::Value; 2]| {
        plan["images"][0]["extras"] = json!([digest(3), digest(4)]);
        plan["manifests"][digest(3)] = manifest();
        plan["manifests"][digest(4)] = manifest();
        plan["extras"] = json!(extras);
    };
    let mut chained = plan();
    with_extras(&mut chained, [extra(1, 3), extra(3, 4)]);
    read(&chained).unwrap();
    assert_refused(|plan| with_extras(plan, [extra(4, 3), extra(3, 4)]), loose);
    assert_refused(|plan| with_extras(plan, [extra(1, 3), extra(9, 4)]), loose);
}

#[test]
fn the_referrers_of_an_image_are_in_the_order_of_the_plan_or_after_what_they_refer_to() {
    let mut chained = plan();
    let manifest = || json!({"media_type": "m", "bytes": 1, "sources": ["registry.example.com/a"], "in": ["a"]});
    for byte in [3, 4] {
        chained["manifests"][digest(byte)] = manifest();
    }
    chained["images"][0]["extras"] = json!([digest(3), digest(4)]);
    chained["extras"] = json!([extra(3, 4), extra(1, 3)]);
    let plan = read(&chained).unwrap();
    let extras = ExtrasByDigest::of(&plan);
    let image = &plan.images[0];
    let of_image: Vec<String> = extras.of_image(image).map(|extra| extra.digest.to_string()).collect();
    assert_eq!(of_image, [digest(4), digest(3)]);
    let attached = extras.attached_to(image).into_iter();
    let attached: Vec<(usize, String)> = attached
        .map(|(place, extra)| (place, extra.digest.to_string()))
        .collect();
    assert_eq!(attached, [(1, digest(3)), (0, digest(4))]);
}

#[test]
fn impossible_sizes_are_rejected() {
    for bytes in [1 << 60, u64::MAX] {
        assert_refused(|plan| plan["blobs"][digest(2)]["bytes"] = json!(bytes), "more than");
        assert_refused(
            |plan| {
                plan["images"][0]["bytes"] = json!(u64::MAX);
                plan["blobs"][digest(2)]["bytes"] = json!(bytes);
            },
            "more than",
        );
    }
}

#[test]
fn destinations_must_be_below_the_target() {
    let outside = "mirror.example.com/other/a";
    assert_refused(
        |plan| plan["images"][0]["destination"] = json!(outside),
        "has no target",
    );
    let place = |plan: &mut serde_json::Value, destination: &str| {
        plan["to"] = json!("mirror.example.com/olm");
        plan["images"][0]["destination"] = json!(destination);
    };
    for destination in [
        outside,
        "mirror.example.com/olm2/a",
        "mirror.example.com/olm",
        "mirror.example.com/olm/",
    ] {
        assert_refused(
            |plan| place(plan, destination),
            "but the plan is for mirror.example.com/olm",
        );
    }
    assert_refused(
        |plan| plan["to"] = json!("mirror.example.com/olm"),
        "has no destination",
    );
    let mut placed = plan();
    place(&mut placed, "mirror.example.com/olm/a");
    read(&placed).unwrap();
    let catalog = json!([{"source": "c", "kept": [], "rebuilt": false, "digest_after": digest(1),
        "destination": "mirror.example.com/olm/b:v1"}]);
    assert_refused(
        |plan| {
            place(plan, "mirror.example.com/olm/a");
            plan["catalogs"] = catalog;
        },
        "its image is not copied there",
    );
}

#[test]
fn a_destination_that_is_not_a_repository_is_rejected_with_its_place_and_image() {
    let refused = |destination: &str| {
        let mut changed = plan();
        changed["to"] = json!("mirror.example.com");
        changed["images"][0]["destination"] = json!(destination);
        let error = Plan::parse(changed.to_string().as_bytes()).unwrap_err();
        crate::causes::with_causes(&error)
    };
    let long = format!("mirror.example.com/{}", "a".repeat(256));
    for destination in ["mirror.example.com/ünï", "mirror.example.com/my index", &long] {
        let error = refused(destination);
        let begin = format!(
            "images[0].destination: registry.example.com/a@{} cannot be copied to this destination: {destination:?} is \
             not an image reference",
            digest(1)
        );
        assert!(error.starts_with(&begin), "{error}");
    }
}

#[test]
fn an_invalid_tag_is_rejected_before_anything_is_copied() {
    for tag in ["", "../../x/manifests/v1", "a/b", "a?b", &"a".repeat(129)] {
        assert_refused(|plan| plan["images"][0]["tags"] = json!([tag]), "has the tag");
        assert_refused(
            |plan| {
                let mut tagged = extra(1, 3);
                tagged["tag"] = json!(tag);
                plan["extras"] = json!([tagged]);
                plan["images"][0]["extras"] = json!([digest(3)]);
                plan["manifests"][digest(3)] = plan["manifests"][digest(1)].clone();
            },
            "has the tag",
        );
    }
}

/// Returns a plan with a chain of referrers, the last one first.
fn chain(count: u32) -> serde_json::Value {
    let of = |number: u32| Digest::of(&number.to_be_bytes()).to_string();
    let mut chained = plan();
    let mut subject = digest(1);
    let (mut extras, mut digests) = (Vec::new(), Vec::new());
    for number in 0..count {
        chained["manifests"][of(number)] = json!({"media_type": "m", "bytes": 1, "sources": [], "in": []});
        extras.push(
            json!({"subject": subject, "digest": of(number), "kind": "referrer", "via": "referrers", "bytes": 1}),
        );
        digests.push(of(number));
        subject = of(number);
    }
    extras.reverse();
    chained["extras"] = json!(extras);
    chained["images"][0]["extras"] = json!(digests);
    chained
}

#[test]
fn the_referrers_of_an_image_are_limited() {
    let plan = read(&chain(10_000)).unwrap();
    let extras = ExtrasByDigest::of(&plan);
    let attached = extras.attached_to(&plan.images[0]).into_iter();
    let places: Vec<usize> = attached.map(|(place, _)| place).collect();
    assert!(places.iter().copied().eq((0..10_000).rev()));
    let error = read(&chain(10_001)).unwrap_err();
    assert_eq!(error, "the plan has more than 10000 referrers of one image");
}

#[test]
fn content_that_images_share_is_limited() {
    let shared = |images: usize| {
        let mut shared = plan();
        shared["manifests"][digest(1)]["blobs"] = json!(vec![digest(2); 100_000]);
        let image = |number| {
            let mut image = shared["images"][0].clone();
            image["source"] = json!(format!("registry.example.com/a{number}@{}", digest(1)));
            image
        };
        shared["images"] = (0..images).map(image).collect();
        shared
    };
    assert_eq!(read(&shared(99)).unwrap().images.len(), 99);
    let refused = "the plan has more than 10000000 references to content, counted for each image";
    assert_eq!(read(&shared(100)).unwrap_err(), refused);
}

#[test]
fn a_plan_with_too_many_values_is_neither_read_nor_written() {
    let full = |count: usize| {
        let mut full = plan();
        let channel = json!({"name": "stable", "head": "", "entries": vec![""; count]});
        full["catalogs"] = json!([{"source": "c", "kept": [{"package": "p", "channels": [channel]}], "rebuilt": false,
            "digest_after": digest(1)}]);
        full
    };
    let refused = "the plan has more than 5000000 values";
    assert_eq!(read(&full(5_000_001)).unwrap_err(), refused);
    let mut read = read(&full(1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    read.write(&path).unwrap();
    assert_eq!(Plan::read(&path).unwrap(), read);
    read.catalogs[0].kept[0].channels[0].entries = vec![String::new(); 5_000_001];
    let error = read.write(&path).unwrap_err();
    assert_eq!(
        crate::causes::with_causes(&error),
        format!("the plan cannot be used: {refused}")
    );
    assert_eq!(
        Plan::read(&path).unwrap().catalogs[0].kept[0].channels[0].entries.len(),
        1
    );
}
