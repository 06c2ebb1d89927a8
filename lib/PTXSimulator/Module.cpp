//===- Module.cpp - parsing and decoding a PTX file -----------------------===//

#include "fovea/PTXSimulator/Module.h"
#include "Parser.h"
#include "ProgramBuilder.h"
#include <atomic>

using namespace fovea::ptx;
using llvm::StringRef;

/// What a module owns: the text that all syntax points into.
struct fovea::ptx::ModuleStorage {
  std::string text;
  ModuleSyntax syntax;
};

Module::Module() : storage(std::make_unique<ModuleStorage>()) {}
Module::Module(Module &&) = default;
Module &Module::operator=(Module &&) = default;
Module::~Module() = default;

StringRef Module::getTarget() const { return storage->syntax.target; }

const Kernel *Module::findKernel(StringRef name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.getName() == name)
      return &kernel;
  return nullptr;
}

llvm::Expected<Module> Module::parse(StringRef text, StringRef fileName) {
  Module module;
  ModuleStorage &storage = *module.storage;
  static std::atomic<uint64_t> count = 0;
  storage.syntax.number = ++count;
  storage.text = text.str();
  Parser parser(storage.text, storage.syntax);
  if (parser.parseModule())
    return llvm::createStringError(fileName + ":" +
                                   llvm::Twine(parser.getLine()) + ": " +
                                   parser.getMessage());

  for (const FunctionSyntax &function : storage.syntax.functions) {
    if (!function.isKernel || !function.hasBody)
      continue;
    ProgramBuilder builder(storage.syntax, fileName);
    llvm::Expected<std::shared_ptr<const Program>> program =
        builder.build(function);
    if (!program)
      return program.takeError();
    Kernel &kernel = module.kernels.emplace_back();
    kernel.name = function.name.str();
    kernel.program = *program;
    kernel.maxThreads = kernel.program->maxThreads;
    kernel.requiredBlock = kernel.program->requiredBlock;
    kernel.staticSharedBytes = kernel.program->staticSharedBytes;
    kernel.dynamicShared = !kernel.program->dynamicNames.empty();
    for (unsigned index : function.parameters) {
      const VariableSyntax &variable = function.variables[index];
      std::string type = getTypeName(variable.type).str();
      if (variable.isArray)
        type += "[" + std::to_string(variable.elements) + "]";
      kernel.parameters.push_back(
          {variable.name.str(), std::move(type), variable.getBytes()});
    }
  }
  return module;
}
