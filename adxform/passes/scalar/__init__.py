"""The passes of the optimiser, one file each; `adxform.passes.pipeline` has their list."""
