//! How a core error crosses to JavaScript: as a napi error whose status is the code, so that `error.code` is stable.

use crate::error::Error;

/// The status of a napi error; its text becomes `error.code`.
pub struct Code(&'static str);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl From<napi::Status> for Code {
    fn from(_: napi::Status) -> Self {
        Self(crate::ErrorKind::InvalidArgument.code())
    }
}

impl From<Error> for napi::Error<Code> {
    fn from(error: Error) -> Self {
        Self::new(Code(error.kind().code()), error.message())
    }
}

/// The result every binding returns; it must be named `Result` for the macro to carry a custom code.
pub type Result<T> = std::result::Result<T, napi::Error<Code>>;
