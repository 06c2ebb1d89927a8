//===- Control.cpp - branches, calls and ends -----------------------------===//

#include "../Block.h"
#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;
using llvm::StringRef;

static Flow branch(Warp &warp, const Op &op, Mask mask) {
  return warp.branch(mask, op.target);
}

/// The label or the list of targets that an operand names, or null.
static const Symbol *findSymbol(Decoder &decoder, unsigned n,
                                Symbol::Kind kind) {
  const OperandSyntax &operand = decoder.getOperand(n);
  const Symbol *symbol = decoder.builder.getFrame().syntax->find(
      decoder.getInstruction().scope, operand.name);
  return symbol && symbol->kind == kind ? symbol : nullptr;
}

static void decodeBranch(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(1);
  const Symbol *label = findSymbol(decoder, 0, Symbol::Label);
  if (!label)
    return decoder.fail("unknown label '" + decoder.getOperand(0).name + "'");
  decoder.op.target = label->index;
  decoder.op.isBranch = true;
  decoder.setHandler(branch);
}

/// To the entry of table `detail` that each lane's index selects.
static Flow branchIndexed(Warp &warp, const Op &op, Mask mask) {
  Block &block = warp.getBlock();
  const std::vector<uint32_t> &table = block.program.branchTables[op.detail];
  Row<uint32_t> index = warp.read<uint32_t>(op.source());
  Row<uint32_t> targets = {};
  bool good = true;
  forEachLane(mask, [&](unsigned lane) {
    if (index[lane] < table.size()) {
      targets[lane] = table[index[lane]];
      return;
    }
    warp.report(ReportKind::Trap, lane,
                "branches to entry " + llvm::Twine(index[lane]) + " of " +
                    llvm::Twine(table.size()) + " targets");
    good = false;
  });
  return good ? warp.branchEach(mask, targets) : Flow::Stop;
}

static void decodeIndexedBranch(Decoder &decoder) {
  if (!decoder.take("idx"))
    decoder.fail("expected 'brx.idx'");
  decoder.take("uni");
  decoder.expectOperands(2);
  const Symbol *list = findSymbol(decoder, 1, Symbol::Targets);
  if (!list)
    return decoder.fail("expected the name of a list of branch targets");
  const FunctionSyntax &function = *decoder.builder.getFrame().syntax;
  decoder.op.detail = decoder.builder.addBranchTable(
      function.branchTargets[list->index], decoder.getInstruction().scope);
  decoder.addSource(0, Type::U32);
  decoder.setHandler(branchIndexed);
}

static Flow exitLanes(Warp &warp, const Op &op, Mask mask) {
  return warp.exit(mask);
}

static void decodeExit(Decoder &decoder) {
  decoder.expectOperands(0);
  decoder.setHandler(exitLanes);
}

static Flow trap(Warp &warp, const Op &op, Mask mask) {
  forEachLane(mask, [&](unsigned lane) {
    warp.report(ReportKind::Trap, lane, "stops the kernel");
  });
  return Flow::Stop;
}

static void decodeTrap(Decoder &decoder) {
  decoder.expectOperands(0);
  decoder.setHandler(trap);
}

static Flow doNothing(Warp &, const Op &, Mask) { return Flow::Next; }

static void decodeSleep(Decoder &decoder) {
  decoder.expectOperands(1);
  if (decoder.takeType() != Type::U32)
    decoder.failType();
  decoder.addSource(0, Type::U32);
  decoder.setHandler(doNothing);
}

static void decodeEvent(Decoder &decoder) {
  decoder.take("mask");
  decoder.expectOperands(1);
  decoder.takeInteger(0, "an event");
  decoder.setHandler(doNothing);
}

//===-- Calls -------------------------------------------------------------===//

static Flow call(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> next;
  next.fill(warp.getPosition() + 1);
  warp.write(op.result(), next, mask);
  return warp.branch(mask, op.target);
}

static Flow returnToCaller(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> targets = warp.read<uint32_t>(op.source());
  uint32_t first = targets[llvm::countr_zero(mask)];
  bool isUniform = true;
  forEachLane(mask,
              [&](unsigned lane) { isUniform &= targets[lane] == first; });
  return isUniform ? warp.branch(mask, first) : warp.branchEach(mask, targets);
}

