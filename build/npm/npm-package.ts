import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NOTICES_FILE, writeNotices } from '../licences/licences.ts'
import { answerHelp } from '../answer-help.ts'
import { buildPages } from '../build-pages.ts'
import { builtPackageFile, writeJavaScript } from '../package/strip-types.ts'
import {
  importedPackages,
  INSIDE,
  insideManifest,
  LEFT_OUT,
  npmManifest,
  type InsidePackage,
} from './package-manifest.ts'

// Makes the npm package: the program as JavaScript in the folders of its sources, because Node strips no types below node_modules, with the built pages, the
// built-in datasets and their documents.

const root = process.cwd()
const OUTPUT = join(root, 'dist/npm')
/** The folder that npm packs. */
const FOLDER = join(OUTPUT, 'package')
const DATA = ['manifests', 'corpus', 'LICENSE', 'README.md', 'CHANGELOG.md', NOTICES_FILE]
const PAGES = 'out/renderer'

/** Files below a folder, as paths below it. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

type Installed = Record<string, unknown> & { name: string; version: string; dependencies?: Record<string, string> }

const installed = async (name: string): Promise<Installed> =>
  JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Installed

/** The versions of what a package needs as Node finds them from it. */
async function needsOf({ name, dependencies = {} }: Installed): Promise<Record<string, string>> {
  const names = Object.keys(dependencies).filter((one) => !LEFT_OUT.test(one))
  const found = names.map(async (one) => {
    const { version } = await installed(`${name}/node_modules/${one}`).catch(() => installed(one))
    return [one, version] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

async function putInside(inside: InsidePackage): Promise<{ name: string; needs: Record<string, string> }> {
  const [from, to] = [join(root, 'node_modules', inside.name), join(FOLDER, 'node_modules', inside.name)]
  for (const file of (await filesOf(from)).filter((path) => inside.keeps(path.replaceAll('\\', '/')))) {
    await mkdir(dirname(join(to, file)), { recursive: true })
    await cp(join(from, file), join(to, file))
  }
  const packageFile = await installed(inside.name)
  await writeFile(join(to, 'package.json'), JSON.stringify(insideManifest(packageFile), null, 2))
  return { name: inside.name, needs: await needsOf(packageFile) }
}

/** Makes the package and returns its file. Throws where the pages cannot be built. */
async function makeNpmPackage(): Promise<string> {
  await rm(OUTPUT, { recursive: true, force: true })
  const pages = await buildPages()
  if (!pages.ok) throw new Error(pages.output)
  const modules = await writeJavaScript(root, FOLDER, 'command line')
  console.log(`${modules} modules without types`)
  await writeNotices()
  for (const part of DATA) await cp(join(root, part), join(FOLDER, part), { recursive: true })
  await cp(join(root, PAGES), join(FOLDER, PAGES), { recursive: true, filter: (path) => !path.endsWith('.map') })
  await cp(join(root, 'bin/npm-rag-ladder.mjs'), join(FOLDER, 'bin/rag-ladder.mjs'))
  const inside = await Promise.all(INSIDE.map(putInside))
  const sources = (await filesOf(FOLDER)).filter(
    (file) => file.endsWith('.js') && !/^(?:node_modules|out)\b/.test(file),
  )
  const texts = await Promise.all(sources.map((file) => readFile(join(FOLDER, file), 'utf8')))
  const manifest = npmManifest({
    packageFile: await builtPackageFile(root),
    inside,
    imported: importedPackages(texts),
  })
  await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const args = ['pack', '--pack-destination', OUTPUT, '--silent']
  const options = { cwd: FOLDER, encoding: 'utf8', shell: process.platform === 'win32' } as const
  return join(OUTPUT, execFileSync('npm', args, options).trim().split('\n').at(-1)!)
}

answerHelp('npm run package:npm: makes the npm package in dist/npm')

const file = await makeNpmPackage()
const unpacked = (await Promise.all((await filesOf(FOLDER)).map((name) => stat(join(FOLDER, name))))).reduce(
  (sum, { size }) => sum + size,
  0,
)
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
console.log(`${file}: ${megabytes((await stat(file)).size)} MB, unpacked ${megabytes(unpacked)} MB`)
