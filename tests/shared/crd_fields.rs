//! The rules that correspond to recorded findings about CRDs.

/// The rules for recorded findings about CRDs, by field.
pub(crate) const CRD_FIELDS: &[(&str, &str)] = &[
    ("metadata.name", "crd-name"),
    ("spec.scope", "crd-scope"),
    ("spec.versions", "crd-storage-count"),
    ("spec.additionalPrinterColumns[].JSONPath", "crd-printer-column"),
    ("spec.additionalPrinterColumns[].type", "crd-printer-column"),
    ("spec.subresources.scale.specReplicasPath", "crd-scale-path"),
    ("spec.conversion.webhookClientConfig", "crd-conversion-client"),
    (
        "spec.conversion.conversionReviewVersions",
        "crd-conversion-review-versions",
    ),
];
