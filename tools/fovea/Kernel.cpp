//===- Kernel.cpp - compiled code that this process can call --------------===//

#include "Kernel.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;

std::unique_ptr<mlir::MLIRContext>
tool::createContext(CompilerOptions &options) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  if (llvm::Error error =
          loadPlugins(options.passPlugins, options.dialectPlugins,
                      options.insertions, registry)) {
    fail(inputFault, std::move(error));
    return nullptr;
  }
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  printDiagnostics(*context);
  if (options.remarks)
    printRemarks(*context, *options.remarks);
  // The target is an attribute of every module, whatever operations it has.
  context->loadDialect<attn::AttnDialect>();
  return context;
}

mlir::LogicalResult tool::runEarlyInsertions(mlir::ModuleOp module,
                                             CompilerOptions &options) {
  auto isEarly = [](const Insertion &insertion) {
    return insertion.stage == Stage::Attention;
  };
  if (llvm::none_of(options.insertions, isEarly))
    return mlir::success();
  mlir::LogicalResult result = runStages(module, Stage::Attention, options);
  // They have run.
  llvm::erase_if(options.insertions, isEarly);
  return result;
}

bool tool::isConfig(StringRef path) {
  StringRef suffix = llvm::sys::path::extension(path);
  return suffix == ".yaml" || suffix == ".yml" || suffix == ".json";
}

Stage tool::getStage(mlir::ModuleOp module) {
  auto name = module->getAttrOfType<mlir::StringAttr>(attn::kStageAttr);
  return name ? parseStageName(name.getValue()).value_or(Stage::Input)
              : Stage::Input;
}

std::optional<KernelInterface> tool::getSingleKernel(mlir::ModuleOp module) {
  auto interfaces = getKernelInterfaces(module);
  if (mlir::failed(interfaces))
    return std::nullopt;
  if (interfaces->size() == 1)
    return interfaces->front();
  std::vector<std::string> names;
  for (const KernelInterface &interface : *interfaces)
    names.push_back(interface.name);
  fail(inputFault, "expects a module with one kernel, but got " +
                       (names.empty() ? std::string("none: a kernel is a "
                                                    "public func.func")
                                      : quoteList(names)));
  return std::nullopt;
}

std::optional<Pool> tool::createPool(const llvm::opt::InputArgList &arguments) {
  Pool none(nullptr, fovea_pool_destroy);
  const llvm::opt::Arg *flag = arguments.getLastArg(OPT_threads);
  if (!flag)
    return none;
  std::optional<int64_t> threads =
      parseNumber("--threads", flag->getValue(), 0, 1024);
  if (!threads)
    return std::nullopt;
  if (*threads == 1)
    return none;
  Pool pool(fovea_pool_create(int(*threads)), fovea_pool_destroy);
  if (pool)
    return pool;
  fail(failure, "the system refuses " + llvm::Twine(*threads) + " threads");
  return std::nullopt;
}

//===-- Calls -------------------------------------------------------------===//

static fovea_tensor getView(const HostTensor &tensor) {
  fovea_tensor view = {};
  // The kernel writes to outputs only, and does not write to a shape.
  view.data = const_cast<void *>(tensor.getData());
  view.device = {FOVEA_DEVICE_CPU, 0};
  view.ndim = int32_t(tensor.getRank());
  view.dtype = getDataType(tensor.getType());
  view.shape = const_cast<int64_t *>(tensor.getShape().data());
  return view;
}

Call::Call(llvm::ArrayRef<const HostTensor *> inputs,
           llvm::MutableArrayRef<HostTensor> outputs) {
  for (const HostTensor *input : inputs)
    views.push_back(getView(*input));
  for (const HostTensor &output : outputs)
    views.push_back(getView(output));
  for (auto [n, view] : llvm::enumerate(views)) {
    if (n < inputs.size())
      inputPointers.push_back(&view);
    else
      outputPointers.push_back(&view);
  }
}

std::unique_ptr<Kernel> Kernel::compile(mlir::ModuleOp module, StringRef path,
                                        const CompilerOptions &options,
                                        int &exitCode) {
  // What the front end made must compile; what a user wrote or
  // inserted may be wrong.
  exitCode =
      isConfig(path) && options.insertions.empty() ? failure : inputFault;
  if (mlir::failed(runStages(module, Stage::LLVM, options)))
    return nullptr;
  auto kernel = std::make_unique<Kernel>();
  std::optional<KernelInterface> interface = getSingleKernel(module);
  if (!interface)
    return nullptr;
  auto loaded = LoadedKernel::load(module, std::move(*interface));
  if (!loaded) {
    exitCode = fail(failure, loaded.takeError());
    return nullptr;
  }
  kernel->loaded = std::move(*loaded);
  exitCode = success;
  return kernel;
}

ExitCode Kernel::callIn(const Call &call, fovea_context &context) const {
  char message[1024];
  context.message = message;
  context.message_bytes = sizeof(message);
  int status = loaded.function(&context, call.getInputs(), call.getOutputs());
  if (status == FOVEA_OK)
    return success;
  ExitCode code = status == FOVEA_INVALID_ARGUMENT ? inputFault : failure;
  StringRef text = message[0] ? message : fovea_status_string(status);
  fail(code, "kernel '" + loaded.interface.name + "': " + text);
  return code;
}

ExitCode Kernel::call(const Call &call, fovea_pool *pool) const {
  fovea_context context;
  fovea_context_init(&context);
  fovea_context_set_pool(&context, pool);
  return callIn(call, context);
}

ExitCode Kernel::call(const Call &call, fovea_pool *pool,
                      std::vector<char> &workspace) const {
  fovea_context context;
  fovea_context_init(&context);
  fovea_context_set_pool(&context, pool);
  int64_t bytes = loaded.workspaceBytes(call.getInputs(), context.threads);
  if (bytes > int64_t(workspace.size()))
    workspace.resize(bytes);
  // A call says better than a number what is wrong with its inputs.
  if (bytes > 0) {
    context.workspace = workspace.data();
    context.workspace_bytes = workspace.size();
  }
  return callIn(call, context);
}

std::optional<std::vector<HostTensor>>
tool::createOutputs(const KernelInterface &interface,
                    const llvm::StringMap<int64_t> &sizes) {
  std::vector<HostTensor> outputs;
  for (const TensorSpec &spec : interface.outputs) {
    llvm::SmallVector<int64_t> shape;
    for (const DimSpec &dim : spec.dims) {
      if (!dim.isStatic() && !sizes.contains(dim.symbol)) {
        fail(inputFault, "no input has the dimension '" + dim.symbol +
                             "' of output '" + spec.name + "'");
        return std::nullopt;
      }
      shape.push_back(dim.isStatic() ? dim.size : sizes.lookup(dim.symbol));
    }
    auto tensor = HostTensor::create(getHostType(spec.element), shape);
    if (!tensor) {
      fail(failure, tensor.takeError());
      return std::nullopt;
    }
    outputs.push_back(std::move(*tensor));
  }
  return outputs;
}
