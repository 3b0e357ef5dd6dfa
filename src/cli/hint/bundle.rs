//! Advice for errors about bundles.

use super::{Advice, Hints, hint, hints};
use crate::build::BuildError;
use crate::bundle::image_map::MapImagesError;
use crate::bundle::location::{LoadError, LocationError};
use crate::bundle::pin::PinError;
use crate::bundle::{AnnotationError, EditError};
use crate::synthesis::outside::OutsideError;
use crate::synthesis::samples::SamplesError;
use crate::text::ReviseError;
use crate::validation::batch::UnreadableError;

impl Hints for LocationError {
    fn hints(&self) -> Advice {
        self.source.hints().of_missing()
    }
}

impl Hints for ReviseError {
    fn hints(&self) -> Advice {
        hint("write the value itself at that position, without an alias, an anchor or a merge key")
    }
}

hints! {
    LoadError {
        pass: [Tree, Image],
        none: [NoBundle, Interrupted],
        Self::Index { .. } => hint("specify a bundle image; \"opmx index check\" checks an index"),
    }
    OutsideError {
        pass: [Edit],
        none: [],
        Self::Written { .. } => hint("omit --samples and --api-source"),
    }
    BuildError {
        pass: [Annotations, Outside, Pin, Edit, Map, Tree, Image],
        none: [],
    }
    MapImagesError {
        pass: [Map, Edit],
        none: [],
    }
    AnnotationError {
        pass: [Tree],
        none: [Unknown, Unreadable, NoManifests],
        Self::Differs { .. } => hint("replace the annotations with --overwrite, or omit the options"),
        Self::DefaultChannel { .. } => hint("add it to --channels, or specify another channel with --default"),
        Self::Chart { .. } => {
            hint("render the chart with \"helm template\", and create a bundle of the manifests with \"opmx bundle init\"")
        }
        Self::Plain { .. } => hint("create a bundle of plain manifests with \"opmx bundle init\""),
    }
    EditError {
        pass: [Tree],
        none: [Form],
    }
    PinError {
        pass: [],
        none: [Transport],
        Self::Name { source, .. } => source.hints(),
        Self::Registry { source, .. } => source.hints(),
    }
    SamplesError {
        pass: [Tree],
        none: [Unreadable, Nothing],
    }
    UnreadableError {
        pass: [Location, Load, Write],
        none: [File, Image],
    }
}
