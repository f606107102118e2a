// Runs after `npm install` and `npm ci`: removes what packages bring for other machines and what only compilers and debuggers of their own
// authors read, some 480 MB. npm chooses optional packages by system, but these have all systems in one package or leave out the field that
// npm chooses by. docs/decisions/002-dependencies.md lists what was measured.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns what a folder holds, as paths; nothing where there is no such folder. */
const inside = (folder: string): string[] =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(folder).map((name) => join(folder, name))
    : []

/** Every file below a folder whose name ends so; links are not followed. */
function filesBelow(folder: string, ending: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path, ending)
    return entry.isFile() && entry.name.endsWith(ending) ? [path] : []
  })
}

/** Folders and files of a `node_modules` that no program on a machine of this kind opens. */
export function unusedPaths(modules: string, { platform, arch }: { platform: string; arch: string }): string[] {
  // bin/<version of Node's interface>/<system>/<processor>
  const systems = inside(join(modules, 'onnxruntime-node/bin')).flatMap(inside)
  const own = systems.filter((path) => basename(path) === platform)
  // The package has a copy of the parser of one system, which it loads only where the package of the machine's own is missing.
  const parsers = inside(join(modules, '@llamaindex')).map((path) => basename(path))
  const hasParser = parsers.some((name) => name.startsWith(`liteparse-${platform}-${arch}`))
  return [
    ...systems.filter((path) => !own.includes(path)),
    ...own.flatMap(inside).filter((path) => basename(path) !== arch),
    // `linux-x64` runs on x64, `linux-arm64` and `linux-riscv64` do not.
    ...inside(join(modules, '@node-llama-cpp')).filter((path) => !basename(path).split('-').includes(arch)),
    // Headers, for add-ons that are compiled at installation: none of ours is.
    ...inside(join(modules, 'node/node_modules'))
      .map((path) => join(path, 'include'))
      .filter((path) => existsSync(path)),
    // `linuxmusl-x64.node` stays beside `linux-x64.node`: the package chooses by the C library.
    ...inside(join(modules, 'better-sqlite3/prebuilds')).filter(
      (path) => !basename(path).startsWith(platform) || !basename(path).endsWith(`-${arch}.node`),
    ),
    ...(hasParser
      ? inside(join(modules, '@llamaindex/liteparse')).filter((path) => /\.(node|so|dylib|dll)$/.test(path))
      : []),
    // Sources of SQLite and of llama.cpp, and the programs that make an installer of a kind that is not made (Squirrel).
    ...['better-sqlite3/deps', 'node-llama-cpp/llama/gitRelease.bundle', 'electron-winstaller/vendor']
      .map((path) => join(modules, path))
      .filter((path) => existsSync(path)),
    // Maps from a package's code to that of its authors.
    ...(existsSync(modules) ? filesBelow(modules, '.map') : []),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
  for (const path of unusedPaths(modules, process)) rmSync(path, { recursive: true, force: true })
}
