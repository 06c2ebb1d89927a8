"""lit configuration: FileCheck tests of the tools, the dialect and the passes."""
import os

import lit.formats

config.name = "Fovea"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".yaml", ".test", ".ptx"]
config.excludes = ["Inputs", "numeric", "oracle", "unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fovea_build, "test")

# Numbers need NumPy, which lives in a virtual environment beside the build.
python = os.path.join(config.fovea_build, "venv", "bin", "python3")
if os.path.exists(os.path.join(config.fovea_build, "venv", "ready")):
    config.available_features.add("numpy")
else:
    lit_config.warning("no numpy: tests that need it are unsupported")
    python = "python3"
if config.fovea_sanitize:
    config.available_features.add("sanitizer")
config.substitutions.append(("%python", python))
config.substitutions.append(("%source", config.fovea_source))
config.substitutions.append(("%build", config.fovea_build))
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.fovea_build, "bin"), config.llvm_tools,
     config.environment["PATH"]])
