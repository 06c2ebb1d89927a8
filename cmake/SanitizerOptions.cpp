//===- SanitizerOptions.cpp - defaults of the sanitizers' runtimes --------===//
//
// Linked into every executable of a build with FOVEA_SANITIZE; the environment
// (ASAN_OPTIONS and so on) still overrides each option.
//
//===----------------------------------------------------------------------===//

extern "C" {

const char *__asan_default_options() {
  // LLVM's allocators are templates in headers: instrumented copies would
  // poison memory that those inside libLLVM, which is not instrumented, hand
  // out without clearing the mark.
  return "allow_user_poisoning=0:handle_abort=1:detect_stack_use_after_return=1"
         ":strict_string_checks=1:check_initialization_order=1";
}

const char *__ubsan_default_options() { return "print_stacktrace=1"; }

const char *__tsan_default_suppressions() {
  // oneTBB comes without ThreadSanitizer: what it calls of libc and of operator
  // new looks unordered. Only those calls are passed over, and no task is.
  return "called_from_lib:libtbb.so\n";
}

} // extern "C"
