import { realpathSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const engine = process.env.RAG_LADDER_ENGINE_URL ?? 'http://127.0.0.1:4810'
const port = Number(process.env.RAG_LADDER_PAGES_PORT ?? 5173)

export default defineConfig({
  root: 'renderer',
  // The same files are served by the desktop app's own scheme and by the engine, so no address is absolute.
  base: './',
  plugins: [react()],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    // A data: address would need an exception in the content-security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'chrome130',
    // Nearly every route needs these modules: in fifty files of their own they cost the first page a fifth of its processor time.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 4 }] } } },
  },
  server: {
    host: '127.0.0.1',
    port,
    // The pages have an address of the desktop app's own there, from which that of the server cannot be guessed.
    ws: { host: '127.0.0.1', clientPort: port },
    strictPort: true,
    // What pages are made of and nothing else: the checkout holds secrets, recordings and evidence. Packages may be linked from another checkout.
    fs: {
      allow: ['../renderer', '../contract', '../docs', '../node_modules', realpathSync('node_modules')],
      deny: ['.env', '.env.*', '*.{crt,pem,key}', '**/.git/**', '**/.rag-ladder/**'],
    },
    cors: false,
    proxy: {
      // A one-time link on this server's address gives the page its key here.
      '/open': { target: engine, changeOrigin: true },
      '/control': {
        target: engine,
        changeOrigin: true,
        headers: { origin: engine },
        // The engine would take a foreign page for its own by the origin that is written here.
        bypass: (request: IncomingMessage, response: ServerResponse | undefined) => {
          const { origin } = request.headers
          if (origin === undefined || origin === `http://127.0.0.1:${port}` || origin === `http://localhost:${port}`)
            return
          response?.writeHead(403).end('This development server answers its own pages only')
          return false
        },
      },
    },
  },
})
