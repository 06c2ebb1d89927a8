"""Installs Fovea to BUILD/plugins/prefix and builds examples/plugin and the
plugins and programs beside this file against it. What is up to date stays, so
that every test may ask; one of several at once does the work."""
import fcntl
import os
import re
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stdout))


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    root = os.path.join(build, "plugins")
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        cache = dict(re.findall(r"^(\w+):\w+=(.+)$", cache.read(), re.MULTILINE))
    settings = ["-DCMAKE_PREFIX_PATH=" + os.path.join(root, "prefix")]
    for language in "C", "CXX":
        settings.append("-DCMAKE_%s_COMPILER=%s"
                        % (language, cache["CMAKE_%s_COMPILER" % language]))
        if cache.get("FOVEA_SANITIZE"):
            settings.append("-DCMAKE_%s_FLAGS=-fsanitize=%s"
                            % (language, cache["FOVEA_SANITIZE"]))
    with open(os.path.join(root, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("cmake", "--install", build, "--prefix",
            os.path.join(root, "prefix"))
        for name, folder in [
                ("example", os.path.join(source, "examples", "plugin")),
                ("broken", os.path.join(source, "test/Plugin/Inputs/broken")),
                ("consumer", os.path.join(source, "test/Plugin/Inputs/consumer"))]:
            target = os.path.join(root, name)
            if not os.path.exists(os.path.join(target, "build.ninja")):
                run("cmake", "-G", "Ninja", "-S", folder, "-B", target,
                    *settings)
            run("cmake", "--build", target)


if __name__ == "__main__":
    main()
