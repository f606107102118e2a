import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { missingFolder } from '../main/manifests/project/project-folder.ts'
import { missingLibraries } from './e2e/electron-runtime.ts'
import { electronProgram } from './electron-program.ts'
import { answerHelp } from './answer-help.ts'
import { arePagesStale, buildPages } from './build-pages.ts'

const print = (text: string): void => void process.stderr.write(`${text}\n`)

const hasDisplay = (): boolean =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])

/** Why no window can be opened here; null when one can. */
async function obstacle(program: string | null): Promise<string | null> {
  if (program === null) return 'without its binary'
  const libraries = await missingLibraries(program)
  return libraries.length === 0 ? null : `without the libraries ${libraries.join(', ')}`
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

const serve = (args: string[]): Promise<number> =>
  run(process.execPath, ['bin/rag-ladder.mjs', 'serve', ...args], process.env)

/** A project that is named and is not there: reported before anything is fetched or built. */
function missingProject(args: string[]): string | null {
  const { values } = parseArgs({ args, options: { project: { type: 'string' } }, strict: false })
  const named = typeof values.project === 'string' ? values.project : process.env['RAG_LADDER_PROJECT']
  return named === undefined || named === '' ? null : missingFolder(resolve(named))
}

async function start(args: string[]): Promise<number> {
  const missing = missingProject(args)
  if (missing !== null) {
    print(`error: ${missing}`)
    return 2
  }
  if (arePagesStale()) {
    print('pages and shell are built')
    const build = await buildPages()
    if (!build.ok) {
      print(build.output)
      return 1
    }
  }
  if (!hasDisplay()) {
    print('there is no display for a window: the panel is served to a browser instead')
    return serve(args)
  }
  const program = await electronProgram(print)
  const problem = await obstacle(program)
  if (program === null || problem !== null) {
    print(`the desktop app cannot start ${problem ?? ''}: the panel is served to a browser instead`)
    return serve(args)
  }
  // Root has no sandbox to offer.
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // The children run in the Node that the project installs, whatever Electron has inside.
  return run(program, [...flags, '.', ...args], { RAG_LADDER_ENGINE_NODE: process.execPath, ...process.env })
}

answerHelp(
  'npm start -- [--project FOLDER]: opens the desktop app, or serves the panel to a browser where it cannot start',
)
process.exitCode = await start(process.argv.slice(2))
