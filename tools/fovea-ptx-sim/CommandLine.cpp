//===- CommandLine.cpp - flags of fovea-ptx-sim ---------------------------===//

#include "CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;
using namespace fovea::ptxsim;
using llvm::StringRef;

static llvm::Error fail(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

static llvm::Error parseNumber(StringRef flag, StringRef text,
                               uint64_t &number) {
  if (!text.getAsInteger(0, number))
    return llvm::Error::success();
  return fail("'" + flag + "' expects a number from 0 on, but got '" + text +
              "'");
}

/// `X`, `X,Y` or `X,Y,Z`.
static llvm::Error parseSizes(StringRef flag, StringRef text,
                              ptx::Dim3 &sizes) {
  llvm::SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  uint32_t *places[] = {&sizes.x, &sizes.y, &sizes.z};
  bool good = parts.size() <= 3;
  for (size_t n = 0; good && n < parts.size(); ++n)
    good = !parts[n].getAsInteger(10, *places[n]) && *places[n];
  if (good)
    return llvm::Error::success();
  return fail("'" + flag +
              "' expects one to three sizes, such as '4,2,1', "
              "but got '" +
              text + "'");
}

llvm::Expected<CommandLine>
ptxsim::parseCommandLine(llvm::ArrayRef<const char *> arguments) {
  CommandLine parsed;
  for (StringRef argument : arguments) {
    if (!argument.starts_with("-") || argument == "-") {
      if (!parsed.file.empty())
        return fail("expected one file, but got '" + parsed.file + "' and '" +
                    argument + "'");
      parsed.file = argument.str();
      continue;
    }
    auto [flag, value] = argument.split('=');
    bool hasValue = argument.contains('=');
    uint64_t number = 0;
    llvm::Error error = llvm::Error::success();
    if (flag == "--help" || flag == "-h") {
      parsed.help = true;
    } else if (flag == "--list") {
      parsed.list = true;
    } else if (flag == "--stats") {
      parsed.statistics = true;
    } else if (!hasValue) {
      consumeError(std::move(error));
      return fail("unknown flag or no value in '" + argument +
                  "'; flags are written '--name=value', see '--help'");
    } else if (flag == "--kernel") {
      parsed.kernel = value.str();
    } else if (flag == "--grid") {
      error = parseSizes(flag, value, parsed.grid);
    } else if (flag == "--block") {
      parsed.block.emplace();
      error = parseSizes(flag, value, *parsed.block);
    } else if (flag == "--shared") {
      error = parseNumber(flag, value, parsed.sharedBytes);
    } else if (flag == "--arg") {
      parsed.arguments.push_back(value.str());
    } else if (flag == "--threads") {
      error = parseNumber(flag, value, number);
      parsed.options.threads = std::min<uint64_t>(number, 1024);
    } else if (flag == "--step-limit") {
      error = parseNumber(flag, value, parsed.options.stepLimit);
    } else if (flag == "--max-reports") {
      error = parseNumber(flag, value, number);
      parsed.options.maxReports = std::min<uint64_t>(number, UINT32_MAX);
    } else if (flag == "--shared-limit") {
      error = parseNumber(flag, value, parsed.options.sharedMemoryLimit);
    } else if (flag == "--cp-async") {
      if (value != "at-wait" && value != "at-issue")
        error = fail("'--cp-async' expects 'at-wait' or 'at-issue', but got "
                     "'" +
                     value + "'");
      parsed.options.asyncCopyTiming = value == "at-issue"
                                           ? ptx::AsyncCopyTiming::AtIssue
                                           : ptx::AsyncCopyTiming::AtWait;
    } else {
      error = fail("unknown flag '" + flag + "'; see '--help'");
    }
    if (error)
      return error;
  }
  if (parsed.file.empty() && !parsed.help)
    return fail("expected a PTX file; see '--help'");
  return parsed;
}

void ptxsim::printHelp(llvm::raw_ostream &os) {
  os << R"(OVERVIEW: Fovea's PTX simulator: runs a kernel on the CPU and reports its faults

USAGE: fovea-ptx-sim FILE.ptx [flags]      (- for standard input)

FLAGS:
  --kernel=NAME        the kernel to run; needed if there are several
  --grid=X[,Y[,Z]]     blocks; 1,1,1 if not given
  --block=X[,Y[,Z]]    threads of a block; what '.reqntid' or '.maxntid' says if
                       not given
  --shared=BYTES       dynamic shared memory of a block
  --arg=KIND:VALUE     an argument, in the order of the parameters (see below)
  --list               print the kernels, their parameters and their shared memory
  --stats              print how often each instruction was executed
  --threads=N          host threads that run blocks; one a processor if not given
  --step-limit=N       instructions of a block before it is given up
  --max-reports=N      distinct reports to print
  --shared-limit=BYTES shared memory that a block may have, if not the target's
  --cp-async=WHEN      when asynchronous copies move: at-wait (default) or at-issue
  --help               print this

ARGUMENTS:
  i8: i16: i32: i64:   an integer, as in i32:-5
  u8: u16: u32: u64:   the same without a sign
  f32: f64:            a float, as in f32:1.5
  buffer:BYTES         a pointer to memory that nothing has written yet
  zeros:BYTES          a pointer to zeros
  in:FILE.npy          a pointer to the file's elements, read-only
  inout:FILE.npy:TO.npy
                       the same, writable; written to the second file afterwards
  out:FILE.npy:TYPE:SHAPE
                       a pointer to memory that nothing has written yet, written to
                       the file afterwards, as in out:o.npy:f16:2x64x128
  null:                a null pointer
  hex:DIGITS           a structure by value, two digits a byte

EXIT CODES: 0 fine, 1 the file, the flags or the arguments are at fault, 2 the
kernel's faults were reported
)";
}
