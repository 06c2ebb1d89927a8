//===- Options.td - the flags of fovea ---------------------*- tablegen -*-===//
//
// A flag's visibility is the set of commands that take it.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

def CompileVis : OptionVisibility;
def RunVis : OptionVisibility;
def BenchVis : OptionVisibility;
def TargetsVis : OptionVisibility;

defvar allVis = [DefaultVis, CompileVis, RunVis, BenchVis, TargetsVis];
defvar kernelVis = [CompileVis, RunVis, BenchVis];
defvar callVis = [RunVis, BenchVis];

/// --name=VALUE, and --name VALUE as well.
multiclass Value<string name, string metavar, string help,
                 list<OptionVisibility> visibility> {
  def "" : Joined<["--"], name # "=">, MetaVarName<metavar>, HelpText<help>,
           Visibility<visibility>;
  def _separate : Separate<["--"], name>, Alias<!cast<Option>(NAME)>,
                  Visibility<visibility>;
}

def help : Flag<["--"], "help">, HelpText<"Show this">, Visibility<allVis>;
def h : Flag<["-"], "h">, Alias<help>, Visibility<allVis>,
        Flags<[HelpHidden]>;
def version : Flag<["--"], "version">, Visibility<[DefaultVis]>,
              HelpText<"Show the versions of Fovea and its LLVM">;

defm target : Value<"target", "NAME", "Processor: host, or one that "
                    "'fovea targets' lists", kernelVis>;
defm name : Value<"name", "NAME", "C name of the kernel", kernelVis>;
defm stages_dir : Value<"stages-dir", "DIR",
                        "Write the IR after each stage to DIR/NN-STAGE.mlir",
                        kernelVis>;
defm start_from : Value<"start-from", "STAGE", "Stage that an .mlir input "
                        "without attn.stage is at", kernelVis>;

defm pass_plugin : Value<"pass-plugin", "LIB", "Load a library with passes",
                         kernelVis>;
defm dialect_plugin : Value<"dialect-plugin", "LIB", "Load a library with "
                            "dialects", kernelVis>;
defm insert : Value<"insert", "after:STAGE:PIPELINE", "Run passes when a stage "
                    "is reached, after its own", kernelVis>;

def remarks : Flag<["--"], "remarks">, Visibility<kernelVis>,
              HelpText<"Say what was chosen and why, with places, on standard "
                       "error">;
def remarks_list : Joined<["--"], "remarks=">, MetaVarName<"CATEGORY,...">,
                   Visibility<kernelVis>,
                   HelpText<"As --remarks, of some categories: layers, tiles, "
                            "masks, loops, vectors, patterns">;

def output_file : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
                  Visibility<[CompileVis]>,
                  HelpText<"Write to FILE; .o and .so come with a C header "
                           "beside them">;
defm emit : Value<"emit", "KIND", "What to write: mlir, llvm, asm, obj or "
                  "shared; by default what FILE's suffix says (.mlir .ll .s "
                  ".o .so)", [CompileVis]>;
defm stop_after : Value<"stop-after", "STAGE", "Last stage to run: attention, "
                        "tiled, fused, vectorized, llvm or object",
                        [CompileVis]>;

defm input : Value<"input", "NAME=FILE", "Read an input from a .npy file",
                   callVis>;
defm output : Value<"output", "NAME=FILE", "Write an output to a .npy file",
                    [RunVis]>;
defm dim : Value<"dim", "NAME=SIZE", "Size of an open dimension: batch, "
                 "length.query, length.kv", callVis>;
defm random : Value<"random", "SEED", "Draw the inputs that have no file",
                    callVis>;
defm threads : Value<"threads", "N", "Number of threads; 0: one a core; "
                     "default 1", callVis>;
def reference : Flag<["--"], "reference">, Visibility<[RunVis]>,
                HelpText<"Compute with the float64 evaluator, not with "
                         "compiled code">;
def check : Flag<["--"], "check">, Visibility<[RunVis]>,
            HelpText<"Compare 256 rows of each output with the float64 "
                     "evaluator; exit 2 where they differ by too much">;
def check_rows : Joined<["--"], "check=">, MetaVarName<"ROWS">,
                 Visibility<[RunVis]>, HelpText<"As --check, for ROWS rows">;
def stats : Flag<["--"], "stats">, Visibility<[RunVis]>,
            HelpText<"Print key tiles skipped, full and partial for these "
                     "lengths">;
defm json : Value<"json", "FILE", "Write the figures to a JSON file too",
                  [BenchVis]>;

/// Known, so that they can be refused by name.
def not_built_group : OptionGroup<"not built">;
multiclass NotBuilt<string name> {
  let Flags = [HelpHidden], Visibility = kernelVis, Group = not_built_group in {
    def "" : Flag<["--"], name>;
    def _value : Joined<["--"], name # "=">;
  }
}
defm simulate : NotBuilt<"simulate">;
defm static : NotBuilt<"static">;