static void decodeReturn(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(0);
  if (decoder.builder.isInKernel())
    return decoder.setHandler(exitLanes);
  decoder.addPlace(decoder.builder.getFrame().returnAddress, false);
  decoder.setHandler(returnToCaller);
}

/// Copies `detail` bytes of local memory from source 0 to source 1, with what
/// is undefined among them.
static Flow copyLocal(Warp &warp, const Op &op, Mask mask) {
  Row<uint64_t> from = warp.readWide(op.source(0));
  Row<uint64_t> to = warp.readWide(op.source(1));
  ShadowedMemory &local = warp.getBlock().local;
  uint64_t size = warp.getBlock().program.localBytes;
  forEachLane(mask, [&](unsigned lane) {
    uint64_t thread = (warp.getNumber() * warpSize + lane) * size;
    std::memcpy(local.getData(thread + to[lane]),
                local.getData(thread + from[lane]), op.detail);
    std::memcpy(local.getStates(thread + to[lane]),
                local.getStates(thread + from[lane]), op.detail);
  });
  return Flow::Next;
}

/// Copies between parameters of the caller and of the function it calls.
static void copyParameters(Decoder &decoder, const OperandSyntax &list,
                           const FunctionFrame &callee,
                           llvm::ArrayRef<unsigned> formal, bool isResult) {
  if (list.elements.size() != formal.size())
    return decoder.fail("'" + callee.syntax->name + "' has " +
                        llvm::Twine(formal.size()) +
                        (isResult ? " results" : " parameters") + ", but got " +
                        llvm::Twine(list.elements.size()));
  const FunctionFrame &caller = decoder.builder.getFrame();
  for (unsigned n = 0; n < formal.size(); ++n) {
    const Symbol *symbol = caller.syntax->find(decoder.getInstruction().scope,
                                               list.elements[n].name);
    if (!symbol || symbol->kind != Symbol::Variable)
      return decoder.fail("expected the name of a '.param' variable");
    VariablePlace actual = caller.variables[symbol->index];
    VariablePlace other = callee.variables[formal[n]];
    if (!actual.isLocal || actual.bytes != other.bytes)
      return decoder.fail("expected a '.param' variable of " +
                          llvm::Twine(other.bytes) + " bytes, but '" +
                          list.elements[n].name + "' has " +
                          llvm::Twine(actual.bytes));
    decoder.addConstant(isResult ? other.address : actual.address, 8);
    decoder.addConstant(isResult ? actual.address : other.address, 8);
    decoder.op.detail = actual.bytes;
    decoder.setHandler(copyLocal);
    decoder.finishSecondary();
  }
}

/// `call (results), name, (parameters)`, where either list may be missing.
static void decodeCall(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(1, 3);
  static const OperandSyntax empty;
  unsigned at = 0;
  bool hasResults = decoder.getOperand(0).kind == OperandSyntax::List;
  const OperandSyntax &results = hasResults ? decoder.getOperand(at++) : empty;
  const OperandSyntax &callee = decoder.getOperand(at++);
  bool hasParameters = at < decoder.getNumOperands();
  const OperandSyntax &parameters =
      hasParameters ? decoder.getOperand(at++) : empty;
  if (at < decoder.getNumOperands())
    return decoder.fail("calls through a register are not supported");
  // What device code calls when an assertion does not hold.
  if (callee.name == "__assertfail")
    return decoder.setHandler(trap);
  const FunctionFrame *frame = decoder.builder.findFunction(callee.name);
  if (!frame)
    return decoder.fail("calls '" + callee.name +
                        "', which the text does not define");
  copyParameters(decoder, parameters, *frame, frame->syntax->parameters, false);
  decoder.addPlace(frame->returnAddress, true);
  decoder.op.target = frame->firstOp;
  decoder.setHandler(call);
  decoder.finishSecondary();
  copyParameters(decoder, results, *frame, frame->syntax->results, true);
  decoder.setHandler(doNothing);
}

void fovea::ptx::addControlInstructions(InstructionTable &table) {
  table["bra"] = decodeBranch;
  table["brx"] = decodeIndexedBranch;
  table["exit"] = decodeExit;
  table["trap"] = decodeTrap;
  table["nanosleep"] = decodeSleep;
  table["pmevent"] = decodeEvent;
  table["call"] = decodeCall;
  table["ret"] = decodeReturn;
}
