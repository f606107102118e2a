import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin, Rolldown } from 'vite'
import { BUNDLE_FOLDER, sourceStamp, STAMP_FILE } from '../bin/current-bundle.ts'

// The program as a few files instead of fourteen hundred. Most processes of the tests live for a second and used half of it to find and load
// their modules. `npm test` makes the bundle once; the helpers that start processes take them from it (tests/helpers/program.ts). Only where a
// module is loaded from differs: threads and children are found in the bundle, every other file where the sources are.

/** The folder of the bundle, where there is one. */
export const BUNDLE_VARIABLE = 'RAG_LADDER_TEST_PROGRAM'

/** Lists what is started by its path, and the command line as a function, which tests call. */
export const ENTRIES = [
  'bin/rag-ladder.mjs',
  'main/cli.ts',
  'main/cli/main.ts',
  'main/engine/index.ts',
  'main/engine/experiment-thread.ts',
  'main/run-index/threads/parse-thread.ts',
  'main/run-index/threads/reader-thread.ts',
  'main/run-index/threads/writer-thread.ts',
  'main/statistics/thread/statistics-worker.ts',
  'providers/converter-adapter/main.ts',
  'providers/converter/main.ts',
  'providers/converter/formats/doc-text-worker.ts',
  'providers/converter/work/worker.ts',
  'providers/kit/audio/decode-worker.ts',
  'providers/platform/specified/compatibility/assets/asset-child.ts',
  'providers/platform/composition/model-probes/test-models.ts',
  'providers/platform/index.ts',
  'providers/platform/models/fetch-file.ts',
  'providers/platform/models/gguf/gguf-child.ts',
  'providers/platform/models/onnx/onnx-child.ts',
  'providers/stt/backends/engines/engine-child.ts',
  'providers/stt/main.ts',
  'providers/tts/engines/chatterbox/chatterbox-worker.ts',
  'providers/tts/engines/flite/flite-worker.ts',
  'providers/tts/engines/kokoro/kokoro-worker.ts',
  'providers/tts/main.ts',
]

/** Packages of JavaScript alone that nearly every process loads; the others are found where they are installed. */
const BUNDLED = [
  /^(?:zod|yaml|undici|jose|fastify|avvio|find-my-way|semver|ret|safe-regex2|fast-querystring|radash)$/,
  /^(?:@orpc\/|graphology)/,
]

