import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { findRevision } from '../../main/manifests/project/program-revision.ts'

/** Folders that the engine and its services run from. */
const AREAS = ['contract', 'core', 'charts', 'main', 'providers']
/** Electron’s part is bundled; the command line has no place in the app. */
const LEFT_OUT = /\.test\.ts$|^main\/(?:index\.ts|cli\.ts|shell\/)|\.snap$|tsconfig\.json$/

/** A module without its types, and with its neighbours called by the names that they have then. Lines stay where they were. */
export function asJavaScript(source: string): string {
  return stripTypeScriptTypes(source, { mode: 'strip' }).replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, '$1$2.js$1')
}

/** Writes the program without types to a folder: an app's own Node need not know TypeScript. Gives the number of modules. */
export async function writeJavaScript(root: string, folder: string): Promise<number> {
  await rm(folder, { recursive: true, force: true })
  let modules = 0
  for (const area of AREAS)
    for (const entry of await readdir(join(root, area), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const name = file.slice(root.length + 1).replaceAll('\\', '/')
      if (LEFT_OUT.test(name)) continue
      const target = join(folder, name)
      await mkdir(dirname(target), { recursive: true })
      if (!name.endsWith('.ts')) {
        await cp(file, target)
        continue
      }
      await writeFile(target.replace(/\.ts$/, '.js'), asJavaScript(await readFile(file, 'utf8')))
      modules += 1
    }
  const packageFile = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as object
  // Rows of projects outside git record which commit made them.
  const revision = await findRevision(root, process.env)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...packageFile, ...(revision && { revision }) }))
  return modules
}
