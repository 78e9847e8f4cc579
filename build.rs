//! Sets the linker flags a Node addon needs; nothing without the `node` feature.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
