//===- RunCase.cpp - compiles, calls and checks one case ------------------===//

#include "RunCase.h"
#include "Compiled.h"
#include "GuardedTensor.h"
#include "Inputs.h"
#include "fovea/Reference/Check.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include <cstring>
#include <unistd.h>

using namespace fovea;
using namespace fovea::fuzz;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using reference::Evaluator;

/// All rows of small outputs.
static constexpr int64_t mostRows = 1200;

StringRef fuzz::getFindingName(FindingKind kind) {
  static constexpr StringRef names[numFindingKinds] = {
      "refused", "status", "wrong", "bits", "memory", "fault", "crash", "hang"};
  return names[unsigned(kind)];
}

std::optional<Injection> fuzz::parseInjection(StringRef name) {
  return llvm::StringSwitch<std::optional<Injection>>(name)
      .Case("output", Injection::Output)
      .Case("gap", Injection::Gap)
      .Case("input", Injection::Input)
      .Case("guard", Injection::Guard)
      .Case("crash", Injection::Crash)
      .Case("hang", Injection::Hang)
      .Case("refusal", Injection::Refusal)
      .Default(std::nullopt);
}

namespace {

using Tensors = std::vector<std::unique_ptr<GuardedTensor>>;

/// Everything of one call.
class CallRunner {
public:
  CallRunner(Compiler &compiler, const Case &drawn, int number,
             const LoadedKernel &kernel, mlir::ModuleOp module,
             Injection injection)
      : compiler(compiler), drawn(drawn), number(number),
        call(drawn.calls[number]), kernel(kernel), module(module),
        injection(injection) {}

  std::optional<Finding> run();

  RightCall getRightCall() const {
    RightCall right{number, call, isNear};
    right.call.strides = strides | (call.strides & NegativeStrides);
    right.call.specials = specials;
    return right;
  }

private:
  bool fail(FindingKind kind, const llvm::Twine &text) {
    finding = Finding{kind, number, text.str()};
    return false;
  }
  bool fail(FindingKind kind, Error error) {
    return fail(kind, llvm::toString(std::move(error)));
  }

  bool drawInputs();
  bool drawAllowed();
  Tensors placeInputs();
  Tensors placeOutputs();
  bool callOnce(Hook hook, bool isFirst);
  bool callRefused(Tensors &inputs, Tensors &outputs);
  void inject(Tensors &inputs, Tensors &outputs);
  bool checkMemory(const Tensors &inputs, const Tensors &outputs);
  bool check();

  Compiler &compiler;
  const Case &drawn;
  int number;
  const Call &call;
  const LoadedKernel &kernel;
  mlir::ModuleOp module;
  Injection injection;
  std::vector<Drawn> inputs, outputs;
  unsigned strides = 0, specials = 0;
  bool isNear = false;
  std::optional<Finding> finding;
};

} // namespace

//===-- Tensors -----------------------------------------------------------===//

bool CallRunner::drawInputs() {
  auto create = [&](const TensorSpec &spec, bool isInput) {
    Drawn tensor;
    tensor.spec = spec;
    HostType type = getHostType(spec.element);
    if (type == HostType::I64 && call.isNarrowIndex)
      type = HostType::I32;
    tensor.tensor = cantFail(HostTensor::create(type, getShape(spec, call)));
    if (isInput)
      drawValues(drawn, call, tensor, specials);
    else // what a kernel fails to write must not look like a result
      memset(tensor.tensor.getData(), 0xa5, tensor.tensor.getNumBytes());
    drawStrides(call, isInput, tensor, strides);
    return tensor;
  };
  for (const TensorSpec &spec : kernel.interface.inputs)
    inputs.push_back(create(spec, true));
  for (const TensorSpec &spec : kernel.interface.outputs)
    outputs.push_back(create(spec, false));
  return !(call.specials & plantedSpecials) || drawAllowed();
}

/// What is allowed are the keys with a weight where all scores are 0: the
/// reference finds it, from a kernel of the same masks.
bool CallRunner::drawAllowed() {
  Case plain = drawn;
  plain.score.clear();
  plain.scale = Case::Number;
  plain.scaleValue = 0;
  plain.hasOut = plain.hasLse = false;
  plain.hasWeights = true;
  plain.dtype = drawn.dtype;
  auto masks = compiler.build(plain);
  if (!masks)
    return fail(FindingKind::Refused, masks.takeError());
  auto interfaces = getKernelInterfaces(**masks);
  llvm::SmallVector<const HostTensor *> pointers;
  for (const TensorSpec &spec : interfaces->front().inputs)
    for (const Drawn &input : inputs)
      if (input.spec.name == spec.name)
        pointers.push_back(&input.tensor);
  auto evaluator = Evaluator::create(getKernel(**masks), pointers);
  if (!evaluator)
    return fail(FindingKind::Refused, evaluator.takeError());
  Expected<HostTensor> weights = (*evaluator)->evaluate(0);
  if (!weights)
    return fail(FindingKind::Refused, weights.takeError());
  plantSpecials(drawn, call, *weights, inputs, specials);
  return true;
}

