import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { answerHelp } from '../../build/answer-help.ts'
import { findChromium } from '../../build/e2e/find-program.ts'
import packageFile from '../../package.json' with { type: 'json' }

answerHelp('npm run test:packed: installs the npm package of dist/npm in an empty folder and uses it as a person does')

/** npm takes more than an hour over a registry that hangs. */
const INSTALL_MS = 600_000
/** Most for the file that is downloaded, without what it depends on. */
const MOST_MB = 60

const figures: [name: string, value: string][] = []

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work()
  figures.push([name, `${((performance.now() - started) / 1000).toFixed(1)} s`])
  return result
}

/** Bytes of all files below a folder; links count nothing. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((entry) => lstat(join(entry.parentPath, entry.name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

const env = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|RAG_LADDER_)/i.test(name))),
  RAG_LADDER_USER_DIR: join(folder, 'person'),
})

async function npx(folder: string, args: string[], cwd = folder): Promise<string> {
  const options = { cwd, env: env(folder), shell: process.platform === 'win32', maxBuffer: 64 << 20 }
  return (await promisify(execFile)('npx', ['--no-install', 'rag-ladder', ...args], options)).stdout
}

function newestPackage(): string {
  const files = globSync('dist/npm/*.tgz')
  assert(files.length === 1, `dist/npm holds ${files.length} packages, expected one: npm run package:npm makes it`)
  return resolve(files[0]!)
}

async function install(folder: string, file: string): Promise<void> {
  const args = ['install', file, '--no-audit', '--no-fund', '--loglevel', 'error']
  const options = { cwd: folder, env: env(folder), shell: process.platform === 'win32', timeout: INSTALL_MS }
  await promisify(execFile)('npm', args, options)
}

/** Every cell of a run was answered and stored. */
async function checkRun(project: string, run: string, dataset: string, cells: number): Promise<void> {
  const text = await readFile(join(project, `results/${run}-${dataset}-evidence.jsonl`), 'utf8')
  const rows = text.trimEnd().split('\n')
  assert.equal(rows.length, cells, `${run} has ${rows.length} rows`)
  for (const row of rows) assert.equal((JSON.parse(row) as { error: unknown }).error ?? null, null)
}

const PLAIN_RUN = ['--no-cold-reset', '--no-publish']

/** A document of the converter and a question about it, from files to a run. */
async function ownData(folder: string, project: string): Promise<void> {
  await writeFile(
    join(folder, 'questions.csv'),
    'question,answer\nWhat does the report describe?,the year of the port\n',
  )
  await npx(folder, ['dataset', 'new', 'papers'], project)
  await npx(folder, ['dataset', 'add', 'papers', resolve('corpus/mixed_formats/annual-report.pdf')], project)
  await npx(folder, ['dataset', 'questions', 'papers', join(folder, 'questions.csv')], project)
  const models = ['--models', 'hybrid-rag', '--baselines', 'bm25']
  await npx(folder, ['ladder', ...PLAIN_RUN, '--dataset', 'papers', '--run-id', 'papers', ...models], project)
  await checkRun(project, 'papers', 'papers', 2)
}

/** The panel in a browser, where there is one, shows the finished run. */
async function panel(folder: string, project: string): Promise<void> {
  const program = join(folder, 'node_modules/rag-ladder/bin/rag-ladder.mjs')
  const child = spawn(process.execPath, [program, 'serve', '--no-open', '--port', '0'], {
    cwd: project,
    env: env(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const link = await new Promise<string>((found, failed) => {
      createInterface({ input: child.stdout }).on('line', found)
      void ended.then(() => failed(new Error('the panel ended before it printed its link')))
    })
    const executablePath = findChromium('quick')
    if (executablePath === null) {
      console.log('○ no browser: the panel is asked without one')
      assert.match(await (await fetch(link)).text(), /RAG Ladder/)
      return
    }
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    const page = await browser.newPage()
    await page.goto(link)
    await page.goto(new URL('/#/runs/smoke-run/matrix', link).href)
    await page.locator('[role=gridcell][data-state=ok]').first().waitFor({ timeout: 60_000 })
    await browser.close()
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function packed(): Promise<void> {
  const file = newestPackage()
  const size = (await stat(file)).size / 1e6
  figures.push(['package', `${size.toFixed(1)} MB`])
  assert(size <= MOST_MB, `the package is larger than ${MOST_MB} MB`)
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-packed-'))
  try {
    await timed('npm install', () => install(folder, file))
    figures.push(['node_modules', `${((await sizeOf(join(folder, 'node_modules'))) / 1e6).toFixed(0)} MB`])
    const version = await npx(folder, ['--version'])
    assert.equal(version, `rag-ladder ${packageFile.version}\n`)
    assert.match(await timed('npx rag-ladder help', () => npx(folder, ['help'])), /^ {2}ladder /m)
    const project = join(folder, 'any folder')
    await mkdir(project)
    await assert.rejects(npx(folder, ['plan'], project), /rag-ladder init/)
    await npx(folder, ['init'], project)
    const run = ['ladder', ...PLAIN_RUN, '--dataset', 'smoke', '--run-id', 'smoke-run']
    await timed('smoke ladder', () => npx(folder, run, project))
    await checkRun(project, 'smoke-run', 'smoke', 28)
    await timed('own PDF to a run', () => ownData(folder, project))
    await timed('panel with the run', () => panel(folder, project))
    await npx(folder, ['report', '--run-id', 'smoke-run'], project)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await packed()
for (const [name, value] of figures) console.log(`${name.padEnd(24)}${value.padStart(10)}`)
