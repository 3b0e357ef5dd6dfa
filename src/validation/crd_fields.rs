//! The fields of a CustomResourceDefinition with their types, to find values that a Go program cannot decode.

use crate::csv::METADATA;
use crate::shape::Shape::{self, Boolean, Integer, List, Object, Text};
use crate::shape::{Field, TEXTS, optional};

const fn field(key: &'static str, shape: Shape) -> Field {
    optional(key, shape, "")
}

const COLUMNS: Shape = List(&Object(&[
    field("name", Text),
    field("type", Text),
    field("format", Text),
    field("description", Text),
    field("priority", Integer),
    field("jsonPath", Text),
]));

const SUBRESOURCES: Shape = Object(&[
    field("status", Object(&[])),
    field(
        "scale",
        Object(&[
            field("specReplicasPath", Text),
            field("statusReplicasPath", Text),
            field("labelSelectorPath", Text),
        ]),
    ),
]);

const SCHEMA: Shape = Object(&[field(
    "openAPIV3Schema",
    Object(&[field("type", Text), field("description", Text)]),
)]);

/// A whole CustomResourceDefinition of either version, except for the schemas of its versions.
pub(super) const CRD: Shape = Object(&[
    field("metadata", METADATA),
    field(
        "spec",
        Object(&[
            field("group", Text),
            field("version", Text),
            field("scope", Text),
            field("preserveUnknownFields", Boolean),
            field(
                "names",
                Object(&[
                    field("plural", Text),
                    field("singular", Text),
                    field("kind", Text),
                    field("listKind", Text),
                    field("shortNames", TEXTS),
                    field("categories", TEXTS),
                ]),
            ),
            field(
                "versions",
                List(&Object(&[
                    field("name", Text),
                    field("served", Boolean),
                    field("storage", Boolean),
                    field("deprecated", Boolean),
                    field("deprecationWarning", Text),
                    field("schema", SCHEMA),
                    field("subresources", SUBRESOURCES),
                    field("additionalPrinterColumns", COLUMNS),
                ])),
            ),
            field("validation", SCHEMA),
            field("subresources", SUBRESOURCES),
            field("additionalPrinterColumns", COLUMNS),
            field("conversion", Object(&[field("strategy", Text)])),
        ]),
    ),
]);
