//! Advice for errors about files, limits and the process itself.

use super::{Advice, FULL_TEMPORARY, Hints, MORE_FILES, hint, hints, image_in, is_full, of_system, raised};
use crate::cli::start::StartError;
use crate::files::{self, FileError, NewFolderError};
use crate::server::ServeError;
use crate::tree::{SPARSE, TreeError};

impl Hints for FileError {
    fn hints(&self) -> Advice {
        if is_full(&self.source) && files::is_temporary(&self.path) {
            return hint(FULL_TEMPORARY);
        }
        if is_full(&self.source) {
            return hint(format!(
                "free up disk space for {}; the previous content is unchanged",
                self.path.display()
            ));
        }
        of_system(&self.source)
    }
}

hints! {
    NewFolderError {
        pass: [File],
        none: [],
        Self::Taken { .. } => hint("choose another folder, or remove the existing content"),
    }
    TreeError {
        pass: [File],
        none: [PathEscape],
        Self::EntryType { kind, .. } if *kind == SPARSE => {
            hint("build the image with a tool that stores files completely, such as tar without --sparse")
        }
        Self::EntryType { .. } => Advice::default(),
        Self::Name { .. } => hint("rename the file"),
        Self::Layout { directory } => image_in(directory),
        Self::Limit { raised_by, .. } => raised(*raised_by),
    }
    StartError {
        pass: [],
        none: [Runtime],
        Self::Files(_) => hint(MORE_FILES),
        Self::Threads(_) => hint("raise the thread limit with ulimit -u, or the process limit of the container"),
    }
    ServeError {
        pass: [Index],
        none: [Prepare, Listen, Reflection, Transport],
    }
}
