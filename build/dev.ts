import { spawn } from 'node:child_process'
import { portOrAny } from '../main/supervisor/free-port.ts'
import { electronProgram } from './electron-program.ts'
import { answerHelp } from './answer-help.ts'

answerHelp('npm run dev: opens the desktop app, which shows changes of its pages at once')

// Pages are changed in the open window; an edit of the shell restarts it. The engine is started again from its menu.
const program = await electronProgram((text) => process.stderr.write(`${text}\n`))
if (program === null) {
  console.error('npm run dev needs Electron; without it, see "npm run dev:pages"')
  process.exit(1)
}
// Root has no sandbox to offer.
const flags = process.getuid?.() === 0 ? ['--noSandbox'] : []
const port = (await portOrAny(5173)) || (await portOrAny(0))
const tool = 'node_modules/electron-vite/bin/electron-vite.js'
const child = spawn(process.execPath, [tool, 'dev', '--watch', ...flags, '--', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: {
    RAG_LADDER_ENGINE_NODE: process.execPath,
    ...process.env,
    ELECTRON_EXEC_PATH: program,
    RAG_LADDER_PAGES_PORT: String(port),
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('close', (code) => process.exit(code ?? 1))