static std::unique_ptr<GuardedTensor> place(const Drawn &drawn,
                                            const Call &call) {
  return std::make_unique<GuardedTensor>(drawn.spec.name, drawn.tensor,
                                         drawn.strides, call.isGuardBefore,
                                         call.seed >> 1 & 1);
}

Tensors CallRunner::placeInputs() {
  Tensors tensors;
  for (const Drawn &input : inputs)
    tensors.push_back(place(input, call));
  return tensors;
}

Tensors CallRunner::placeOutputs() {
  Tensors tensors;
  for (Drawn &output : outputs)
    tensors.push_back(place(output, call));
  return tensors;
}

//===-- Calls -------------------------------------------------------------===//

/// A loop from the last iteration to the first with changing workers.
static void loopReversed(void *, fovea_task task, void *argument,
                         int64_t count) {
  for (int64_t index = count - 1; index >= 0; --index)
    task(argument, index, int32_t(index % 3));
}

static fovea_pool *getPool() {
  // One for the process: threads take longer to start than a kernel to run.
  static fovea_pool *pool = fovea_pool_create(2);
  return pool;
}

static llvm::SmallVector<fovea_tensor *> getViews(const Tensors &tensors) {
  llvm::SmallVector<fovea_tensor *> views;
  for (auto &tensor : tensors)
    views.push_back(tensor->getView());
  return views;
}

bool CallRunner::callOnce(Hook hook, bool isFirst) {
  Tensors placedInputs = placeInputs(), placedOutputs = placeOutputs();
  llvm::SmallVector<fovea_tensor *> inputViews = getViews(placedInputs),
                                    outputViews = getViews(placedOutputs);
  fovea_context context;
  fovea_context_init(&context);
  char message[1024] = "";
  context.message = message;
  context.message_bytes = sizeof(message);
  if (hook == Hook::Pool)
    fovea_context_set_pool(&context, getPool());
  if (hook == Hook::Reversed) {
    context.parallel_for = loopReversed;
    context.threads = 3;
  }
  std::unique_ptr<GuardedMemory> workspace;
  if (call.givesWorkspace) {
    int64_t bytes = kernel.workspaceBytes(inputViews.data(), context.threads);
    if (bytes < 0)
      return fail(FindingKind::Status, "the workspace's size is -1");
    workspace = std::make_unique<GuardedMemory>("workspace", bytes,
                                                call.isGuardBefore, 0xff);
    context.workspace = workspace->getData();
    context.workspace_bytes = bytes;
  }
  int status = kernel.function(&context, inputViews.data(), outputViews.data());
  if (status != FOVEA_OK)
    return fail(FindingKind::Status,
                "status " + llvm::Twine(status) + ": " + message);
  inject(placedInputs, placedOutputs);
  if (!checkMemory(placedInputs, placedOutputs))
    return false;
  for (auto [output, placed] : llvm::zip(outputs, placedOutputs)) {
    HostTensor result = cantFail(
        HostTensor::create(output.tensor.getType(), output.tensor.getShape()));
    placed->read(result);
    if (!isFirst &&
        memcmp(result.getData(), output.tensor.getData(), result.getNumBytes()))
      return fail(FindingKind::Bits, "output '" + output.spec.name +
                                         "' has other bits than a serial "
                                         "call's");
    if (isFirst)
      placed->read(output.tensor);
  }
  return !(call.strides & NegativeStrides) || !isFirst ||
         callRefused(placedInputs, placedOutputs);
}

/// A negative stride must be refused with a sentence, nothing being touched.
bool CallRunner::callRefused(Tensors &placedInputs, Tensors &placedOutputs) {
  llvm::SmallVector<fovea_tensor *> inputViews = getViews(placedInputs),
                                    outputViews = getViews(placedOutputs);
  for (fovea_tensor *view :
       llvm::concat<fovea_tensor *>(inputViews, outputViews))
    for (int dim = 0; dim < view->ndim; ++dim) {
      if (view->shape[dim] < 2 || view->strides[dim] == 0)
        continue;
      fovea_context context;
      fovea_context_init(&context);
      char message[1024] = "";
      context.message = message;
      context.message_bytes = sizeof(message);
      view->strides[dim] = -view->strides[dim];
      int status =
          kernel.function(&context, inputViews.data(), outputViews.data());
      view->strides[dim] = -view->strides[dim];
      if (status != FOVEA_INVALID_ARGUMENT || !message[0])
        return fail(FindingKind::Status,
                    "expects a negative stride to be refused, but got status " +
                        llvm::Twine(status));
    }
  return checkMemory(placedInputs, placedOutputs);
}

