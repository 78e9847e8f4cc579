//! Digests.

use data_encoding::HEXLOWER;
use napi_derive::napi;
use sha2::{Digest, Sha256};

/// SHA-256 of a text's UTF-8, in hexadecimal. Node has it too, in a module that takes several ms to load.
#[napi(catch_unwind)]
pub fn digest(text: String) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}
