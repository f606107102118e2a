import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { screenWrapper } from '../../build/e2e/hosts.ts'
import { packageConfig } from '../../build/package/package-config.ts'
import { versionOf } from '../../build/e2e/electron-runtime.ts'
import { attachWindow } from '../helpers/attach-window.ts'
import { hangingOffice } from './hanging-office.ts'
import { checkServices, DEADLINE_SECONDS } from './services.ts'
import { readFuses, type FuseName } from './fuse-wire.ts'
import { installedProgram, resourcesOf } from './installed-program.ts'
import { foreignTo, nativeFiles } from '../../build/package/native-files.ts'
import { answerHelp } from '../../build/answer-help.ts'

answerHelp(
  'npm run test:packaged -- [--deb|--appimage]: starts the packaged app in dist/ and checks it; --deb and --appimage install that package in a temporary folder first',
)

/** First Electron whose own Node the engine's native parts load in. */
const NEW_ENOUGH = 39
/** Of the services: any that is free. */
const PORTS = ['DOCCONV_PORT', 'STT_PORT', 'TTSVOICE_LOCALHOST_PORT']

/** Checks that what the package is built with is in the built program. */
async function checkFuses(program: string): Promise<void> {
  const { electronFuses } = packageConfig({ electronDist: undefined, platform: process.platform, arch: process.arch })
  const fuses = await readFuses(program)
  for (const [name, wanted] of Object.entries(electronFuses!))
    assert.equal(fuses[name as FuseName], wanted, `the fuse ${name} of ${program}`)
  console.log(`● its ${Object.keys(electronFuses!).length} fuses are set`)
}

/** The app loads nothing that is for another system or processor. */
async function checkNativeFiles(program: string): Promise<void> {
  const files = await nativeFiles(resourcesOf(program))
  assert(files.length > 0, 'the app has no native file')
  assert.deepEqual(foreignTo(files, process), [])
  console.log(`● its ${files.length} native files are for ${process.platform} ${process.arch}`)
}

// The packaged app as it is, fuses included: no inspector can be attached to its main process, so only its page is driven.
async function smoke(): Promise<void> {
  const wrapper = await screenWrapper()
  assert(wrapper !== null, 'there is no screen: install xvfb and xauth, or set DISPLAY')
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-packaged-'))
  // An empty folder becomes a project; one that is missing is refused.
  await mkdir(join(folder, 'project'))
  const program = await installedProgram(join(folder, 'installed'))
  console.log(`● ${program}`)
  await checkFuses(program)
  await checkNativeFiles(program)
  const isOld = Number(versionOf(program)?.split('.')[0] ?? NEW_ENOUGH) < NEW_ENOUGH
  if (isOld) console.log('this Electron is older than the engine needs: engine and platform run in this Node')
  const office = await hangingOffice(folder)
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const [command, ...args] = [
    ...wrapper,
    program,
    ...flags,
    `--user-data-dir=${folder}/data`,
    '--remote-debugging-port=0',
    '--project',
    join(folder, 'project'),
  ]
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: {
      ...process.env,
      ...(isOld ? { RAG_LADDER_ENGINE_NODE: process.execPath } : {}),
      LIBREOFFICE_PATH: office.program,
      DOCCONV_INFERENCE_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
      ...Object.fromEntries(PORTS.map((name) => [name, '0'])),
    },
  })
  const ended = once(child, 'exit')
  try {
    const address = await new Promise<string>((found, failed) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        const url = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
        if (url !== undefined) found(url)
      })
      void ended.then(() => failed(new Error('the app ended before its page was there')))
    })
    const page = await attachWindow(address)
    await page.getByRole('button', { name: 'Skip the tour' }).last().click({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Run the example' }).click({ timeout: 60_000 })
    // A first run that is complete lands in its verdict.
    await page.getByRole('article', { name: 'Smoke' }).waitFor({ timeout: 120_000 })
    const { json } = await page.evaluate<{
      json: { state: string; failures: unknown[] }[]
    }>(`fetch('/control/runs/jobs', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
    }).then((answer) => answer.json())`)
    assert.deepEqual(
      json.map(({ state, failures }) => ({ state, failures })),
      [{ state: 'completed', failures: [] }],
    )
    assert.equal(new URL(page.url()).protocol, 'app:')
    assert(existsSync(join(folder, 'project/results')), 'the new project has no results')
    console.log('● the packaged app made a project, started its engine and ran the smoke ladder to its verdict')
    // undici needs the Node of a newer Electron.
    if (isOld)
      console.log('○ the services were not checked: they run in the Node of this Electron, which is too old for them')
    else await checkServices(page, office)
    await page.context().browser()?.close()
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await smoke()