void CallRunner::inject(Tensors &placedInputs, Tensors &placedOutputs) {
  auto getFilled = [](Tensors &tensors) -> GuardedTensor * {
    for (auto &tensor : tensors)
      if (tensor->getMemory().getData() != tensor->getMemory().getGuard())
        return tensor.get();
    return nullptr;
  };
  GuardedTensor *input = getFilled(placedInputs);
  GuardedTensor *output = getFilled(placedOutputs);
  switch (injection) {
  case Injection::Output:
    for (auto &placed : placedOutputs)
      placed->perturb();
    break;
  case Injection::Gap:
    if (output)
      output->getMemory().getPages().front() ^= 1;
    if (output)
      output->getMemory().getPages().back() ^= 1;
    break;
  case Injection::Input:
    if (input)
      *input->getMemory().getData() ^= 1;
    break;
  case Injection::Guard:
    if (input)
      *static_cast<volatile char *>(input->getMemory().getGuard()) = 1;
    break;
  case Injection::Crash:
    abort();
  case Injection::Hang:
    while (true)
      sleep(1);
  case Injection::None:
  case Injection::Refusal:
    break;
  }
}

//===-- Checks ------------------------------------------------------------===//

bool CallRunner::checkMemory(const Tensors &placedInputs,
                             const Tensors &placedOutputs) {
  for (auto &tensor : placedInputs)
    if (std::string change = tensor->findChange(false); !change.empty())
      return fail(FindingKind::Memory, change);
  for (auto &tensor : placedOutputs)
    if (std::string change = tensor->findChange(true); !change.empty())
      return fail(FindingKind::Memory, change);
  return true;
}

bool CallRunner::check() {
  llvm::SmallVector<const HostTensor *> pointers;
  for (const Drawn &input : inputs)
    pointers.push_back(&input.tensor);
  auto exact = Evaluator::create(getKernel(module), pointers);
  if (!exact)
    return fail(FindingKind::Refused, exact.takeError());
  auto emulated =
      Evaluator::create(getKernel(module), pointers, reference::Mode::Emulated);
  if (!emulated)
    return fail(FindingKind::Refused, emulated.takeError());
  for (auto [n, output] : llvm::enumerate(outputs)) {
    auto result =
        reference::check(**exact, **emulated, n, output.tensor, mostRows);
    if (!result)
      return fail(FindingKind::Refused, result.takeError());
    if (result->isRight)
      continue;
    if (drawn.dtype != "f64" && result->maxError <= slack * result->maxLimit &&
        result->rmsError <= slack * result->rmsLimit) {
      isNear = true;
      continue;
    }
    std::string text;
    llvm::raw_string_ostream(text)
        << "output '" << output.spec.name << "' is wrong: at "
        << formatShape(result->position)
        << llvm::format(" expects %.9g, but got %.9g; ", result->expected,
                        result->found)
        << llvm::format("max error %.3g (limit %.3g), ", result->maxError,
                        result->maxLimit)
        << llvm::format("rms error %.3g (limit %.3g)", result->rmsError,
                        result->rmsLimit);
    return fail(FindingKind::Wrong, text);
  }
  return true;
}

std::optional<Finding> CallRunner::run() {
  if (drawInputs() && callOnce(Hook::None, true) &&
      (call.hook == Hook::None || callOnce(call.hook, false)))
    check();
  return finding;
}

std::optional<Finding>
fuzz::runCase(const Case &drawn, Injection injection,
              llvm::function_ref<void(const RightCall &)> onCall) {
  Compiler compiler;
  auto refuse = [](Error error) {
    return Finding{FindingKind::Refused, -1, llvm::toString(std::move(error))};
  };
  auto module = compiler.build(drawn);
  if (!module)
    return refuse(module.takeError());
  if (injection == Injection::Refusal)
    return Finding{FindingKind::Refused, -1, "refused on purpose"};
  Expected<LoadedKernel> kernel = compiler.compile(**module);
  if (!kernel)
    return refuse(kernel.takeError());
  for (size_t number = 0; number < drawn.calls.size(); ++number) {
    CallRunner runner(compiler, drawn, int(number), *kernel, **module,
                      injection);
    if (std::optional<Finding> finding = runner.run())
      return finding;
    onCall(runner.getRightCall());
  }
  return std::nullopt;
}
