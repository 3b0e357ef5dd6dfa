//! The fields of `Operator` and `Install` resources. Only the keys are checked here; the values are checked where they
//! are read, with messages about their meaning.

use crate::shape::Field;
use crate::shape::Shape::{self, Any, List, Object};

const fn field(key: &'static str, shape: Shape) -> Field {
    crate::shape::optional(key, shape, "")
}

const UPDATES: Shape = Object(&[
    field("type", Any),
    field("manifestImage", Any),
    field(
        "catalogSource",
        Object(&[
            field("package", Any),
            field("channel", Any),
            field("entrypoint", Any),
            field("approval", Any),
            field("ref", Object(&[field("name", Any), field("namespace", Any)])),
        ]),
    ),
]);

const CONTENT: Shape = List(&Object(&[
    field("type", Any),
    field("manifestImage", Any),
    field("raw", Any),
]));

/// An `Operator`. The API server and OLM write fields of the metadata and the status.
pub(crate) const OPERATOR: Shape = Object(&[
    field("apiVersion", Any),
    field("kind", Any),
    field("metadata", Any),
    field("spec", Object(&[field("updates", UPDATES), field("source", UPDATES)])),
    field("status", Any),
]);

/// An `Install`. The API server and OLM write fields of the metadata and the status.
pub(crate) const INSTALL: Shape = Object(&[
    field("apiVersion", Any),
    field("kind", Any),
    field("metadata", Any),
    field(
        "spec",
        Object(&[
            field("namespaces", List(&Object(&[field("from", Any), field("to", Any)]))),
            field("approval", Any),
            field("content", CONTENT),
            field("contents", CONTENT),
        ]),
    ),
    field("status", Any),
]);