/** A module names an entry by its own address, and moduleEntry gives it the same ending. */
export const ENTRY_CALL = /(\bmodule(?:Entry|File)\((['"`])([^'"`]+)\2, )import\.meta\.url\)/g

/** Gives each module the address that its source has, and the entries that it starts their address in the bundle. */
function keepAddresses(root: string, folder: string): Plugin {
  return {
    name: 'keep-addresses',
    transform(code, id) {
      if (!id.startsWith(root) || id.includes('/node_modules/') || !code.includes('import.meta')) return null
      const bundled = join(folder, `${id.slice(root.length, -extname(id).length)}.js`)
      return code
        .replaceAll(ENTRY_CALL, `$1'${pathToFileURL(bundled).href}')`)
        .replaceAll('import.meta.url', `'${pathToFileURL(id).href}'`)
        .replaceAll('import.meta.dirname', `'${dirname(id)}'`)
    },
  }
}

const BUILTIN_IMPORT = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{ ((?!default )[^}]+) \})? from "(node:[\w/]+)";$/gm

/** Packages check each body for being a form, which the name of its class shows as well. */
const IS_FORM = /\b(\w+) instanceof FormData\b/g

/**
 * Takes Node's own modules without an import of them: an import reads every export of a module, and some load more modules when they are read.
 * `node:http` loads the HTTP client inside Node for its WebSocket, 45 ms of processor time in each service; all others together 14 ms. `FormData`
 * loads it too.
 */
const withoutLazyExports: Plugin = {
  name: 'without-lazy-exports',
  renderChunk: (code) =>
    code
      .replaceAll(IS_FORM, `Object.prototype.toString.call($1) === '[object FormData]'`)
      .replaceAll(BUILTIN_IMPORT, (_, name: string | undefined, names: string | undefined, module: string) =>
        [name, names && `{ ${names.replaceAll(' as ', ': ')} }`]
          .filter((taken) => taken !== undefined)
          .map((taken) => `const ${taken} = globalThis.process.getBuiltinModule("${module}");`)
          .join(' '),
      ),
}

const commands = (...names: string[]): string[] => names.map((name) => `main/cli/commands/${name}.ts`)

/**
 * Modules that a process imports as soon as it has started, by process: the engine, the platform until its settings are checked, the platform, help,
 * every command; then commands that load about as much as each other, so that a small one does not read what a run needs.
 */
const STARTS = [
  ['main/engine/create-engine.ts', 'main/engine/engine-config.ts', 'main/engine/engine-launchers.ts'],
  ['providers/platform/composition/config.ts'],
  ['providers/platform/composition/platform.ts'],
  ['providers/platform/models/load-builtin.ts'],
  ['main/cli/progress/render-line.ts', 'main/lib/text/terminal-text.ts'],
  ['main/cli/command.ts', 'main/lib/trust/model-keys.ts', 'main/manifests/project/project-env.ts'],
  commands('metrics', 'trust'),
  commands('approaches', 'flavors', 'import-results', 'init', 'mcp', 'trash'),
  commands('bundle', 'export', 'gate', 'recover', 'report', 'serve', 'trace', 'verify'),
  commands('doctor', 'models', 'submit'),
  commands('ask', 'platform'),
  commands('plan', 'tune'),
  commands('dataset', 'publish', 'summarize', 'worker'),
  commands('evaluate', 'judge', 'ladder', 'matrix'),
]

/**
 * Puts modules that the same processes load at their start into one file, because each file takes half a millisecond to find, read and link. The
 * bundler's own split, by every dynamic import, lets the engine load 227 files instead of 116.
 */
function filesByProcess(root: string): Rolldown.CodeSplittingNameFunction {
  const processes = new Map<string, Set<number>>()
  const addClosure = (id: string, process: number, context: Rolldown.ChunkingContext): void => {
    const seen = processes.get(id) ?? new Set()
    if (seen.has(process)) return
    processes.set(id, seen.add(process))
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) addClosure(imported, process, context)
  }
  return (id, context) => {
    if (processes.size === 0)
      for (const [process, files] of [...STARTS, ...ENTRIES.map((entry) => [entry])].entries())
        for (const file of files) addClosure(join(root, file), process, context)
    const loaded = processes.get(id)
    return loaded === undefined || context.getModuleInfo(id)?.isEntry ? null : `start-${[...loaded].join('-')}`
  }
}

/** Bundles the command line, the engine, the platform and the services of `root` into `folder`, below the paths of their sources. */
export async function bundleProgram(root: string, folder: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    plugins: [keepAddresses(root, folder), withoutLazyExports],
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((file) => [file.slice(0, -extname(file).length), join(root, file)])),
        output: {
          codeSplitting: { groups: [{ name: filesByProcess(root), includeDependenciesRecursively: false }] },
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  })
}

/** Bundles the program for its users: `bin/rag-ladder.mjs` starts the bundle as long as the sources are those that it was made of. */
export async function bundleForUsers(root: string): Promise<void> {
  const folder = join(root, BUNDLE_FOLDER)
  rmSync(folder, { recursive: true, force: true })
  const stamp = sourceStamp(root)
  await bundleProgram(root, folder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, STAMP_FILE), stamp)
}

if (import.meta.main) {
  // Without its bundle the program starts from its sources: no reason to fail an installation.
  await bundleForUsers(fileURLToPath(new URL('..', import.meta.url))).catch((error: unknown) =>
    console.warn(`the program is not bundled and starts from its sources: ${String(error)}`),
  )
}
