import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { findRevision } from '../../main/manifests/project/program-revision.ts'

/** Folders that the engine and its services run from. */
const AREAS = ['contract', 'core', 'charts', 'main', 'providers']
const NO_PROGRAM = /\.test\.ts$|\.snap$|tsconfig\.json$/
/** Electron’s part is bundled; the command line has no place in the app. */
const NOT_IN_APP = /^main\/(?:index\.ts|cli\.ts|shell\/)/
/** Needs Electron. */
const NOT_IN_COMMAND_LINE = /^main\/(?:index\.ts|shell\/)/

export interface PackageFile {
  name: string
  version: string
  dependencies: Record<string, string>
  revision?: string
}

/** A module without its types, and with its neighbours called by the names that they have then. Lines stay where they were. */
export function asJavaScript(source: string): string {
  return stripTypeScriptTypes(source, { mode: 'strip' }).replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1')
}

/** Writes the program of the desktop app, or of the command line, without types to a folder. Gives the number of modules. */
export async function writeJavaScript(root: string, folder: string, host: 'app' | 'command line'): Promise<number> {
  const leftOut = host === 'app' ? NOT_IN_APP : NOT_IN_COMMAND_LINE
  await rm(folder, { recursive: true, force: true })
  let modules = 0
  for (const area of AREAS)
    for (const entry of await readdir(join(root, area), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const name = file.slice(root.length + 1).replaceAll('\\', '/')
      if (NO_PROGRAM.test(name) || leftOut.test(name)) continue
      const target = join(folder, name)
      await mkdir(dirname(target), { recursive: true })
      if (!name.endsWith('.ts')) {
        await cp(file, target)
        continue
      }
      await writeFile(target.replace(/\.ts$/, '.js'), asJavaScript(await readFile(file, 'utf8')))
      modules += 1
    }
  return modules
}

/** The declaration of the program with the commit that it is built from: rows of projects outside git record it. */
export async function builtPackageFile(root: string): Promise<PackageFile> {
  const packageFile = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as PackageFile
  const revision = await findRevision(root, process.env)
  return { ...packageFile, ...(revision === null ? {} : { revision }) }
}
