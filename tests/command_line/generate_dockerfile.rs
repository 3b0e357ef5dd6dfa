//! `generate dockerfile`: Dockerfiles for building the image of a catalog with another tool.

use crate::bundles::{fail, fail_or_miss, names, outcome_of};
use crate::common::Sandbox;
use std::fs;

fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("out/catalog")).unwrap();
    sandbox
}

#[test]
fn the_dockerfile_is_written_next_to_the_folder() {
    let sandbox = catalog();
    let line = "generate dockerfile out/catalog/ -i registry.example.com/opm:v1 -l b=2,a=1 -l a=x=y";
    insta::assert_snapshot!(outcome_of(&sandbox, line), @"
    ------- stderr -------
    wrote out/catalog.Dockerfile
    ");
    insta::assert_snapshot!(fs::read_to_string(sandbox.path("out/catalog.Dockerfile")).unwrap(), @r#"
    # The builder creates the cache with its /bin/opm.
    FROM registry.example.com/opm:v1 as builder

    ADD catalog /configs
    RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

    FROM registry.example.com/opm:v1
    # This image contains /bin/opm and /bin/grpc_health_probe.
    ENTRYPOINT ["/bin/opm"]
    CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

    COPY --from=builder /configs /configs
    COPY --from=builder /tmp/cache /tmp/cache

    LABEL operators.operatorframework.io.index.configs.v1=/configs
    LABEL "a"="x=y"
    LABEL "b"="2"
    "#);
    insta::assert_snapshot!(fail(&sandbox, "generate dockerfile out/catalog"), @"
    ------- stderr -------
    error: out/catalog.Dockerfile already exists
      hint: remove the existing file to write it again
    ------- exit 1 -------
    ");
    assert_eq!(names(&sandbox.path("out")), ["catalog", "catalog.Dockerfile"]);
}

#[test]
fn image_names_match_those_of_opm() {
    let first_lines = |options: &str| -> Vec<String> {
        let sandbox = catalog();
        let outcome = outcome_of(&sandbox, &format!("generate dockerfile out/catalog {options}"));
        let text = fs::read_to_string(sandbox.path("out/catalog.Dockerfile")).unwrap();
        let from = text.lines().filter_map(|line| line.strip_prefix("FROM "));
        let from: Vec<String> = from.map(str::to_owned).collect();
        let warned = outcome
            .stderr
            .contains("opm:latest is a placeholder for your own image");
        assert_eq!(
            warned,
            from.iter().any(|image| image.starts_with("opm:latest")),
            "{outcome}"
        );
        from
    };
    for (options, builder, base) in [
        ("", "opm:latest", "opm:latest"),
        ("-i base:v1", "base:v1", "base:v1"),
        ("--binary-image base:v1", "base:v1", "base:v1"),
        ("--base-image base:v1 --builder-image opm:v1", "opm:v1", "base:v1"),
        ("-b opm:v1", "opm:v1", "opm:v1"),
        ("-i scratch", "opm:latest", "scratch"),
    ] {
        assert_eq!(
            first_lines(options),
            [format!("{builder} as builder"), base.to_owned()],
            "{options}"
        );
    }
}

#[test]
fn invalid_input_is_reported_and_nothing_is_written() {
    let sandbox = catalog();
    fs::write(sandbox.path("out/file"), "").unwrap();
    for (line, words) in [
        ("generate dockerfile out/nothing", "cannot read out/nothing"),
        ("generate dockerfile out/file", "out/file is not a folder"),
        (
            "generate dockerfile out/catalog -b scratch",
            "the builder image cannot be \"scratch\"",
        ),
    ] {
        let outcome = fail_or_miss(&sandbox, line);
        assert!(outcome.stderr.contains(words), "{line}: {outcome}");
    }
    for line in [
        "generate dockerfile out/catalog -l bad",
        "generate dockerfile out/catalog -l =bad",
        "generate dockerfile",
        "generate",
    ] {
        assert_eq!(sandbox.run(line.split(' ')).status, Some(2), "{line}");
    }
    assert_eq!(names(&sandbox.path("out")), ["catalog", "file"]);
}
