"""From text to affine IR."""
