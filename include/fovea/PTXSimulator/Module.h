//===- Module.h - a PTX file, parsed and decoded --------------------------===//

#ifndef FOVEA_PTXSIMULATOR_MODULE_H
#define FOVEA_PTXSIMULATOR_MODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::ptx {

struct Program;
struct ModuleStorage;

/// A parameter of a kernel. Arrays of bytes are structures passed by value.
struct KernelParameter {
  std::string name;
  /// As declared: `u64`, `f32`, `b8[24]`, ...
  std::string type;
  uint64_t bytes = 0;
};

/// An `.entry` of a module; valid as long as its module.
class Kernel {
public:
  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<KernelParameter> getParameters() const { return parameters; }
  /// Bytes of shared memory that the kernel declares, padded as the assembler
  /// lays them out, without the dynamic part.
  uint64_t getStaticSharedBytes() const { return staticSharedBytes; }
  /// Whether it declares `.extern .shared` memory, whose size a launch gives.
  bool hasDynamicShared() const { return dynamicShared; }
  /// Greatest number of threads a block from `.maxntid` or `.reqntid`; 0 if
  /// not stated.
  uint64_t getMaxThreads() const { return maxThreads; }
  /// The block's sizes that `.reqntid` demands; empty if not stated.
  llvm::ArrayRef<uint32_t> getRequiredBlock() const { return requiredBlock; }
  /// Registers, instructions and their lines; for the simulator itself.
  const Program &getProgram() const { return *program; }

private:
  friend class Module;
  std::string name;
  std::vector<KernelParameter> parameters;
  std::vector<uint32_t> requiredBlock;
  uint64_t staticSharedBytes = 0, maxThreads = 0;
  bool dynamicShared = false;
  std::shared_ptr<const Program> program;
};

/// A PTX text. Immutable once parsed, so that threads may share it.
class Module {
public:
  /// Parses and decodes `text`. An instruction, modifier or directive that the
  /// simulator does not know is an error with its text and line, as are
  /// operands that do not fit; `fileName` stands in messages.
  static llvm::Expected<Module> parse(llvm::StringRef text,
                                      llvm::StringRef fileName);

  Module(Module &&);
  Module &operator=(Module &&);
  ~Module();

  llvm::ArrayRef<Kernel> getKernels() const { return kernels; }
  /// The kernel `name`, or null.
  const Kernel *findKernel(llvm::StringRef name) const;
  /// As in `.target`: `sm_80`.
  llvm::StringRef getTarget() const;

private:
  Module();
  std::unique_ptr<ModuleStorage> storage;
  std::vector<Kernel> kernels;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_MODULE_H
