import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import { mergeConfig } from 'vite'
import pages from './renderer.vite.config.ts'

// The oldest Electron that the shell runs in has Node 20; what it is made of is bundled, so that it needs no packages beside it.
const shell = { target: 'node20', minify: true, externalizeDeps: false, emptyOutDir: true } as const

/** Saving a file may be several events: built at each, the app would be restarted while it starts. */
const WATCH = { buildDelay: 300 }

export default defineConfig(({ command }) => {
  const watched = command === 'serve' ? { watch: WATCH } : {}
  return {
    main: {
      build: {
        ...shell,
        ...watched,
        outDir: 'out/main',
        rolldownOptions: {
          input: { index: 'main/index.ts', 'utility-child': 'main/shell/utility-child.ts' },
          output: { format: 'es', entryFileNames: '[name].js' },
        },
      },
    },
    preload: {
      build: {
        ...shell,
        ...watched,
        outDir: 'out/preload',
        rolldownOptions: {
          input: { index: 'preload/index.ts' },
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
    renderer: mergeConfig(pages, {
      build: { outDir: 'out/renderer', minify: true, rolldownOptions: { input: resolve('renderer/index.html') } },
    }),
  }
})
