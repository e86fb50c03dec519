# NXP's OpenCL driver and its ICD file. No image pulls them in by itself, and without them glintd
# serves on the CPU. Only where the driver exists: a recommendation that no recipe provides would
# make glintd itself unbuildable.
# imxviv is an override of meta-freescale:
# nooelint: oelint.vars.specific
RRECOMMENDS:${PN}:append:imxviv = " libopencl-imx"
