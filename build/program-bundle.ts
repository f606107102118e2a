import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

// The program as a few files instead of fourteen hundred. Most processes of the tests live for a second and used half of it to find and load
// their modules. `npm test` makes the bundle once; the helpers that start processes take them from it (tests/helpers/program.ts). Only where a
// module is loaded from differs: threads and children are found in the bundle, every other file where the sources are.

/** The folder of the bundle, where there is one. */
export const BUNDLE_VARIABLE = 'RAG_LADDER_TEST_PROGRAM'

/** What is started by its path. */
export const ENTRIES = [
  'bin/rag-ladder.mjs',
  'main/engine/index.ts',
  'main/engine/experiment-thread.ts',
  'main/run-index/parse-thread.ts',
  'main/run-index/reader-thread.ts',
  'main/run-index/writer-thread.ts',
  'main/statistics/statistics-worker.ts',
  'providers/converter-adapter/main.ts',
  'providers/converter/main.ts',
  'providers/converter/formats/doc-text-worker.ts',
  'providers/converter/work/worker.ts',
  'providers/kit/audio/decode-worker.ts',
  'providers/platform/compatibility/assets/asset-child.ts',
  'providers/platform/index.ts',
  'providers/platform/models/fetch-file.ts',
  'providers/platform/models/gguf-child.ts',
  'providers/platform/models/test-gguf.ts',
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

/** Bundles the command line, the engine, the platform and the services of `root` into `folder`, below the paths of their sources. */
export async function bundleProgram(root: string, folder: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    plugins: [keepAddresses(root, folder)],
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((file) => [file.slice(0, -extname(file).length), join(root, file)])),
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  })
}
