import { spawn } from 'node:child_process'
import { officialElectron, programIn } from './e2e/electron-runtime.ts'

// Pages are rebuilt in the open window; an edit of the shell starts it anew. The engine is started again from its menu.
const named = process.env['ELECTRON_OVERRIDE_DIST_PATH']
const program = named === undefined || named === '' ? officialElectron() : programIn(named)
if (program === null) {
  console.error('npm run dev needs Electron: "npx install-electron" fetches it; without it, see "npm run dev:pages"')
  process.exit(1)
}
const flags = process.getuid?.() === 0 ? ['--noSandbox'] : []
const child = spawn('electron-vite', ['dev', '--watch', ...flags, '--', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { RAG_LADDER_ENGINE_NODE: process.execPath, ...process.env, ELECTRON_EXEC_PATH: program },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('close', (code) => process.exit(code ?? 1))
