// Runs after `npm install` and `npm ci`: removes what three packages bring for other machines and what only compilers read, some 300 MB. npm
// chooses optional packages by system, but these have all systems in one package or leave out the field that npm chooses by.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a folder holds, as paths; nothing where there is no such folder. */
const inside = (folder: string): string[] =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(folder).map((name) => join(folder, name))
    : []

/** Folders of a `node_modules` that no program on a machine of this kind opens. */
export function unusedFolders(modules: string, { platform, arch }: { platform: string; arch: string }): string[] {
  // bin/<version of Node's interface>/<system>/<processor>
  const systems = inside(join(modules, 'onnxruntime-node/bin')).flatMap(inside)
  const own = systems.filter((path) => basename(path) === platform)
  return [
    ...systems.filter((path) => !own.includes(path)),
    ...own.flatMap(inside).filter((path) => basename(path) !== arch),
    // `linux-x64` runs on x64, `linux-arm64` and `linux-riscv64` do not.
    ...inside(join(modules, '@node-llama-cpp')).filter((path) => !basename(path).split('-').includes(arch)),
    // Headers, for add-ons that are compiled at installation: none of ours is.
    ...inside(join(modules, 'node/node_modules'))
      .map((path) => join(path, 'include'))
      .filter((path) => existsSync(path)),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
  for (const folder of unusedFolders(modules, process)) rmSync(folder, { recursive: true, force: true })
}
