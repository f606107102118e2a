import { builtinModules } from 'node:module'
import type { PackageFile } from '../package/strip-types.ts'

// The package declares this to npm. A dependent installs it without the overrides of the checkout's package.json, which npm reads in the root of an
// installation alone, so three dependencies are handed over in another form:
//   node-llama-cpp         names builds for graphics processors (600 MB) as optional packages: it is inside the package, without that list; the builds for
//                          processors are named here instead.
//   @huggingface/transformers  needs onnxruntime-web, which a browser alone runs: it is inside the package, without it.
//   onnxruntime-node       fetches CUDA when it is installed on Linux x64, and fails without that server: it is optional, so that npm goes on without it.

/** A package that is inside ours, and the files of it that are needed. */
export interface InsidePackage {
  name: string
  keeps: (path: string) => boolean
}

export const INSIDE: readonly InsidePackage[] = [
  {
    name: 'node-llama-cpp',
    keeps: (path) => !/\.(?:d\.ts|map)$|^(?:node_modules|templates|bins|llama\/(?!.*\.json$))/.test(path),
  },
  {
    name: '@huggingface/transformers',
    keeps: (path) => /^(?:package\.json|LICENSE|dist\/transformers\.node\.mjs)$/.test(path),
  },
]

/** Optional: npm installs what fits the machine, and goes on where one cannot be installed. */
const OPTIONAL = ['onnxruntime-node']

/** A browser needs the second; the first is optional. */
export const LEFT_OUT = /^onnxruntime-(?:node|web)$/

/** The builds of llama.cpp for processors; on a Mac the same build runs on its graphics processor. */
const LLAMA_BUILDS = ['linux-arm64', 'linux-x64', 'mac-arm64-metal', 'mac-x64', 'win-arm64', 'win-x64']

const builtin = new Set(builtinModules)

/** Names of packages that modules import or require, `node:` modules and files left out. */
export function importedPackages(sources: Iterable<string>): Set<string> {
  const found = new Set<string>()
  const naming =
    /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(|\.resolve\(|\)\()(['"])((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?\1/g
  for (const source of sources)
    for (const [, , name] of source.matchAll(naming)) if (!builtin.has(name!)) found.add(name!)
  return found
}

interface Source {
  /** Of the checkout. */
  packageFile: PackageFile
  /** The packages inside, and what they need in the versions that are installed here. */
  inside: readonly { name: string; needs: Readonly<Record<string, string>> }[]
  imported: ReadonlySet<string>
}

/**
 * The `package.json` of the npm package: every dependency of the checkout that a module of the package imports, and what the packages inside need, which npm
 * does not install by itself. Throws where two of them need one package in different versions.
 */
export function npmManifest({ packageFile, inside, imported }: Source): Record<string, unknown> {
  const { name, version, dependencies, revision } = packageFile
  const insideNames = inside.map((one) => one.name)
  const builds = LLAMA_BUILDS.map((build) => [`@node-llama-cpp/${build}`, dependencies['node-llama-cpp']!] as const)
  const own = Object.entries(dependencies).filter(([one]) => imported.has(one) && !OPTIONAL.includes(one))
  return {
    name,
    version,
    description: 'A lab that shows which retrieval-augmented generation approach fits your data',
    license: 'MIT',
    type: 'module',
    bin: { 'rag-ladder': 'bin/rag-ladder.mjs' },
    engines: { node: '>=22.18' },
    dependencies: {
      ...neededInside(inside, dependencies),
      ...Object.fromEntries(own),
      // transformers imports its types without naming it.
      'onnxruntime-common': dependencies['onnxruntime-node']!,
    },
    optionalDependencies: {
      ...Object.fromEntries(OPTIONAL.map((one) => [one, dependencies[one]!])),
      ...Object.fromEntries(builds),
    },
    bundleDependencies: insideNames,
    ...(revision === undefined ? {} : { revision }),
  }
}

function neededInside(inside: Source['inside'], own: Readonly<Record<string, string>>): Record<string, string> {
  const needed: Record<string, string> = {}
  for (const { name, needs } of inside)
    for (const [one, version] of Object.entries(needs)) {
      const other = own[one] ?? needed[one] ?? version
      if (other !== version) throw new Error(`${name} needs ${one} ${version}, another part of the package ${other}`)
      needed[one] = version
    }
  return needed
}

/** A package that is inside, without scripts and without dependencies: those are ours. */
export function insideManifest(packageFile: Record<string, unknown>): Record<string, unknown> {
  const dropped = ['scripts', 'dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  return Object.fromEntries(Object.entries(packageFile).filter(([key]) => !dropped.includes(key)))
}
